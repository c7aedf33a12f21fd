/**
 * What does open(2) do, with every combination of its flags, on a missing name, a file and a folder? Whatever an ordinary local
 * directory does for the same calls.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { PosixOnDisk } from './posix-on-disk.ts';
import type { Posix } from './posix.ts';
import {
  codeOf,
  O_APPEND,
  O_CREAT,
  O_EXCL,
  O_RDONLY,
  O_RDWR,
  O_TRUNC,
  O_WRONLY,
  type OpenSubject,
} from './subject.ts';

const ACCESS_MODES = { O_RDONLY, O_WRONLY, O_RDWR } as const;
const MODIFIERS = { O_CREAT, O_EXCL, O_TRUNC, O_APPEND } as const;
const TARGETS = ['missing', 'file', 'folder'] as const;

interface FlagCase {
  readonly title: string;
  readonly flags: number;
}

interface Outcome {
  readonly opened: string;
  readonly written: string;
  readonly read: string;
  readonly closed: string;
  readonly size: number | string;
  readonly content: string;
}

/** `O_EXCL` without `O_CREAT` means nothing that is defined. */
function flagCases(): FlagCase[] {
  const cases: FlagCase[] = [];
  for (const [access, accessFlag] of Object.entries(ACCESS_MODES)) {
    for (let subset = 0; subset < 2 ** Object.keys(MODIFIERS).length; subset += 1) {
      const chosen = Object.entries(MODIFIERS).filter((_, index) => (subset & (1 << index)) !== 0);
      const flags = chosen.reduce((all, [, flag]) => all | flag, accessFlag);
      if ((flags & O_EXCL) !== 0 && (flags & O_CREAT) === 0) continue;
      cases.push({ title: [access, ...chosen.map(([name]) => name)].join('|'), flags });
    }
  }
  return cases;
}

export function openFlagCases(openSubject: OpenSubject): void {
  it.each(flagCases())('opens with $title as a local directory does', async ({ flags }) => {
    const subject = await openSubject();
    const local = await localDirectory();

    for (const target of TARGETS) {
      const expected = await outcomeOf(local, `/${target}`, flags);
      if (target !== 'missing') {
        await arrange(subject.posix, subject.at(target), target);
      }
      expect(await outcomeOf(subject.posix, subject.at(target), flags), target).toEqual(expected);
    }

    const names = await local.readdir('/');
    expect(await subject.posix.readdir(subject.at())).toEqual(names);
    expect(await subject.storedNames()).toEqual(names.map((name) => (name === 'folder' ? 'folder/' : name)));
    for (const name of names.filter((each) => each !== 'folder')) {
      await subject.expectContent(name, await contentOf(local, `/${name}`));
    }
  });
}

async function localDirectory(): Promise<Posix> {
  const directory = await mkdtemp(path.join(tmpdir(), 'pailfs-flags-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const local = new PosixOnDisk(directory);
  await arrange(local, '/file', 'file');
  await arrange(local, '/folder', 'folder');
  return local;
}

async function arrange(posix: Posix, target: string, kind: 'file' | 'folder'): Promise<void> {
  if (kind === 'folder') {
    await posix.mkdir(target);
    return;
  }
  const file = await posix.open(target, O_WRONLY | O_CREAT);
  await file.write('0123456789');
  await file.close();
}

async function outcomeOf(posix: Posix, target: string, flags: number): Promise<Outcome> {
  const nothing = { written: '', read: '', closed: '' };
  let tried: Pick<Outcome, 'opened' | 'written' | 'read' | 'closed'>;
  try {
    const file = await posix.open(target, flags);
    tried = {
      opened: 'ok',
      written: await said(file.write('XY').then(String)),
      read: await said(file.read(4, 0).then((bytes) => bytes.toString())),
      closed: await said(file.close().then(() => 'ok')),
    };
  } catch (error) {
    tried = { ...nothing, opened: codeOf(error) };
  }
  const size = await posix.stat(target).then((stat) => (stat.kind === 'file' ? stat.size : 0), codeOf);
  return { ...tried, size, content: await said(contentOf(posix, target).then(String)) };
}

async function contentOf(posix: Posix, target: string): Promise<Buffer> {
  const file = await posix.open(target, O_RDONLY);
  try {
    return await file.read(1000, 0);
  } finally {
    await file.close();
  }
}

function said(call: Promise<string>): Promise<string> {
  return call.catch(codeOf);
}
