/** The ways on which programs change something, each with what the service holds before and after. */
import type { FileHandle, FileSystemOperations } from '../../../src/filesystem/operations.ts';
import { closing } from '../../support/open-for-test.ts';
import { openToEdit, openToRewrite, setXattr } from '../../support/program-acts.ts';

/** One stored file; `null` stands for a folder, whose name ends in a slash. */
export interface StoredFile {
  readonly text: string;
  readonly isPublic?: boolean;
  readonly type?: string;
}

export type Tree = Readonly<Record<string, StoredFile | null>>;

/** A program in a folder of its own. */
export class Program {
  readonly fs: FileSystemOperations;
  readonly folder: string;
  /** Files of which a call has taken bytes: those must not be lost, whatever happens then. */
  readonly accepted = new Set<string>();

  constructor(fs: FileSystemOperations, folder: string) {
    this.fs = fs;
    this.folder = folder;
  }

  path(name: string): string {
    return `/${this.folder}/${name}`;
  }

  /** Open, truncated; written; closed. */
  async rewrite(name: string, text: string): Promise<void> {
    const handle = await openToRewrite(this.fs, this.path(name));
    await closing(this.fs, handle, () => this.write(handle, name, text));
  }

  async edit(name: string, text: string, position: number): Promise<void> {
    const handle = await openToEdit(this.fs, this.path(name));
    await closing(this.fs, handle, () => this.write(handle, name, text, position));
  }

  async write(handle: FileHandle, name: string, text: string, position = 0): Promise<void> {
    if (text !== '') await this.fs.write(handle, Buffer.from(text), position);
    this.accepted.add(name);
  }

  rename(from: string, to: string): Promise<void> {
    return this.fs.rename(this.path(from), this.path(to), false);
  }
}

export interface WritePath {
  readonly before: Tree;
  readonly after: Tree;
  /** Names that are only there on the way, and what they hold. */
  readonly between?: Tree;
  readonly act: (program: Program) => Promise<void>;
  /** Whether it takes several calls that change something: what a failure left is then not always finished by the mount alone. */
  readonly hasSteps?: boolean;
  /** Whether the folder is listed before; else every name is looked up. */
  readonly isKnown?: boolean;
  /** Requests, as `operation /name`, after which a look tells what became of them when their answers are lost. */
  readonly looksAfter?: readonly string[];
  /** Whether what a fault that goes on keeps from being undone stays in the way: the log names it. */
  readonly mayStayInTheWay?: boolean;
  /** What it takes of the local disk; bytes when absent. */
  readonly needs?: 'nothing' | 'an empty file' | 'bytes';
  /** Those of the faults that it is tried with; all when absent. */
  readonly faults?: readonly string[];
}

const OLD = 'what was stored before';
const NEW = 'new bytes, which are more than the old ones were';
const KEPT: Tree = { kept: { text: 'not concerned' } };
const PUBLIC = { isPublic: true };
const old = (more: Partial<StoredFile> = {}): StoredFile => ({ text: OLD, ...more });
const fresh = (more: Partial<StoredFile> = {}): StoredFile => ({ text: NEW, ...more });

const writing: Record<string, WritePath> = {
  'a new file': { before: {}, after: { f: fresh() }, act: (p) => p.rewrite('f', NEW) },
  'a new file in a folder that nobody has listed': {
    before: {},
    after: { f: fresh() },
    isKnown: false,
    act: (p) => p.rewrite('f', NEW),
  },
  'an empty file': {
    needs: 'an empty file',
    before: {},
    after: { f: fresh({ text: '' }) },
    act: (p) => p.rewrite('f', ''),
  },
  'a private file written anew': {
    before: { f: old() },
    after: { f: fresh() },
    act: (p) => p.rewrite('f', NEW),
  },
  'a public file written anew': {
    before: { f: old(PUBLIC) },
    after: { f: fresh(PUBLIC) },
    act: (p) => p.rewrite('f', NEW),
  },
  'an append': {
    before: { f: old() },
    after: { f: { text: OLD + NEW } },
    act: (p) => p.edit('f', NEW, OLD.length),
  },
  'an append to a public file that nobody has looked at': {
    before: { f: old(PUBLIC) },
    after: { f: { text: OLD + NEW, ...PUBLIC } },
    isKnown: false,
    act: (p) => p.edit('f', NEW, OLD.length),
  },
  'an edit in place': {
    before: { f: old() },
    after: { f: { text: `WHAT${OLD.slice(4)}` } },
    act: (p) => p.edit('f', 'WHAT', 0),
  },
  'truncate(2)': {
    before: { f: old(PUBLIC) },
    after: { f: { text: OLD.slice(0, 20), ...PUBLIC } },
    act: (p) => p.fs.truncate(p.path('f'), 20),
  },
  fsync: {
    before: { f: old(PUBLIC) },
    after: { f: fresh(PUBLIC) },
    act: async (p) => {
      const handle = await openToRewrite(p.fs, p.path('f'));
      await closing(p.fs, handle, async () => {
        await p.write(handle, 'f', NEW);
        await p.fs.fsync(handle);
      });
    },
  },
};

