/** SEMANTICS: one file's states (design §3), and what is promised of each when the mount is killed in it. */
import { describe, expect, it } from 'vitest';
import type { FileHandle } from '../../src/filesystem/operations.ts';
import type { MountedFileSystem } from '../../src/filesystem/open-file-system.ts';
import type { FileSystemSettings } from '../../src/filesystem/settings.ts';
import { RequestLog } from '../../src/server/request-log.ts';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { end, queuedStates, situation, states, type Situation } from '../support/file-states.ts';
import { readFile, writeFile } from '../support/open-for-test.ts';
import { openToEdit, writeAt } from '../support/program-acts.ts';
import { recordingService } from '../support/recording-service.ts';

interface Promised {
  /** What the next mount shows, and the service has in the end. */
  readonly holds: readonly string[];
  /** Whether a person is told of bytes that are kept for them: those that the service has not. */
  readonly isSetAside: boolean;
  /** Requests by which the next mount changes something. */
  readonly changes: readonly string[];
}

const NOTHING_TO_DO = { isSetAside: false, changes: [] };
const promised: Record<string, Promised> = {
  clean: { holds: ['base'], ...NOTHING_TO_DO },
  // No close has returned.
  'draft, open': { holds: ['base'], isSetAside: true, changes: [] },
  // The same; its PUT is on its way, and the service may still do it.
  uploading: { holds: ['base', 'Base'], isSetAside: true, changes: [] },
  'end unknown, stored': { holds: ['Base'], ...NOTHING_TO_DO },
  'end unknown, not stored': { holds: ['Base'], isSetAside: false, changes: ['putObject f'] },
  'ours, unnamed': { holds: ['Base'], ...NOTHING_TO_DO },
  failed: { holds: ['Base'], isSetAside: false, changes: ['putObject f'] },
  'set aside': { holds: ['base'], isSetAside: true, changes: [] },
};

/** With `--write-back`. */
const promisedQueued: Record<string, Promised> = {
  queued: { holds: ['Base'], isSetAside: false, changes: ['putObject f'] },
  'queued, written to since': { holds: ['Base'], isSetAside: true, changes: ['putObject f'] },
};

/** The killed one goes on in this process, and may end its PUT at any time: the next one's requests are counted apart. */
async function nextMount(
  state: Situation,
  settings: Partial<FileSystemSettings> = {},
): Promise<{ next: MountedFileSystem; changes: () => string[] }> {
  const requests = new RequestLog();
  const service = recordingService(state.service, requests);
  const next = await mountOver(await diskNow(state), state, { settings, service });
  return {
    next,
    changes: () =>
      requests.all
        .filter(({ operation }) => /^(put|delete|set|create)/.test(operation))
        .map(({ operation, key }) => `${operation} ${key ?? ''}`),
  };
}

it('every state is killed', () => {
  expect(Object.keys(promised)).toEqual(Object.keys(states));
  expect(Object.keys(promisedQueued)).toEqual(Object.keys(queuedStates));
});

describe.each(Object.entries(promised))('killed with a file in the state "%s"', (name, promise) => {
  it('a mount leaves to the next one what was promised, and nothing else [crash/promised]', async () => {
    const state = await situation(states[name]?.arrange ?? (() => Promise.resolve()));

    const { next, changes } = await nextMount(state);
    expect(promise.holds).toContain((await readFile(next.operations, '/f')).toString());
    const told = next.setAside.map(({ key }) => key);
    expect(await next.close({ patience: 60_000 })).toEqual([]);

    const stored = (await state.stored('f')).toString();
    expect(promise.holds).toContain(stored);
    // The half file is looked for on the service, which may have done the PUT by then.
    if (name !== 'uploading' || stored === 'base') expect(told).toEqual(promise.isSetAside ? ['f'] : []);
    expect(changes()).toEqual(promise.changes);
    await end(state);
  });
});

describe.each(Object.entries(promisedQueued))('killed with a file in the state "%s"', (name, promise) => {
  it('a mount with write-back leaves to the next one what was promised [crash/promised] [write-back/crash]', async () => {
    const settings = { writeBack: true };
    const state = await situation(queuedStates[name]?.arrange ?? (() => Promise.resolve()), settings);

    const { next, changes } = await nextMount(state, settings);
    expect(promise.holds).toContain((await readFile(next.operations, '/f')).toString());
    expect(next.setAside.map(({ key }) => key)).toEqual(promise.isSetAside ? ['f'] : []);
    expect(await next.close({ patience: 60_000 })).toEqual([]);

    expect(promise.holds).toContain((await state.stored('f')).toString());
    expect(changes()).toEqual(promise.changes);
    await end(state);
  });
});

it.each(['unlinked', 'replaced'])(
  'killed with a detached file, %s while it was written, a mount leaves nothing of it [crash/promised]',
  async (how) => {
    const state = await situation(() => Promise.resolve());
    const handle: FileHandle = await openToEdit(state.fs, '/f');
    await writeAt(state.fs, handle, 'B');
    await writeFile(state.fs, '/g', 'other');
    if (how === 'unlinked') await state.fs.unlink('/f');
    else await state.fs.rename('/g', '/f', false);
    await writeAt(state.fs, handle, 'more', 4);

    const { next, changes } = await nextMount(state);
    const held = await state.stored('f').catch(() => null);
    expect(await next.close({ patience: 60_000 })).toEqual([]);

    expect(next.setAside).toEqual([]);
    expect(held?.toString()).toBe(how === 'unlinked' ? undefined : 'other');
    expect(changes()).toEqual([]);
    await state.fs.release(handle);
  },
);
