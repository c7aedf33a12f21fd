/** What `pailfs status` says of one mount while it works, once and again and again. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { CommandLine } from '../support/command-line.ts';
import { startEmbeddedServer, uploadOf, type EmbeddedServer } from '../support/embedded-service.ts';

interface Shown {
  readonly live: {
    readonly traffic: {
      readonly requests: number;
      readonly failed: number;
      readonly offlineSince: string | null;
    };
    readonly cache: { readonly served: { readonly memory: number; readonly service: number } };
    readonly hiddenKeys: number;
    readonly problems: readonly { readonly text: string }[];
  } | null;
}

async function mounted(): Promise<{ readonly at: CommandLine; readonly server: EmbeddedServer }> {
  const server = await startEmbeddedServer();
  const at = await CommandLine.open(server);
  expect(await at.run(['mount', 'photos', at.mountpoint, '--metadata-ttl', '0'])).toMatchObject({ code: 0 });
  return { at, server };
}

describe('pailfs status of a mount', () => {
  it('says what it asked for and gave, what cannot be shown, and what went wrong', async () => {
    const { at, server } = await mounted();
    await server.direct.putObject(server.bucket, 'f', uploadOf('twelve bytes'));
    await server.direct.putObject(server.bucket, 'd//hidden', uploadOf('x'));
    await readFile(join(at.mountpoint, 'f'));
    await readFile(join(at.mountpoint, 'd')).catch(() => undefined);
    await at.run(['ls', 'photos']);
    server.faults.add({ operation: 'headObject', times: 9, fault: { kind: 'status', status: 403 } });
    server.faults.add({ operation: 'listObjects', times: 9, fault: { kind: 'status', status: 403 } });
    await expect(readFile(join(at.mountpoint, 'refused'))).rejects.toThrow('EACCES');
    server.faults.clear();

    const { stdout } = await at.run(['status', at.mountpoint]);
    const [shown] = JSON.parse((await at.run(['status', at.mountpoint, '--json'])).stdout) as Shown[];

    expect(stdout).toMatch(/^service {2}answers$/m);
    expect(stdout).toMatch(/^requests \d+ \(\d+\.\d\/s\) {2}\d+ failed {2}received /m);
    // The open brought them along, when it asked whether the file is still the same.
    expect(stdout).toMatch(
      /^reads {4}12 B from memory {2}0 B from the disk {2}0 B as it came from the service$/m,
    );
    expect(stdout).toMatch(
      /^options {2}.*metadata_ttl=0 {2}memory_limit=128M .*cache_size=10G .*umask=022 /m,
    );
    expect(stdout).toMatch(/^\d+ s ago.*: an operation failed: \/refused: .*403/m);
    expect(shown?.live?.traffic.requests).toBeGreaterThan(2);
    expect(shown?.live?.problems[0]?.text).toContain('/refused');
  });

  it('says since when the service is away', async () => {
    const { at, server } = await mounted();
    await server.server.close();
    await expect(readFile(join(at.mountpoint, 'f'))).rejects.toThrow('EIO');

    const { stdout } = await at.run(['status', at.mountpoint]);

    expect(stdout).toMatch(/^service {2}offline since \d{4}-\d\d-\d\d \d\d:\d\d \(\d+ s\)$/m);
  });
});

describe('pailfs status --watch', () => {
  it('is a document a line where nobody looks at a terminal, and ends with Ctrl-C and exit code 0', async () => {
    const { at } = await mounted();
    const watch = at.start(['status', at.mountpoint, '--watch']);
    const lines: string[] = [];
    if (watch.stdout !== null) createInterface(watch.stdout).on('line', (line) => lines.push(line));

    await expect.poll(() => lines.length).toBeGreaterThan(1);
    watch.kill('SIGINT');
    const [code] = (await once(watch, 'close')) as [number | null];

    expect(code).toBe(0);
    for (const line of lines) expect(JSON.parse(line)).toMatchObject([{ mountpoint: at.mountpoint }]);
  });

  it('ends when nobody reads it any more', async () => {
    const { at } = await mounted();
    const watch = at.start(['status', '--watch', '--json']);
    if (watch.stdout !== null) await once(watch.stdout, 'data');

    watch.stdout?.destroy();

    expect(await once(watch, 'close')).toEqual([0, null]);
  });

  it('draws over the same place of a terminal, no line longer than it is wide, and says when the mount is gone', async () => {
    const { at } = await mounted();
    const watch = at.start(['status', at.mountpoint, '--watch'], { typed: '' });
    let screen = '';
    watch.stdout?.on('data', (data: Buffer) => (screen += data.toString()));
    // It may look, and end, before the command that unmounts has ended.
    const end = once(watch, 'close') as Promise<[number | null]>;

    await expect.poll(() => screen.split('\u001b[1;1H\u001b[0J').length).toBeGreaterThan(2);
    await at.run(['unmount', at.mountpoint]);
    const [code] = await end;

    const [, drawn = ''] = screen.split('\u001b[1;1H\u001b[0J');
    expect(drawn).toMatch(/^MOUNTPOINT .*\r\n/);
    expect(drawn).toContain('requests ');
    expect(Math.max(...drawn.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(code).toBe(1);
    expect(screen).toContain('is no mount of pailfs');
  });
});
