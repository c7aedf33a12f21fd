import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChildProcess } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { parseBehaviours } from '../../src/cli/serve-command.ts';
import { CommandLine } from '../support/command-line.ts';

const NOWHERE = { baseUrl: '', credentials: { accessKeyId: '', secretAccessKey: '' } };

interface Served {
  readonly child: ChildProcess;
  readonly baseUrl: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

async function serve(at: CommandLine, words: readonly string[]): Promise<Served> {
  const child = at.start(['serve', ...words]);
  let text = '';
  for await (const data of child.stdout ?? []) {
    text += String(data);
    if (text.includes('# pailfs mount')) break;
  }
  const value = (name: string): string => new RegExp(`export ${name}=(.*)`).exec(text)?.[1] ?? '';
  return {
    child,
    baseUrl: value('PAILFS_BASE_URL'),
    accessKeyId: value('PAILFS_ACCESS_KEY_ID'),
    secretAccessKey: value('PAILFS_SECRET_ACCESS_KEY'),
  };
}

async function end({ child }: Served): Promise<number | null> {
  const exit = once(child, 'exit') as Promise<[number | null]>;
  child.kill('SIGTERM');
  return (await exit)[0];
}

async function bucketNames(served: Served): Promise<readonly string[]> {
  const pair = Buffer.from(`${served.accessKeyId}:${served.secretAccessKey}`).toString('base64');
  const answer = await fetch(`${served.baseUrl}/buckets`, { headers: { authorization: `Basic ${pair}` } });
  const { data } = (await answer.json()) as {
    readonly data: { readonly buckets: { readonly name: string }[] };
  };
  return data.buckets.map(({ name }) => name);
}

describe('pailfs serve', () => {
  it('prints an address and credentials that work, and ends with exit code 0 at a signal', async () => {
    const at = await CommandLine.open(NOWHERE);

    const served = await serve(at, ['--bucket', 'photos', '--bucket', 'music']);

    expect(await bucketNames(served)).toEqual(expect.arrayContaining(['photos', 'music']));
    expect(await end(served)).toBe(0);
  });

  it('keeps buckets and credentials in its directory', async () => {
    const at = await CommandLine.open(NOWHERE);
    const before = await serve(at, ['--data', 'data', '--bucket', 'photos']);
    await end(before);

    const after = await serve(at, ['--data', 'data', '--bucket', 'photos']);

    expect(await bucketNames(after)).toEqual(['photos']);
    expect(after.secretAccessKey).toBe(before.secretAccessKey);
    expect(await readdir(join(at.home, 'data'))).toContain('credentials.json');
    expect(await end(after)).toBe(0);
  });

  it('says in one line that its port is in use', async () => {
    const at = await CommandLine.open(NOWHERE);
    const first = await serve(at, []);
    const { port } = new URL(first.baseUrl);

    const outcome = await at.run(['serve', '--port', port]);

    expect(outcome).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^pailfs: the service cannot start \(address already in use\): check --port.*\n$/,
      ) as string,
    });
    await end(first);
  });

  it('says in one line that another process serves its directory', async () => {
    const at = await CommandLine.open(NOWHERE);
    const first = await serve(at, ['--data', 'data']);

    const outcome = await at.run(['serve', '--data', 'data']);

    expect(outcome).toEqual({
      code: 1,
      stdout: '',
      stderr: `pailfs: another process serves ${join(at.home, 'data')}: end that one, or choose another with --data\n`,
    });
    await end(first);
  });

  it('refuses a bucket name that the service refuses', async () => {
    const at = await CommandLine.open(NOWHERE);

    const outcome = await at.run(['serve', '--bucket', 'No']);

    expect(outcome).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^pailfs: .*: check --bucket\n$/) as string,
    });
  });
});

describe('--behaviour', () => {
  it('names what the service can do otherwise', () => {
    expect(parseBehaviours(['range=ignored', 'date=-3600', 'largestUpload=null'])).toEqual({
      range: 'ignored',
      date: -3600,
      largestUpload: null,
    });
  });

  it.each([
    ['rage=ignored', 'there is no rage: choose among range, folders'],
    ['range=sometimes', 'range is one of honoured, ignored, refused'],
    ['range', 'range is one of honoured, ignored, refused'],
  ])('refuses %s', (text, complaint) => {
    expect(() => parseBehaviours([text])).toThrow(complaint);
  });
});
