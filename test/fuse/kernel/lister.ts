/** What does a kernel do that remembers the listings of a folder? */
import { MemoryFileSystem } from '../../support/memory-file-system.ts';
import { KernelSide, readRequest, u32, u64 } from './kernel-side.ts';

export const ROOT = 1;
/** What OPENDIR may allow, bit by bit. */
export const REMEMBER = 8;
export const GO_ON = 2;
const ROOM = 4096;
const ENTRY_BYTES = 128;
const getattr = u32(0, 0);

interface Place {
  readonly name: string;
  readonly next: number;
}

export class Lister {
  readonly files = new MemoryFileSystem();
  readonly kernel = new KernelSide(this.files);

  /** A kernel that has found these files at the top, and trusts what it is told for a minute. */
  static async of(...names: readonly string[]): Promise<Lister> {
    const lister = new Lister();
    const { files, kernel } = lister;
    kernel.context.trust.names = true;
    files.trust(60_000);
    await kernel.succeed('getattr', ROOT, getattr, u64(0));
    for (const name of names) await kernel.make(name);
    return lister;
  }

  async open(): Promise<{ readonly fh: number; readonly flags: number }> {
    const body = await this.kernel.succeed('opendir', ROOT, u32(0, 0));
    return { fh: Number(body.readBigUInt64LE(0)), flags: body.readUInt32LE(8) };
  }

  async read(
    fh: number,
    offset: number,
    operation: 'readdir' | 'readdirplus' = 'readdirplus',
  ): Promise<Place[]> {
    const body = await this.kernel.succeed(operation, ROOT, readRequest(fh, offset, ROOM));
    const prefix = operation === 'readdirplus' ? ENTRY_BYTES : 0;
    const places: Place[] = [];
    for (let at = 0; at < body.length;) {
      const start = at + prefix;
      const length = body.readUInt32LE(start + 16);
      const name = body.toString('utf8', start + 24, start + 24 + length);
      places.push({ name, next: Number(body.readBigUInt64LE(start + 8)) });
      at += Math.ceil((prefix + 24 + length) / 8) * 8;
    }
    return places;
  }

  close(fh: number): Promise<unknown> {
    return this.kernel.succeed('releasedir', ROOT, u64(fh), u32(0, 0), u64(0));
  }

  /** To the end, as a kernel does that has nothing; what OPENDIR allowed. */
  async list(operation: 'readdir' | 'readdirplus' = 'readdirplus'): Promise<number> {
    const { fh, flags } = await this.open();
    let last: Place | undefined;
    for (let offset = 0; ; offset = last.next) {
      last = (await this.read(fh, offset, operation)).at(-1);
      if (last === undefined) break;
    }
    await this.close(fh);
    return flags;
  }

  /** What OPENDIR allows. */
  async flags(): Promise<number> {
    const { fh, flags } = await this.open();
    await this.close(fh);
    return flags;
  }
}
