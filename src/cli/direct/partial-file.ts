/**
 * What of a download is there already, and of which version? `NAME.part` holds the bytes until they are all there, and
 * `NAME.part.json` says what they are: without it nobody may go on with them.
 */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { systemErrorCode } from '../../base/errors.ts';
import { MAX_NAME_BYTES } from '../../store/keys.ts';
import { CommandError, exitCodes } from '../command-error.ts';
import { isRunning, ownIdentity } from '../found-mounts/process-identity.ts';
import {
  isSameOrigin,
  partWithRecord,
  readRecord,
  recordOf,
  requireNoneElse,
  writeRecord,
  type Origin,
  type PartRecord,
} from './part-record.ts';

interface OpenPart {
  readonly target: string;
  readonly path: string;
  readonly handle: FileHandle;
  readonly access: Access | null;
  readonly length: number;
}

/** What a change of mode or owner ends with that the user may not make, or the disk does not know; EINVAL: an owner unknown in here. */
const REFUSED: ReadonlySet<string> = new Set(['EPERM', 'EINVAL', 'ENOTSUP', 'ENOSYS']);

export class PartialFile {
  /** Where the bytes are until they are all there. */
  readonly path: string;
  readonly #target: string;
  readonly #handle: FileHandle;
  /** Of the file whose place it takes. */
  readonly #access: Access | null;
  #length: number;

  private constructor({ target, path, handle, access, length }: OpenPart) {
    this.#target = target;
    this.path = path;
    this.#handle = handle;
    this.#access = access;
    this.#length = length;
  }

  /** Rejects with a `CommandError` when something else has the name, or with a Node system error. */
  static async open(target: string, origin: Origin): Promise<PartialFile> {
    const part = partOf(target);
    await requireNoPart(target);
    await requireNoneElse(part);
    const known = await readRecord(part);
    if (known === undefined && (await exists(part))) {
      throw new CommandError(
        exitCodes.failed,
        `${part} is there, and no download says that it is its: remove it`,
      );
    }
    const by = await ownIdentity();
    if (known?.by !== undefined && known.by.pid !== by.pid && (await isRunning(known.by))) throw taken(part);
    const isSame = known !== undefined && isSameOrigin(known, origin);
    // Before the first byte of another version.
    if (!isSame) await rm(part, { force: true });
    await writeRecord(part, { ...origin, by });
    const handle = isSame ? await openPart(part, 0) : await openNewPart(part, { ...origin, by });
    const access = await accessTo(target);
    // Nobody may read meanwhile who may not read it then; we may go on with it some other time.
    if (access !== null) await setMode(handle, (access.mode & 0o700) | 0o600);
    const { size } = await handle.stat();
    return new PartialFile({ target, path: part, handle, length: size, access });
  }

  /** Bytes that are there, from the beginning. */
  get length(): number {
    return this.#length;
  }

  async truncate(): Promise<void> {
    await this.#handle.truncate(0);
    this.#length = 0;
  }

  async write(data: Uint8Array, position: number): Promise<void> {
    for (let written = 0; written < data.length;) {
      const { bytesWritten } = await this.#handle.write(
        data,
        written,
        data.length - written,
        position + written,
      );
      written += bytesWritten;
    }
    this.#length = position + data.length;
  }

  /** All bytes are there: the target has them, in place of what it was. */
  async finish(): Promise<void> {
    await this.#handle.sync();
    await this.#requireOwn();
    await requireNoPart(this.#target);
    if (this.#access !== null) await grant(this.#handle, this.#access);
    await rename(this.path, this.#target);
    await rm(recordOf(this.path), { force: true });
  }

  /** Nothing has come: there is nothing to go on with. What another download has put in its place by now stays. */
  async discard(): Promise<void> {
    if (!(await exists(this.path)) || !(await this.#isOwn())) return;
    await rm(this.path, { force: true });
    await rm(recordOf(this.path), { force: true });
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  /** Two that began in the same moment may both have found nobody. */
  async #requireOwn(): Promise<void> {
    if (!(await this.#isOwn())) throw taken(this.path);
  }

  async #isOwn(): Promise<boolean> {
    const [own, named] = [await this.#handle.stat(), await stat(this.path)];
    return own.ino === named.ino && own.dev === named.dev;
  }
}

function openPart(part: string, flag: number): Promise<FileHandle> {
  return open(part, constants.O_RDWR | constants.O_CREAT | flag);
}

/** `record`: what has just been written of it. */
async function openNewPart(part: string, record: PartRecord): Promise<FileHandle> {
  try {
    return await openPart(part, constants.O_EXCL);
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error;
    // Of two that began in the same moment: the bytes are those of the other one, which nobody may go on with as these.
    const noted = await readRecord(part);
    const isOurs = noted?.by?.pid === record.by?.pid && noted !== undefined && isSameOrigin(noted, record);
    if (isOurs) await rm(recordOf(part), { force: true });
    throw taken(part);
  }
}

/**
 * Bytes under the name where those of another download wait would be taken for them, and its end be put behind them; those under the name
 * of its record would be removed when it ends.
 */
async function requireNoPart(target: string): Promise<void> {
  const part = target.endsWith('.part') ? target : partWithRecord(target);
  if (part === undefined || (await readRecord(part)) === undefined) return;
  throw new CommandError(
    exitCodes.failed,
    `${target} is where another pailfs get puts what it fetches: let that go on first, or remove ${recordOf(part)}`,
  );
}

function taken(part: string): CommandError {
  return new CommandError(exitCodes.failed, `another pailfs get writes ${part}: wait for its end`);
}

interface Access {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/** Null: there is no such file. */
async function accessTo(target: string): Promise<Access | null> {
  try {
    const { mode, uid, gid } = await stat(target);
    return { mode: mode & 0o777, uid, gid };
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Who may read a file that is replaced does not change; where it cannot be given its owner or its group, nobody may read more. */
async function grant(file: FileHandle, { mode, uid, gid }: Access): Promise<void> {
  const own = await file.stat();
  const isOther = own.uid !== uid || own.gid !== gid;
  if (isOther && !(await unlessRefused(file.chown(uid, gid)))) await unlessRefused(file.chown(own.uid, gid));
  const hasGroup = (await file.stat()).gid === gid;
  await setMode(file, hasGroup ? mode : mode & (0o707 | ((mode & 0o007) << 3)));
}

/** Some disks know no modes, and refuse to change them: there all files have the same. */
async function setMode(file: FileHandle, mode: number): Promise<void> {
  await unlessRefused(file.chmod(mode));
}

/** Whether the change was made; false: the user, or the disk, may not. Rejects with any other error of the disk. */
async function unlessRefused(change: Promise<void>): Promise<boolean> {
  try {
    await change;
    return true;
  } catch (error) {
    if (REFUSED.has(systemErrorCode(error) ?? '')) return false;
    throw error;
  }
}

/** A name that leaves no room for the ending is replaced by its hash. */
function partOf(target: string): string {
  const name = basename(target);
  if (Buffer.byteLength(`${name}.part.json`) <= MAX_NAME_BYTES) return `${target}.part`;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 16);
  return join(dirname(target), `${hash}.part`);
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return false;
    throw error;
  }
}
