/** What do programs cost that read all small files of a folder, through the kernel? One GET a file, most of them side by side. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { InterceptedService } from '../support/intercepted-service.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { uploadOf } from '../support/embedded-service.ts';
import { sharedMount } from '../support/shared-mount.ts';

const FILES = 120;
/** Milliseconds that each GET takes, so that one can see which wait for each other. */
const LATENCY = 50;
const NAMES = Array.from({ length: FILES }, (_, index) => `f${String(index).padStart(3, '0')}`);

describe('a mount with folders of small files', () => {
  let asked: string[] = [];
  let underWay = 0;
  let most = 0;
  const mount = sharedMount({
    driver: 'kernel',
    // However long a busy machine takes.
    settings: { metadataTtl: 3_600_000 },
    between: (service) =>
      new InterceptedService(service, async (call, proceed) => {
        asked.push(`${call.operation} ${call.key ?? ''}`.trim());
        if (call.operation !== 'getObject') return proceed();
        underWay += 1;
        most = Math.max(most, underWay);
        try {
          await sleep(LATENCY);
          return await proceed();
        } finally {
          underWay -= 1;
        }
      }),
  });

  it.each([
    ['cat', 'cat "$1"/* | wc -c'],
    ['grep', 'grep -rc nothing "$1" | wc -l'],
    ['tar', 'tar c "$1" | wc -c'],
    ['cp', 'cp -r "$1" "$2"'],
    ['rsync', 'rsync -a "$1"/ "$2"'],
    ['xargs', 'ls -d "$1"/* | xargs -P 8 -n 10 cat | wc -c'],
  ])(
    'gives %s each file for one GET, and has many on their way at once [read/siblings]',
    async (name, script) => {
      const target = `${await temporaryDirectory()}/copy`;
      for (const [index, file] of NAMES.entries()) {
        const bytes = patternedBytes(4096 + index, index);
        await mount().direct.putObject(mount().bucket, `${name}/${file}`, uploadOf(bytes));
      }
      await mount().ask('refresh');
      await mount().run('ls -l "$1"', name);
      [asked, most] = [[], 0];

      const ran = await mount().run(script, name, target);

      expect(ran).toMatchObject({ exit: 0, errors: '' });
      const gets = asked.filter((line) => line.startsWith('getObject'));
      expect(gets.sort()).toEqual(NAMES.map((file) => `getObject ${name}/${file}`));
      expect(most).toBeGreaterThan(4);
    },
  );
});
