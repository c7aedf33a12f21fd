/** What does one of several programs do that run at the same time, and what may it hear? */
import { FsError, type ErrnoName } from '../../src/filesystem/errors.ts';
import type { FileHandle, FileSystemOperations } from '../../src/filesystem/operations.ts';
import { hops, type Dice } from './hopping-service.ts';
import { MOVED, TURNED, type PathEvent, type PathEvents } from './path-events.ts';
import { entriesOf } from '../support/directory-entries.ts';
import { playBeside, type Side } from './side-acts.ts';
import { CELL, stampOf, WHOLE } from './stamps.ts';
import type { Told } from './told.ts';

export const ACTS = [
  'rewrite',
  'replace',
  'scratch',
  'exclusive',
  'read',
  'stat',
  'list',
  'unlink',
  'rename',
  'noreplace',
  'folder',
  'turn',
  'publish',
  'chmod',
  'xattrs',
  'refresh',
  'foreign',
  'foreignDelete',
  'wait',
] as const;
/** `type` stores anew what is there: with `conflict=overwrite` also over what others have stored since. */
export const EDITS = ['append', 'overwrite', 'truncate', 'type'] as const;
export type Act = (typeof ACTS)[number] | (typeof EDITS)[number];

export interface Step {
  readonly act: Act;
  readonly path: string;
  readonly other: string;
}

export interface Stage {
  readonly fs: FileSystemOperations;
  readonly dice: Dice;
  readonly events: PathEvents;
  readonly told: Told;
  /** What may be heard of any operation in this run. */
  readonly always: ReadonlySet<ErrnoName>;
  /** Whether the store of an edit tells of a conflict by ESTALE; else both are kept. */
  readonly conflictsFail: boolean;
  /** `[visibility/restore-fails]`: somebody else may replace a file before it is public again. */
  readonly linksMayFail: boolean;
  readonly storeForeign: (path: string, content: Buffer) => Promise<void>;
  readonly deleteForeign: (path: string) => Promise<void>;
  readonly refresh: (path: string) => void;
  readonly passTime: (milliseconds: number) => void;
  /** Operations that have begun and not ended. */
  readonly pending: Set<string>;
}

/** Operations that store bytes, and so may have to make a file public again. */
const STORES = /^(?:flush|fsync|release|rename|truncate|type) /;
/** Those that store what was written before, and nothing else: they need no base. */
const STORES_WRITTEN = /^(?:flush|fsync|release) /;

/** Plays `steps` one after another. Rejects when one hears what it must not. */
export class ConcurrentProgram {
  readonly #stage: Stage;
  readonly #number: number;
  #count = 0;

  constructor(stage: Stage, number: number) {
    this.#stage = stage;
    this.#number = number;
  }

  async play(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      await hops(this.#stage.dice(6));
      await this.#step(step);
    }
  }

