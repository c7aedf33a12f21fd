/** What is written? Files on the local disk, made once for all rounds. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { md5 } from '../contents/file-sets.ts';
import { run } from '../frame/programs.ts';
import { makeFolder } from '../frame/temporary-folder.ts';
import { requireGoingOn } from '../frame/undoing.ts';
import type { ExpectedFile } from '../store/held-files.ts';

/** A file on the local disk and what the store must hold of it. */
export interface Source extends ExpectedFile {
  /** On the local disk. */
  readonly path: string;
}

export interface SmallSource extends Source {
  readonly bytes: Uint8Array;
}

/** They go when everything is undone. */
export interface Sources {
  /** In folders of 100, under `tree/`. */
  readonly tree: readonly SmallSource[];
  /** `tree` in one archive. */
  readonly archive: string;
  /** At the top. */
  readonly many: readonly SmallSource[];
  /** `big`. */
  readonly big: Source;
}

/** How much of everything. */
export interface SourceSizes {
  readonly treeFiles: number;
  readonly manyFiles: number;
  readonly bigBytes: number;
}

const FILES_A_FOLDER = 100;
const TREE_FILE_BYTES = 4096;
const MANY_FILE_BYTES = 64 * 1024;
const PIECE_BYTES = 1024 * 1024;
const LIMIT_MS = 60_000;

export async function makeSources(sizes: SourceSizes): Promise<Sources> {
  const folder = makeFolder('sources').path;
  const tree = await makeFiles(folder, sizes.treeFiles, TREE_FILE_BYTES, (index) => {
    const name = `file-${String(index).padStart(4, '0')}.dat`;
    return `tree/folder-${Math.floor(index / FILES_A_FOLDER)}/${name}`;
  });
  const many = await makeFiles(folder, sizes.manyFiles, MANY_FILE_BYTES, (index) => `file-${index}.dat`);
  const archive = path.join(folder, 'tree.tar');
  await run('tar', ['-cf', archive, '-C', folder, 'tree'], LIMIT_MS);
  const big = await makeBig(path.join(folder, 'big'), sizes.bigBytes);
  return { tree, archive, many, big };
}

async function makeFiles(
  folder: string,
  count: number,
  size: number,
  keyOf: (index: number) => string,
): Promise<readonly SmallSource[]> {
  const files: SmallSource[] = [];
  for (let index = 0; index < count; index += 1) {
    requireGoingOn();
    const key = keyOf(index);
    const [bytes, local] = [randomBytes(size), path.join(folder, key)];
    await mkdir(path.dirname(local), { recursive: true });
    await writeFile(local, bytes);
    files.push({ key, size, etag: md5(bytes), path: local, bytes });
  }
  return files;
}

async function makeBig(local: string, size: number): Promise<Source> {
  const piece = randomBytes(PIECE_BYTES);
  const hash = createHash('md5');
  const file = await open(local, 'w');
  try {
    for (let written = 0; written < size; written += PIECE_BYTES) {
      const part = piece.subarray(0, size - written);
      hash.update(part);
      await file.writeFile(part);
    }
  } finally {
    await file.close();
  }
  return { key: 'big', size, etag: hash.digest('hex'), path: local };
}
