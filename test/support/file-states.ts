/** One file's states (design §3): how does a file come into each of them, and what does its path show then? */
import { expect } from 'vitest';
import type { FileHandle } from '../../src/filesystem/operations.ts';
import { holdNext } from './hold-next.ts';
import { names, openForTest, type FileSystemForTest, type TestOptions } from './open-for-test.ts';
import { edit, openToEdit, writeAt } from './program-acts.ts';

export interface Situation extends FileSystemForTest {
  /** Those that the state needs; released by `end`. */
  readonly handles: FileHandle[];
}

/** Brings `/f`, whose stored bytes are `base`, into a state; what the path shows then is the second. */
export const states: Record<string, { shows: string; arrange: (situation: Situation) => Promise<void> }> = {
  clean: { shows: 'base', arrange: () => Promise.resolve() },
  'draft, open': {
    shows: 'Base',
    arrange: async ({ fs, handles }) => {
      const handle = await openToEdit(fs, '/f');
      handles.push(handle);
      await writeAt(fs, handle, 'B');
    },
  },
  uploading: {
    shows: 'Base',
    arrange: async ({ fs, handles, service }) => {
      const handle = await openToEdit(fs, '/f');
      handles.push(handle);
      await writeAt(fs, handle, 'B');
      const upload = holdNext(service, 'putObject');
      void fs.flush(handle);
      await upload.begun;
      // Whoever has to wait for its end does.
      setTimeout(upload.letGo, 100);
    },
  },
  'end unknown, stored': {
    shows: 'Base',
    arrange: async ({ fs, faults }) => {
      faults.add({ operation: 'putObject', fault: { kind: 'lost-answer' } });
      await expect(edit(fs, '/f', 'B', 0)).rejects.toMatchObject({ code: 'EIO' });
    },
  },
  'end unknown, not stored': {
    shows: 'Base',
    arrange: async ({ fs, faults }) => {
      faults.add({ operation: 'putObject', fault: { kind: 'reset' } });
      await expect(edit(fs, '/f', 'B', 0)).rejects.toMatchObject({ code: 'EIO' });
    },
  },
  'ours, unnamed': { shows: 'Base', arrange: ({ fs }) => edit(fs, '/f', 'B', 0) },
  failed: {
    shows: 'Base',
    arrange: async ({ fs, faults }) => {
      faults.add({ operation: 'putObject', fault: { kind: 'status', status: 402 } });
      await expect(edit(fs, '/f', 'B', 0)).rejects.toMatchObject({ code: 'EDQUOT' });
    },
  },
  'set aside': {
    shows: 'base',
    arrange: async ({ fs, faults }) => {
      faults.add({ operation: 'putObject', fault: { kind: 'status', status: 413 } });
      await expect(edit(fs, '/f', 'B', 0)).rejects.toMatchObject({ code: 'EFBIG' });
    },
  },
};

/** With `--write-back`; as `states`. */
export const queuedStates: typeof states = {
  queued: { shows: 'Base', arrange: ({ fs }) => edit(fs, '/f', 'B', 0) },
  'queued, written to since': {
    shows: 'BASe',
    arrange: async ({ fs, handles }) => {
      await edit(fs, '/f', 'B', 0);
      const handle = await openToEdit(fs, '/f');
      handles.push(handle);
      await writeAt(fs, handle, 'BAS');
    },
  },
};

export async function situation(
  arrange: (situation: Situation) => Promise<void>,
  settings: TestOptions['settings'] = {},
): Promise<Situation> {
  const opened = { ...(await openForTest({ settings })), handles: [] as FileHandle[] };
  await opened.foreignWrite('f', 'base');
  await names(opened.fs, '/');
  await arrange(opened);
  return opened;
}

export async function end({ fs, handles }: Situation): Promise<void> {
  for (const handle of handles) {
    await fs.flush(handle);
    await fs.release(handle);
  }
}