const renaming: Record<string, WritePath> = {
  'a rename to a free name': {
    before: { f: old() },
    after: { g: old() },
    looksAfter: ['deleteObject /f'],
    act: (p) => p.rename('f', 'g'),
  },
  'a rename over a file': {
    before: { f: old(), g: { text: 'replaced' } },
    after: { g: old() },
    looksAfter: ['putObject /g', 'deleteObject /f'],
    act: (p) => p.rename('f', 'g'),
  },
  'a rename of a public file': {
    before: { f: old(PUBLIC) },
    after: { g: old(PUBLIC) },
    looksAfter: ['deleteObject /f'],
    act: (p) => p.rename('f', 'g'),
  },
  'a rename over a public file': {
    before: { f: old(), g: { text: 'replaced', ...PUBLIC } },
    after: { g: old() },
    looksAfter: ['putObject /g', 'deleteObject /f'],
    act: (p) => p.rename('f', 'g'),
  },
  'a rename of a file that is being written': {
    before: {},
    after: { g: fresh() },
    act: async (p) => {
      const handle = await openToRewrite(p.fs, p.path('f'));
      await closing(p.fs, handle, async () => {
        await p.write(handle, 'f', NEW);
        await p.rename('f', 'g');
        p.accepted.delete('f');
        p.accepted.add('g');
      });
    },
  },
  'a save through a temporary file': {
    before: { f: old(PUBLIC) },
    after: { f: fresh(PUBLIC) },
    between: { temporary: fresh() },
    hasSteps: true,
    looksAfter: ['putObject /f', 'deleteObject /temporary'],
    act: async (p) => {
      await p.rewrite('temporary', NEW);
      p.accepted.delete('temporary');
      await p.rename('temporary', 'f');
    },
  },
  'a save through a scratch file': {
    before: { 'f.txt': old(PUBLIC) },
    after: { 'f.txt': fresh(PUBLIC) },
    // The mount stores a transfer that nobody has renamed.
    between: { '.f.txt.a1B2c3': fresh() },
    hasSteps: true,
    looksAfter: ['putObject /f.txt'],
    act: async (p) => {
      const handle = await p.fs.create(p.path('.f.txt.a1B2c3'), {
        read: true,
        write: true,
        truncate: true,
        exclusive: false,
        mode: 0o600,
      });
      await closing(p.fs, handle, () => p.write(handle, '.f.txt.a1B2c3', NEW));
      p.accepted.clear();
      await p.rename('.f.txt.a1B2c3', 'f.txt');
    },
  },
  'a rename of a folder': {
    before: { 'd/': null, 'd/a': fresh(PUBLIC), 'd/s/': null, 'd/s/b': old() },
    after: { 'e/': null, 'e/a': fresh(PUBLIC), 'e/s/': null, 'e/s/b': old() },
    looksAfter: ['deleteObject /d/a', 'deleteObject /d/s/b'],
    mayStayInTheWay: true,
    faults: ['is answered 403', 'is done, and its answer lost', 'is not answered'],
    act: (p) => p.rename('d', 'e'),
  },
};

const others: Record<string, WritePath> = {
  unlink: { needs: 'nothing', before: { f: old() }, after: {}, act: (p) => p.fs.unlink(p.path('f')) },
  'unlink of a name that nobody has looked at': {
    needs: 'nothing',
    before: { f: old() },
    after: {},
    isKnown: false,
    act: (p) => p.fs.unlink(p.path('f')),
  },
  mkdir: { needs: 'nothing', before: {}, after: { 'd/': null }, act: (p) => p.fs.mkdir(p.path('d'), 0o755) },
  rmdir: { needs: 'nothing', before: { 'd/': null }, after: {}, act: (p) => p.fs.rmdir(p.path('d')) },
  'setxattr of public': {
    needs: 'nothing',
    before: { f: old() },
    after: { f: old(PUBLIC) },
    act: (p) => setXattr(p.fs, p.path('f'), 'user.pailfs.visibility', 'public'),
  },
  'setxattr of private': {
    needs: 'nothing',
    before: { f: old(PUBLIC) },
    after: { f: old() },
    act: (p) => setXattr(p.fs, p.path('f'), 'user.pailfs.visibility', 'private'),
  },
  'setxattr of the type': {
    before: { f: old(PUBLIC) },
    after: { f: old({ ...PUBLIC, type: 'text/x-new' }) },
    act: (p) => setXattr(p.fs, p.path('f'), 'user.mime_type', 'text/x-new'),
  },
};

/** Beside each there is a file that is not concerned. */
export const WRITE_PATHS: Record<string, WritePath> = Object.fromEntries(
  Object.entries({ ...writing, ...renaming, ...others }).map(([name, path]) => [
    name,
    { ...path, before: { ...KEPT, ...path.before }, after: { ...KEPT, ...path.after } },
  ]),
);
