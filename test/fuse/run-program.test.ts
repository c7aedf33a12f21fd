/** How long does a program of the system keep whoever runs it? */
import { expect, it } from 'vitest';
import { runProgram } from '../../src/fuse/run-program.ts';

it('one that takes longer than it may is ended, and said to have taken too long', async () => {
  expect(await runProgram('sleep', ['600'], 50)).toEqual({
    exit: 124,
    output: '',
    errors: 'sleep took too long',
  });
});

it('one that leaves somebody behind who holds its output is waited for no longer, either', async () => {
  const { exit } = await runProgram('sh', ['-c', 'sleep 5 & sleep 600'], 50);

  expect(exit).toBe(124);
});
