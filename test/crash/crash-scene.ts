/** Where do crash tests happen? A service in the test's process, mounts that can be killed, and what they leave from one to the next. */
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { EmbeddedStore } from '../../src/server/embedded-store.ts';
import { startServer, type RunningServer } from '../../src/server/start-server.ts';
import type { ObjectService } from '../../src/service/object-service.ts';
import { heldByService } from '../support/held-files.ts';
import { mountForTest, type MountedDirectory } from '../support/mounted.ts';
import { defaultSettings } from '../support/open-for-test.ts';
import type { CrashPailMessage, CrashPailOptions } from './crash-pail.ts';
import { leftBehind, type LeftBehind } from './left-behind.ts';
import { WatchedService } from './watched-service.ts';
import type { HeldFile, Step, World } from './world.ts';

/** When close promises: once the service has the file, or once this machine has. */
export type Mode = 'write-through' | 'write-back';

const LINES_SHOWN = 40;

/** Cleared away by itself at the end of the test. */
export class CrashScene {
  readonly direct: ObjectService;
  readonly bucket: string;
  readonly watched: WatchedService;
  /** For what a test keeps. */
  readonly home: string;
  readonly #mode: Mode;
  #server: RunningServer | undefined;
  #mounted: MountedDirectory | undefined;
  #mounts = 0;

  private constructor(mode: Mode, home: string, store: EmbeddedStore, bucket: string) {
    this.#mode = mode;
    this.home = home;
    this.direct = store.account();
    this.bucket = bucket;
    this.watched = new WatchedService(store.account(), () => this.inFlight());
  }

  /** What programs are waiting for; a test that has programs says so. */
  inFlight: () => readonly Step[] = () => [];

  static async open(mode: Mode): Promise<CrashScene> {
    const home = await mkdtemp(join(tmpdir(), 'pailfs-crash-'));
    await mkdir(join(home, 'state'));
    const store = await EmbeddedStore.open();
    const { bucket } = await store.account().createBucket('photos');
    const scene = new CrashScene(mode, home, store, bucket);
    const server = await startServer({ source: scene.watched.service });
    scene.#server = server;
    onTestFinished(async () => {
      await scene.#mounted?.dispose();
      await scene.watched.end(false);
      await server.close();
      await store.close();
      await rm(home, { recursive: true, force: true });
    });
    return scene;
  }

  /** How many mounts there were. */
  get mounts(): number {
    return this.#mounts;
  }

  async mount(): Promise<MountedDirectory> {
    this.#mounts += 1;
    const { baseUrl, credentials } = this.#served;
    const settings = { ...defaultSettings(''), writeBack: this.#mode === 'write-back' };
    const options: CrashPailOptions = {
      baseUrl,
      credentials,
      bucket: this.bucket,
      stateHome: join(this.home, 'state'),
      settings,
      logFile: this.#logFile,
    };
    const module = new URL('./crash-pail.ts', import.meta.url);
    this.#mounted = await mountForTest({ module, options });
    return this.#mounted;
  }

  /** kill -9. What it asked last is done all the same or given up, but before the next mount. */
  async kill(mounted: MountedDirectory, isApplied: boolean): Promise<void> {
    await mounted.kill();
    await mounted.dispose();
    this.#mounted = undefined;
    await this.watched.end(isApplied);
  }

  /** Mounts, lets it finish what is left, and unmounts. */
  async recover(): Promise<void> {
    const mounted = await this.mount();
    await mounted.call({ ask: 'settle' } satisfies CrashPailMessage);
    await this.unmount(mounted);
  }

  /** In peace: nothing may be left to do. */
  async unmount(mounted: MountedDirectory): Promise<void> {
    await mounted.unmount();
    await mounted.closed;
    const unsent = await mounted.call({ ask: 'close' } satisfies CrashPailMessage);
    mounted.leave();
    await mounted.ended;
    await mounted.dispose();
    this.#mounted = undefined;
    if (JSON.stringify(unsent) !== '[]') throw new Error(`not stored: ${JSON.stringify(unsent)}`);
  }

  leftBehind(): Promise<LeftBehind> {
    return leftBehind(join(this.home, 'state'));
  }

  /** All that the service holds below `folder` (empty: everything). */
  async found(folder: string): Promise<World> {
    const held = await heldByService(this.direct, this.bucket, folder);
    const found = new Map<string, HeldFile>();
    for (const [name, hash] of Object.entries(held)) {
      if (name.endsWith('/')) continue;
      const key = folder === '' ? name : `${folder}/${name}`;
      const { visibility } = await this.direct.getVisibility(this.bucket, key);
      found.set(key, { hash, isPublic: visibility === 'public', madeIn: null });
    }
    return found;
  }

  /** What the last mounts logged, for a failure's message. */
  async log(): Promise<string> {
    const lines = (await readFile(this.#logFile, 'utf8').catch(() => '')).split('\n');
    return lines.slice(-LINES_SHOWN).join('\n');
  }

  get #logFile(): string {
    return join(this.home, 'log');
  }

  get #served(): RunningServer {
    if (this.#server === undefined) throw new Error('the server does not run yet');
    return this.#server;
  }
}
