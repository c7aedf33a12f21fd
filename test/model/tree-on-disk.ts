/**
 * Does a mount that trusts nothing for any time show exactly what the service has, whoever put it there? The simple sister of the
 * tree model: with a TTL of 0 there is one allowed answer.
 */
import { appendFile, mkdir, readdir, readFile, rmdir, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ObjectService } from '../../src/service/object-service.ts';
import { parentOf } from '../../src/store/keys.ts';
import { uploadOf } from '../support/embedded-service.ts';
import { bytesUnder, namesBelow } from './service-contents.ts';
import type { TreeOperation } from './tree-operations.ts';
import { outcome, UniqueContents } from './tree-program.ts';

export interface TreeOnDiskParts {
  /** Of the mount. */
  readonly root: string;
  /** Where the run plays: an existing folder at the top of the mount. */
  readonly folder: string;
  readonly service: ObjectService;
  readonly bucket: string;
}

export class TreeOnDisk {
  readonly #parts: TreeOnDiskParts;
  readonly #contents = new UniqueContents();

  constructor(parts: TreeOnDiskParts) {
    this.#parts = parts;
  }

  /** Operations that need a clock, visibility or open files are passed over. */
  async run(operation: TreeOperation): Promise<void> {
    const { service, bucket } = this.#parts;
    switch (operation.kind) {
      case 'foreignPut':
        await service.putObject(bucket, this.#key(operation.path), uploadOf(this.#contents.next('foreign')));
        break;
      case 'foreignDelete':
        await service.deleteObject(bucket, this.#key(operation.path));
        break;
      case 'read':
        return this.#read(operation.path);
      case 'stat':
        return this.#stat(operation.path);
      case 'list':
        return this.#list(operation.path);
      case 'write':
        return this.#write(operation.path);
      case 'append':
        return this.#append(operation.path);
      case 'unlink':
        return this.#remove(operation.path, unlink);
      case 'rmdir':
        return this.#rmdir(operation.path);
      case 'mkdir':
        return this.#mkdir(operation.path);
      case 'rename':
      case 'getVisibility':
      case 'setVisibility':
      case 'foreignVisibility':
      case 'hold':
      case 'heldRead':
      case 'heldClose':
      case 'advance':
        return;
    }
  }

  async #read(path: string): Promise<void> {
    const stored = await this.#stored(path);
    const code = await outcome(async () => {
      expect(await readFile(this.#real(path), 'utf8')).toBe(stored);
    });
    expect(code).toBe(stored === null ? 'ENOENT' : 'none');
  }

  async #stat(path: string): Promise<void> {
    const stored = await this.#stored(path);
    const exists = stored !== null || (await this.#folders()).has(path);
    const code = await outcome(async () => {
      const found = await stat(this.#real(path));
      expect(found.isDirectory() ? null : found.size).toBe(stored?.length ?? null);
    });
    expect(code).toBe(exists ? 'none' : 'ENOENT');
  }

  async #list(path: string): Promise<void> {
    const children = await this.#children(path);
    const exists = path === '/' || (await this.#folders()).has(path);
    const code = await outcome(async () => {
      expect((await readdir(this.#real(path))).sort()).toEqual(children.sort());
    });
    expect(code).toBe(exists ? 'none' : 'ENOENT');
  }

  async #write(path: string): Promise<void> {
    const content = this.#contents.next('own');
    const hasPlace = await this.#exists(parentOf(path));
    const code = await outcome(() => writeFile(this.#real(path), content));
    expect(code).toBe(hasPlace ? 'none' : 'ENOENT');
    if (hasPlace) expect(await this.#stored(path)).toBe(content);
  }

  async #append(path: string): Promise<void> {
    const piece = this.#contents.next('+');
    const stored = await this.#stored(path);
    const hasPlace = await this.#exists(parentOf(path));
    const code = await outcome(() => appendFile(this.#real(path), piece));
    expect(code).toBe(hasPlace ? 'none' : 'ENOENT');
    if (hasPlace) expect(await this.#stored(path)).toBe(`${stored ?? ''}${piece}`);
  }

  async #mkdir(path: string): Promise<void> {
    const exists = await this.#exists(path);
    const hasPlace = await this.#exists(parentOf(path));
    const code = await outcome(() => mkdir(this.#real(path)));
    expect(code).toBe(exists ? 'EEXIST' : hasPlace ? 'none' : 'ENOENT');
    if (hasPlace) expect([...(await this.#folders())]).toContain(path);
  }

  async #rmdir(path: string): Promise<void> {
    if ((await this.#children(path)).length > 0)
      expect(await outcome(() => rmdir(this.#real(path)))).toBe('ENOTEMPTY');
    else await this.#remove(path, rmdir);
  }

  async #remove(path: string, remove: (real: string) => Promise<void>): Promise<void> {
    const exists = await this.#exists(path);
    const code = await outcome(() => remove(this.#real(path)));
    expect(code).toBe(exists ? 'none' : 'ENOENT');
    // The driver may put off for a moment the deletion of a file whose last descriptor the kernel has not given back yet.
    await expect.poll(() => this.#exists(path)).toBe(false);
  }

  async #stored(path: string): Promise<string | null> {
    const bytes = await bytesUnder(this.#parts.service, this.#parts.bucket, this.#key(path));
    return bytes === null ? null : bytes.toString();
  }

  async #exists(path: string): Promise<boolean> {
    return path === '/' || (await this.#stored(path)) !== null || (await this.#folders()).has(path);
  }

  async #folders(): Promise<Set<string>> {
    const { folders } = await this.#names();
    return new Set([...folders].map((folder) => folder.slice(this.#parts.folder.length, -1)));
  }

  async #children(path: string): Promise<string[]> {
    const { files, folders } = await this.#names();
    const paths = [...files, ...folders].map((key) =>
      key.slice(this.#parts.folder.length).replace(/\/$/, ''),
    );
    return paths
      .filter((child) => parentOf(child) === path)
      .map((child) => child.slice(child.lastIndexOf('/') + 1));
  }

  #names(): ReturnType<typeof namesBelow> {
    return namesBelow(this.#parts.service, this.#parts.bucket, this.#parts.folder);
  }

  #key(path: string): string {
    return `${this.#parts.folder}${path}`;
  }

  #real(path: string): string {
    return join(this.#parts.root, this.#parts.folder, path);
  }
}
