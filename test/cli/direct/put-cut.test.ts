/** What becomes of `pailfs put` when a try of its upload ends in the midst? (§4.7) */
import { expect, it } from 'vitest';
import type { Fault } from '../../../src/server/faults.ts';
import { CommandLine } from '../../support/command-line.ts';
import { bytesOf, startEmbeddedServer } from '../../support/embedded-service.ts';
import { servedPublicFile } from '../../support/served-public-file.ts';

const BYTES = Buffer.from('some bytes, '.repeat(350_000));

it.each<Fault>([
  { kind: 'reset', afterBytes: 1024 * 1024 },
  { kind: 'status', status: 503 },
])('one that is answered, or cut, before its end is made again (%j)', async (fault) => {
  const server = await startEmbeddedServer();
  const { direct, bucket, faults } = server;
  faults.add({ operation: 'putObject', fault });
  const at = await CommandLine.open(server);

  const { code, stderr } = await at.run(['put', '-', 'photos:f'], { stdin: BYTES });

  expect({ code, stderr, left: faults.left }).toEqual({ code: 0, stderr: '', left: 0 });
  expect(BYTES.equals(await bytesOf((await direct.getObject(bucket, 'f')).body))).toBe(true);
});

it.each([undefined, { behaviours: { etag: 'random' } } as const])(
  'one that is cut makes nobody forget that an earlier one has stored a file that was public (%j)',
  async (options) => {
    const server = await servedPublicFile('old', options);
    const { direct, bucket, faults } = server;
    faults.add({ operation: 'putObject', fault: { kind: 'lost-answer' } });
    faults.add({ operation: 'putObject', fault: { kind: 'reset', afterBytes: 1024 * 1024 } });
    const at = await CommandLine.open(server);

    const { code, stderr } = await at.run(['put', '-', 'photos:f'], { stdin: BYTES });

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect((await direct.headObject(bucket, 'f')).size).toBe(BYTES.length);
    expect((await direct.getVisibility(bucket, 'f')).visibility).toBe('public');
    expect(faults.left).toBe(0);
  },
);
