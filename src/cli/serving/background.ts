/**
 * How does `mount` return while the mount goes on? A child with a session of its own, none of the caller's pipes and no secret
 * in its argv or environment serves the mount; over a private channel it is told what to do and says how it went.
 */
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { ExitCode } from '../command-error.ts';
import { CommandError, exitCodes } from '../command-error.ts';
import { engineOptions } from './engine-options.ts';
import type { MountJob } from './mount-job.ts';
import { flagName, withoutSettings } from '../settings/settings-table.ts';

const exitCodeSchema = z.literal(Object.values(exitCodes));

const answerSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready'), warnings: z.array(z.string()) }),
  z.object({
    kind: z.literal('failed'),
    exitCode: exitCodeSchema,
    message: z.string(),
    stack: z.string().nullable(),
  }),
]);

/** What the child tells, once. */
export type BackgroundAnswer =
  | { readonly kind: 'ready'; readonly warnings: readonly string[] }
  | {
      readonly kind: 'failed';
      readonly exitCode: ExitCode;
      readonly message: string;
      /** Only for those who debug. */
      readonly stack: string | null;
    };

/** Resolves with warnings when the mount answers and goes on without us; rejects with the child's own reason. */
export async function mountInBackground(job: MountJob, logDescriptor: number): Promise<readonly string[]> {
  const child = startChild(job, logDescriptor);
  closeSync(logDescriptor);
  const answer = await answerOf(child, job);
  if (answer.kind === 'failed') {
    throw Object.assign(
      new CommandError(answer.exitCode, answer.message),
      answer.stack === null ? {} : { stack: answer.stack },
    );
  }
  child.disconnect();
  child.unref();
  return answer.warnings;
}

function startChild(job: MountJob, logDescriptor: number): ChildProcess {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const program = fileURLToPath(new URL(`./background-main.${extension}`, import.meta.url));
  // The arguments are for people who look at `ps`; the child reads none of them.
  const child = fork(program, [job.bucket ?? flagName('allBuckets'), job.mountpoint], {
    cwd: '/',
    detached: true,
    // The last of an option counts: who set one himself keeps it.
    execArgv: [...engineOptions(), ...process.execArgv],
    // Settings travel over the channel; the environment of a process can be read for as long as it lives.
    env: withoutSettings(process.env),
    stdio: ['ignore', logDescriptor, logDescriptor, 'ipc'],
  });
  child.send(job);
  return child;
}

function answerOf(child: ChildProcess, job: MountJob): Promise<BackgroundAnswer> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => {
      const answer = answerSchema.safeParse(message);
      if (answer.success) resolve(answer.data);
      else reject(new Error('the background process answered something unknown', { cause: answer.error }));
    });
    child.once('error', (cause) => {
      reject(
        new CommandError(exitCodes.failed, `the background process cannot be started: ${cause.message}`, {
          cause,
        }),
      );
    });
    child.once('exit', (code, signal) => {
      const how = signal ?? `exit code ${code ?? 'unknown'}`;
      const line = `the background process ended unexpectedly (${how}): see ${job.logFile ?? 'its log'}`;
      reject(new CommandError(exitCodes.mountFailure, line));
    });
  });
}
