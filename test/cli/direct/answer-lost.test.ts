/** What does a person read who asked for a change that the service may have made, though no answer says so? */
import { expect, it } from 'vitest';
import type { Operation } from '../../../src/service/refusal.ts';
import { CommandLine } from '../../support/command-line.ts';
import { startEmbeddedServer, uploadOf } from '../../support/embedded-service.ts';

const LOST =
  'the service is not available (no answer from the service (connection reset by peer)): try again later';

it.each<readonly [words: readonly string[], operation: Operation, told: string]>([
  [['put', '-', 'photos:new'], 'putObject', `whether - is stored is not known: ${LOST}`],
  [
    ['put', '-', 'photos:f'],
    'putObject',
    `whether - is stored is not known: ${LOST}; it was public, and is not any more if it is stored: put it again with --visibility public`,
  ],
  [['rm', 'photos:f'], 'deleteObject', `whether photos:f is deleted is not known: ${LOST}`],
  [['publish', 'photos:f'], 'setVisibility', `whether photos:f is public is not known: ${LOST}`],
  [['unpublish', 'photos:f'], 'setVisibility', `whether photos:f is private is not known: ${LOST}`],
  [
    ['bucket', 'delete', 'photos', '--yes'],
    'deleteBucket',
    `whether bucket photos is deleted is not known ("pailfs bucket list" tells): ${LOST}`,
  ],
])('of pailfs %j not that it is not done', async (words, operation, told) => {
  const server = await startEmbeddedServer();
  await server.direct.putObject(server.bucket, 'f', uploadOf('old'));
  await server.direct.setVisibility(server.bucket, 'f', 'public');
  server.faults.add({ operation, times: Infinity, fault: { kind: 'lost-answer' } });
  const at = await CommandLine.open(server);

  const { code, stdout, stderr } = await at.run(words, { stdin: 'new' });

  expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: `pailfs: ${told}\n` });
});

it.each<readonly [words: readonly string[], operation: Operation, told: string]>([
  [['put', '-', 'photos:f'], 'getVisibility', 'is not stored'],
  [['rm', 'photos:f'], 'headObject', 'is not deleted'],
])(
  'of pailfs %j that it is not done, where nothing was asked for that changes anything',
  async (words, operation, told) => {
    const server = await startEmbeddedServer();
    await server.direct.putObject(server.bucket, 'f', uploadOf('old'));
    server.faults.add({ operation, times: Infinity, fault: { kind: 'lost-answer' } });
    const at = await CommandLine.open(server);

    const { code, stderr } = await at.run(words, { stdin: 'new' });

    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(` ${told}: `) as string });
  },
);
