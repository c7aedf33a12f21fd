/**
 * How does a test make system calls below a directory, a mounted one or any other? With node:fs, asynchronously; what node does
 * not offer (extended attributes, renameat2) by small programs.
 */
import { execFile } from 'node:child_process';
import type { Stats } from 'node:fs';
import * as disk from 'node:fs/promises';
import { PosixError, type Posix, type PosixFile, type PosixStat, type PosixStatfs } from './posix.ts';

const PERMISSION_BITS = 0o7777;

/** How programs put errors into words. */
const MESSAGES: readonly (readonly [RegExp, string])[] = [
  [/No such attribute/, 'ENODATA'],
  [/Operation not supported/, 'ENOTSUP'],
  [/Read-only file system/, 'EROFS'],
  [/Invalid argument/, 'EINVAL'],
  [/No such file or directory/, 'ENOENT'],
  [/File exists/, 'EEXIST'],
];

const NO_REPLACE = `
  use Config;
  my $call = $Config{archname} =~ /^aarch64/ ? 276 : 316;
  exit 0 if syscall($call, -100, $ARGV[0], -100, $ARGV[1], 1) == 0;
  print STDERR "$!\\n";
  exit 1;
`;

export class PosixOnDisk implements Posix {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  async open(path: string, flags: number, mode = 0o666): Promise<PosixFile> {
    return new DescriptorOnDisk(await disk.open(this.#at(path), flags, mode));
  }

  async stat(path: string): Promise<PosixStat> {
    return statOf(await disk.stat(this.#at(path)));
  }

  async readdir(path: string): Promise<string[]> {
    return (await disk.readdir(this.#at(path))).sort();
  }

  async mkdir(path: string, mode = 0o777): Promise<void> {
    await disk.mkdir(this.#at(path), { mode });
  }

  rmdir(path: string): Promise<void> {
    return disk.rmdir(this.#at(path));
  }

  unlink(path: string): Promise<void> {
    return disk.unlink(this.#at(path));
  }

  rename(from: string, to: string): Promise<void> {
    return disk.rename(this.#at(from), this.#at(to));
  }

  async renameNoReplace(from: string, to: string): Promise<void> {
    await run('perl', ['-e', NO_REPLACE, this.#at(from), this.#at(to)]);
  }

  truncate(path: string, size: number): Promise<void> {
    return disk.truncate(this.#at(path), size);
  }

  chmod(path: string, mode: number): Promise<void> {
    return disk.chmod(this.#at(path), mode);
  }

  utimes(path: string, atimeMs: number, mtimeMs: number): Promise<void> {
    return disk.utimes(this.#at(path), atimeMs / 1000, mtimeMs / 1000);
  }

  getxattr(path: string, name: string): Promise<Buffer> {
    return run('getfattr', ['--absolute-names', '--only-values', '-n', name, '--', this.#at(path)]);
  }

  async setxattr(path: string, name: string, value: string): Promise<void> {
    await run('setfattr', ['-n', name, '-v', value, '--', this.#at(path)]);
  }

  async listxattr(path: string): Promise<string[]> {
    const output = await run('getfattr', ['--absolute-names', '-m', '-', '--', this.#at(path)]);
    return output
      .toString()
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('# file:'));
  }

  async removexattr(path: string, name: string): Promise<void> {
    await run('setfattr', ['-x', name, '--', this.#at(path)]);
  }

  async statfs(path: string): Promise<PosixStatfs> {
    const { bsize, blocks, bfree } = await disk.statfs(this.#at(path));
    return { blockSize: bsize, blocks, freeBlocks: bfree };
  }

  #at(path: string): string {
    return `${this.#root}${path}`;
  }
}

class DescriptorOnDisk implements PosixFile {
  readonly #handle: disk.FileHandle;

  constructor(handle: disk.FileHandle) {
    this.#handle = handle;
  }

  async read(length: number, position?: number): Promise<Buffer> {
    const { buffer, bytesRead } = await this.#handle.read(Buffer.alloc(length), 0, length, position ?? null);
    return buffer.subarray(0, bytesRead);
  }

  async write(data: string | Uint8Array, position?: number): Promise<number> {
    const bytes = Buffer.from(data);
    return (await this.#handle.write(bytes, 0, bytes.length, position ?? null)).bytesWritten;
  }

  truncate(size: number): Promise<void> {
    return this.#handle.truncate(size);
  }

  async stat(): Promise<PosixStat> {
    return statOf(await this.#handle.stat());
  }

  sync(): Promise<void> {
    return this.#handle.sync();
  }

  chmod(mode: number): Promise<void> {
    return this.#handle.chmod(mode);
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

function statOf(stat: Stats): PosixStat {
  return {
    kind: stat.isDirectory() ? 'folder' : 'file',
    size: stat.isDirectory() ? 0 : stat.size,
    mode: stat.mode & PERMISSION_BITS,
    atimeMs: stat.atimeMs,
    mtimeMs: stat.mtimeMs,
  };
}

/** What the program printed. Rejects with the errno that its message stands for. */
function run(program: string, parameters: readonly string[]): Promise<Buffer> {
  const settings = { env: { ...process.env, LC_ALL: 'C' }, encoding: 'buffer' as const };
  return new Promise((resolve, reject) => {
    execFile(program, parameters, settings, (error, output, errors) => {
      if (error === null) {
        resolve(output);
        return;
      }
      const message = errors.toString();
      const code = MESSAGES.find(([pattern]) => pattern.test(message))?.[1];
      reject(
        code === undefined
          ? new Error(`${program}: ${message}`, { cause: error })
          : new PosixError(code, message),
      );
    });
  });
}
