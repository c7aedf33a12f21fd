/**
 * SEMANTICS: a mount that is killed again and again while programs write. What a close or an fsync has promised is on the service
 * in the end, whole; what was cut is there whole or not at all.
 */
import { createHash, randomInt } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { namesBelow } from '../model/service-contents.ts';
import { CommandLine, goneProcess } from '../support/command-line.ts';
import { bytesOf, startEmbeddedServer } from '../support/embedded-service.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';

const KILLS = 10;
const WRITERS = 3;
/** Each writer goes on with the same few names: most files replace one. */
const NAMES = 8;
const MAX_BYTES = 300_000;
/** Uploads that may begin between two kills. */
const MAX_UPLOADS = 12;
/** For a busy machine, milliseconds. */
const PATIENCE = 30_000;

interface Promised {
  /** What the last close or fsync that returned has promised; null: nothing. */
  hash: string | null;
  /** What was written since, and may be there instead. */
  readonly begun: Set<string>;
}

/** What the files of one directory must hold. */
class Manifest {
  readonly files = new Map<string, Promised>();

  begins(name: string, hash: string): void {
    const known = this.files.get(name) ?? { hash: null, begun: new Set() };
    known.begun.add(hash);
    this.files.set(name, known);
  }

  promised(name: string, hash: string): void {
    this.files.set(name, { hash, begun: new Set() });
  }
}

const hashOf = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('hex');

/** Writes until a call fails: then the mount is dead. */
async function writeOn(directory: string, manifest: Manifest, writer: number): Promise<void> {
  for (let number = 0; ; number += 1) {
    const name = `${writer}-${number % NAMES}`;
    const bytes = patternedBytes(randomInt(1, MAX_BYTES));
    // No two contents are equal.
    bytes.set(Buffer.from(`${writer} ${number} ${randomInt(2 ** 40)}`.slice(0, bytes.length)));
    const hash = hashOf(bytes);
    manifest.begins(name, hash);
    try {
      await writeOne(join(directory, name), bytes, number % 2 === 0);
    } catch {
      return;
    }
    manifest.promised(name, hash);
  }
}

async function writeOne(path: string, bytes: Uint8Array, withSync: boolean): Promise<void> {
  const file = await open(path, 'w');
  try {
    await file.writeFile(bytes);
    if (withSync) await file.sync();
  } finally {
    await file.close();
  }
}

it(
  'killed ten times, loses nothing that it has promised, and stores no half file [crash/promised]',
  { timeout: 300_000 },
  async () => {
    const server = await startEmbeddedServer();
    const { direct, bucket, requests } = server;
    const at = await CommandLine.open(server);
    const manifest = new Manifest();

    for (let kill = 0; kill < KILLS; kill += 1) {
      expect((await at.run(['mount', 'photos', at.mountpoint])).code).toBe(0);
      const pid = await at.servingProcess();
      const uploads = requests.count('putObject') + randomInt(1, MAX_UPLOADS);
      const writers = Array.from({ length: WRITERS }, (_, writer) =>
        writeOn(at.mountpoint, manifest, writer),
      );
      const isTime = () => requests.count('putObject') >= uploads;
      await expect.poll(isTime, { timeout: PATIENCE, interval: 1 }).toBe(true);
      process.kill(pid, 'SIGKILL');
      await goneProcess(pid);
      await Promise.all(writers);
    }
    expect((await at.run(['mount', 'photos', at.mountpoint])).code).toBe(0);
    expect(await at.run(['unmount', at.mountpoint])).toMatchObject({ code: 0 });

    let promised = 0;
    for (const [name, { hash, begun }] of manifest.files) {
      const object = await direct.getObject(bucket, name).catch(() => null);
      const found = object === null ? null : hashOf(await bytesOf(object.body));
      expect([hash, ...begun], name).toContain(found);
      if (hash !== null) promised += 1;
    }
    expect(promised).toBeGreaterThan(0);
    const { files } = await namesBelow(direct, bucket, '');
    expect([...files].filter((key) => !manifest.files.has(key))).toEqual([]);
  },
);
