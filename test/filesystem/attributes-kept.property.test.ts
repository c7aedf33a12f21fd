/** SEMANTICS: whatever was done, the next mount on this machine shows the attributes that this one showed. */
import { rm } from 'node:fs/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { openFileSystem, type MountedFileSystem } from '../../src/filesystem/open-file-system.ts';
import type { FileSystemOperations } from '../../src/filesystem/operations.ts';
import { entriesOf } from '../support/directory-entries.ts';
import { openEmbeddedService, uploadOf, type EmbeddedService } from '../support/embedded-service.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { defaultSettings, names, writeFile } from '../support/open-for-test.ts';
import { propertySettings } from '../support/property-settings.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const TTL = 10_000;

/** The folders have files that nothing here touches: whether an emptied folder stays is told elsewhere. */
const THERE = ['a', 'd/a', 'd/e/a', 'd/stays', 'd/e/stays'];
const path = fc.constantFrom('/a', '/b', '/d', '/d/a', '/d/e', '/d/e/a');
const content = fc.constantFrom('x', 'y', 'long');
const act = fc.oneof(
  fc.record({ what: fc.constant('write' as const), path, content }),
  fc.record({ what: fc.constant('chmod' as const), path, mode: fc.nat(0o777) }),
  fc.record({ what: fc.constant('utimes' as const), path, mtime: fc.nat(1e9) }),
  fc.record({ what: fc.constant('mkdir' as const), path, mode: fc.constantFrom(0o700, 0o755) }),
  fc.record({ what: fc.constant('rename' as const), path, to: path }),
  fc.record({ what: fc.constantFrom('unlink' as const, 'rmdir' as const, 'list' as const), path }),
  fc.record({ what: fc.constant('foreign write' as const), path, content }),
  fc.record({ what: fc.constant('foreign delete' as const), path }),
  fc.record({ what: fc.constantFrom('wait' as const, 'remount' as const) }),
);
type Act = typeof act extends fc.Arbitrary<infer Value> ? Value : never;

class Machine {
  readonly #embedded: EmbeddedService;
  readonly #stateDirectory: string;
  readonly #clock = new ManualClock(Date.UTC(2030, 0, 1));
  #mounted: MountedFileSystem | null = null;
  #startedAt = 0;

  constructor(embedded: EmbeddedService, stateDirectory: string) {
    this.#embedded = embedded;
    this.#stateDirectory = stateDirectory;
  }

  async begin(): Promise<void> {
    const { direct, bucket } = this.#embedded;
    for (const key of THERE) await direct.putObject(bucket, key, uploadOf(key));
    await this.remount();
  }

  async remount(): Promise<void> {
    await this.#mounted?.close({ patience: 60_000 });
    this.#clock.advance(1);
    this.#startedAt = this.#clock.now();
    this.#mounted = await openFileSystem({
      service: this.#embedded.service,
      bucket: await this.#embedded.direct.getBucket(this.#embedded.bucket),
      clock: this.#clock,
      log: silentLog,
      settings: defaultSettings(this.#stateDirectory),
    });
    this.#clock.advance(1);
  }

  async close(): Promise<void> {
    await this.#mounted?.close({ patience: 60_000 });
    await rm(this.#stateDirectory, { recursive: true });
  }

  async run(one: Act): Promise<void> {
    this.#clock.advance(1);
    const { direct, bucket } = this.#embedded;
    switch (one.what) {
      case 'write':
        return writeFile(this.#fs, one.path, one.content);
      case 'chmod':
        return this.#fs.setAttributes(one.path, { mode: one.mode });
      case 'utimes':
        return this.#fs.setAttributes(one.path, { mtime: one.mtime, atime: one.mtime });
      case 'mkdir':
        return this.#fs.mkdir(one.path, one.mode);
      case 'rename':
        return this.#fs.rename(one.path, one.to, false);
      case 'unlink':
        return this.#fs.unlink(one.path);
      case 'rmdir':
        return this.#fs.rmdir(one.path);
      case 'list':
        await names(this.#fs, one.path);
        return;
      case 'foreign write':
        await direct.putObject(bucket, one.path.slice(1), uploadOf(one.content));
        return;
      case 'foreign delete':
        await direct.deleteObject(bucket, one.path.slice(1));
        return;
      case 'wait':
        this.#clock.advance(TTL);
        return;
      case 'remount':
        return this.remount();
    }
  }

  /** What a program sees of everything; the times of folders that nothing moved are those of the mount. */
  async seen(): Promise<unknown[]> {
    this.#clock.advance(TTL);
    const seen: unknown[] = [];
    const look = async (folder: string): Promise<void> => {
      for (const { name, attributes } of await entriesOf(this.#fs, folder)) {
        const at = `${folder}/${name}`.replace('//', '/');
        const { kind, mode, mtime, atime, ctime } = attributes;
        const times = [mtime, atime, ctime].map((time) => (time === this.#startedAt ? 'start' : time));
        seen.push({ at, kind, mode, times });
        if (kind === 'folder') await look(at);
      }
    };
    await look('/');
    return seen.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }

  get #fs(): FileSystemOperations {
    if (this.#mounted === null) throw new Error('not mounted');
    return this.#mounted.operations;
  }
}

it('what is seen of any files and folders is seen after a remount, too [attributes/remount]', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 20 }), async (acts) => {
      const machine = new Machine(await openEmbeddedService(), await temporaryDirectory());
      await machine.begin();
      // Which calls are refused is told elsewhere.
      for (const one of acts) await machine.run(one).catch(() => undefined);
      const before = await machine.seen();

      await machine.remount();

      expect(await machine.seen()).toEqual(before);
      await machine.close();
    }),
    propertySettings(60),
  );
});