  async #step({ act, path, other }: Step): Promise<void> {
    const { fs, dice, passTime } = this.#stage;
    const folder = '/d';
    switch (act) {
      case 'rewrite':
        return this.#rewrite(path, false);
      case 'exclusive':
        return this.#rewrite(path, true);
      case 'replace': {
        const temporary = `/tmp-${this.#number}`;
        await this.#rewrite(temporary, false);
        return this.#rename(temporary, path);
      }
      case 'scratch': {
        const temporary = path.replace(/[^/]*$/, `.x.ABCDE${this.#number}`);
        await this.#rewrite(temporary, false, 0o600);
        return this.#rename(temporary, path);
      }
      case 'rename':
      case 'noreplace':
        return path === other ? undefined : this.#rename(path, other, act === 'noreplace');
      case 'unlink':
        return this.#changing([{ path, leaves: null, sparesForeign: true }], () =>
          this.#call(`unlink ${path}`, ['ENOENT'], () => fs.unlink(path)),
        );
      case 'read':
        return this.#read(path);
      case 'stat':
        await this.#call(`stat ${path}`, ['ENOENT'], () => fs.getAttributes(path));
        return;
      case 'list':
        await this.#call(`list ${folder}`, ['ENOENT'], () => entriesOf(fs, dice(2) === 0 ? '/' : folder));
        return;
      case 'folder':
        if (dice(3) > 0) await this.#call('mkdir', ['EEXIST'], () => fs.mkdir(folder, 0o755));
        else await this.#call('rmdir', ['ENOENT', 'ENOTEMPTY'], () => fs.rmdir(folder));
        return;
      case 'turn':
        return dice(2) === 0 ? this.#turn('/d', '/e') : this.#turn('/e', '/d');
      case 'publish':
      case 'chmod':
      case 'xattrs':
      case 'type':
      case 'refresh': {
        const call: Side['call'] = (title, allowed, run) => this.#call(title, allowed, run);
        return playBeside({ ...this.#stage, call }, act, path);
      }
      case 'foreign':
        return this.#foreign(path);
      case 'foreignDelete':
        return this.#changing([{ path, leaves: null, isForeign: true }], () =>
          this.#stage.deleteForeign(path),
        );
      case 'wait':
        passTime([200, 4000, 11_000][dice(3)] ?? 0);
        return;
      case 'append':
      case 'overwrite':
      case 'truncate':
        return this.#edit(act, path);
    }
  }

  async #rewrite(path: string, exclusive: boolean, mode = 0o644): Promise<void> {
    const { fs, dice } = this.#stage;
    this.#count += 1;
    const stamp = stampOf(this.#number, this.#count);
    await this.#changing([{ path, leaves: stamp, empties: !exclusive }], async () => {
      const intent = { read: true, write: true, truncate: !exclusive, exclusive, mode };
      const refusals: ErrnoName[] = exclusive ? ['EEXIST', 'ENOENT'] : ['ENOENT'];
      const handle = await this.#call(
        `create ${path}`,
        /^\/[de]\//.test(path) || exclusive ? refusals : [],
        () => fs.create(path, intent),
      );
      if (handle === null) return false;
      await hops(dice(5));
      const done = await this.#call(`write ${path}`, [], () =>
        fs.write(handle, Buffer.from(stamp.repeat(WHOLE / CELL)), 0),
      );
      if (dice(4) === 0) await this.#call(`fsync ${path}`, [], () => fs.fsync(handle));
      return this.#close(handle, path, done === null ? null : stamp);
    });
  }

  async #edit(act: 'append' | 'overwrite' | 'truncate', path: string): Promise<void> {
    const { fs, dice } = this.#stage;
    if (act === 'truncate') {
      await this.#call(`truncate ${path}`, ['ENOENT'], () => fs.truncate(path, dice(10) * CELL));
      return;
    }
    this.#count += 1;
    const stamp = stampOf(this.#number, this.#count);
    const handle = await this.#call(`open ${path}`, ['ENOENT'], () =>
      fs.open(path, { read: true, write: true, truncate: false }),
    );
    if (handle === null) return;
    const size =
      act === 'overwrite'
        ? dice(8) * CELL
        : (await this.#call(`fstat ${path}`, [], () => fs.getAttributes(path, handle)))?.size;
    const done = await this.#call(`write ${path}`, [], () => fs.write(handle, Buffer.from(stamp), size ?? 0));
    await this.#close(handle, path, done === null ? null : stamp);
  }

  async #read(path: string): Promise<void> {
    const { fs, dice } = this.#stage;
    const handle = await this.#call(`open ${path}`, ['ENOENT'], () =>
      fs.open(path, { read: true, write: false, truncate: false }),
    );
    if (handle === null) return;
    await hops(dice(5));
    await this.#call(`read ${path}`, [], () => fs.read(handle, Buffer.alloc(WHOLE), 0));
    await this.#close(handle, path, null);
  }

  /** `written`: the stamp that the handle has brought; null: none. Whether that is stored now. */
  async #close(handle: FileHandle, path: string, written: string | null): Promise<boolean> {
    const { fs, told } = this.#stage;
    const flushed = await this.#call(`flush ${path}`, [], async () => {
      await fs.flush(handle);
      return true;
    });
    const released = await this.#call(`release ${path}`, [], async () => {
      await fs.release(handle);
      return true;
    });
    if (written === null || flushed === null) return false;
    told.stored(written);
    return released !== null;
  }

  #rename(from: string, to: string, noReplace = false): Promise<void> {
    const events = [
      { path: from, leaves: null, sparesForeign: true },
      { path: to, leaves: MOVED },
    ];
    return this.#changing(events, () =>
      this.#call(`rename ${from} ${to}`, noReplace ? ['ENOENT', 'EEXIST'] : ['ENOENT'], () =>
        this.#stage.fs.rename(from, to, noReplace),
      ),
    );
  }

  /** Renames a folder. */
  #turn(from: string, to: string): Promise<void> {
    const events = [
      { path: `${from}/x`, leaves: null, sparesForeign: true, putsBack: true },
      // Nothing may come, and somebody may have stored a file in a folder that this mount did not know: that stays.
      { path: `${to}/x`, leaves: TURNED, sparesForeign: true },
    ];
    return this.#changing(events, () =>
      this.#call(`rename ${from} ${to}`, ['ENOENT', 'ENOTEMPTY'], () =>
        this.#stage.fs.rename(from, to, false),
      ),
    );
  }

  async #foreign(path: string): Promise<void> {
    this.#count += 1;
    const stamp = stampOf(this.#number, this.#count);
    await this.#changing([{ path, leaves: stamp, isForeign: true }], () =>
      this.#stage.storeForeign(path, Buffer.from(stamp.repeat(WHOLE / CELL))),
    );
  }

  /** Notes when `change` ran, and as failed when it gave null or false. */
  async #changing(
    made: readonly Omit<PathEvent, 'begun' | 'ended' | 'failed'>[],
    change: () => Promise<unknown>,
  ): Promise<void> {
    const { events } = this.#stage;
    const begun = events.tick();
    const result = await change();
    const hasFailed = result === null || result === false;
    const now = events.tick();
    const times = hasFailed ? { ended: Infinity, failed: now } : { ended: now };
    for (const event of made) events.add({ ...event, begun, ...times });
  }

  /** Null when it was refused in a way that is allowed. */
  async #call<Result>(
    title: string,
    allowed: readonly ErrnoName[],
    run: () => Promise<Result>,
  ): Promise<Result | null> {
    const { pending, always, told } = this.#stage;
    const name = `p${this.#number}: ${title}`;
    pending.add(name);
    try {
      return await run();
    } catch (error) {
      const code = error instanceof FsError ? error.code : null;
      if (error instanceof FsError && STORES.test(title)) told.refused(error);
      const isConflict = code === 'ESTALE' && STORES_WRITTEN.test(title);
      const mayHear = code !== null && always.has(code) && (!isConflict || this.#stage.conflictsFail);
      if (code !== null && (allowed.includes(code) || mayHear)) return null;
      if (code === 'EIO' && this.#stage.linksMayFail && STORES.test(title)) return null;
      throw new Error(`${name} must not hear ${String(error)}`, { cause: error });
    } finally {
      pending.delete(name);
    }
  }
}
