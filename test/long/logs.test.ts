/** What does who follows a log with tail(1) see of lines that programs add, here and through another mount? */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CommandLine } from '../support/command-line.ts';
import { startEmbeddedServer, uploadOf } from '../support/embedded-service.ts';
import { shell } from '../support/shell.ts';

/** `tail -F` looks by name each time where it has waited for less; `$1`: the mount through which lines come, `$2` and on: what follows. */
const FOLLOW = `
  set -e; log="$1"; shift
  timeout 6 tail -s 0.2 --max-unchanged-stats=1 "$@" 2>/dev/null & follower=$!
  sleep 1.5; for line in two three; do echo $line >> "$log"; sleep 1.5; done
  wait $follower || true`;

async function arrange() {
  const server = await startEmbeddedServer();
  await server.direct.putObject(server.bucket, 'a.log', uploadOf('one\n'));
  const mounted = async (): Promise<string> => {
    const at = await CommandLine.open(server);
    const outcome = await at.run(['mount', 'photos', at.mountpoint, '--metadata-ttl', '0.5']);
    expect(outcome).toMatchObject({ code: 0 });
    return join(at.mountpoint, 'a.log');
  };
  return { here: await mounted(), there: await mounted() };
}

async function follow(written: string, ...words: readonly string[]): Promise<string[]> {
  const { output } = await shell('/', FOLLOW, written, ...words);
  return output.trimEnd().split('\n');
}

it('each line as it comes, on the same mount', async () => {
  const { here } = await arrange();

  expect(await follow(here, '-f', here)).toEqual(['one', 'two', 'three']);
});

it('nothing more with -f, through another mount: each time it is another file', async () => {
  const { here, there } = await arrange();

  expect(await follow(here, '-f', there)).toEqual(['one']);
});

it('the whole log again with -F, through another mount', async () => {
  const { here, there } = await arrange();

  const seen = await follow(here, '-F', there);

  // On a slow machine it may come too late for what was there between.
  expect(seen.slice(0, 2)).toEqual(['one', 'one']);
  expect(seen.slice(-3)).toEqual(['one', 'two', 'three']);
});
