/** How does a test get a file system in process over a client, a connection and a server? On clocks that only it moves. */
import { access, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { HttpService } from '../../src/client/http-service.ts';
import { openFileSystem, type MountedFileSystem } from '../../src/filesystem/open-file-system.ts';
import type { FileSystemSettings } from '../../src/filesystem/settings.ts';
import type { AccessLevel } from '../../src/server/credentials.ts';
import type { StoreOptions } from '../../src/server/embedded-store.ts';
import type { FaultRule } from '../../src/server/faults.ts';
import { startEmbeddedServer, type EmbeddedServer } from './embedded-service.ts';
import { FailingDisk } from './failing-disk.ts';
import { InterceptedService } from './intercepted-service.ts';
import { ManualClock } from './manual-clock.ts';
import { defaultSettings } from './open-for-test.ts';
import { removeDirectory } from './remove-directory.ts';

/** Memory, where there is any: what is to be seen here is not how long a disk takes. */
const MEMORY_DISK = '/dev/shm';
/** Longer than every deadline of the client, milliseconds. */
const LONGER_THAN_ANY_DEADLINE = 61_000;
/** So often in turn nothing but the silent is under way: between two requests a program may be at the local disk. */
const QUIET_LOOKS = 5;
/** What else is asked for may wait for what is silent. */
const MOST_LOOKS = 40;
/** So many tries in all; the waits between them take no time here. */
const TRIES = 3;

export interface OverHttp extends EmbeddedServer {
  readonly mounted: MountedFileSystem;
  readonly disk: FailingDisk;
  /** From now on `rule` alone hits requests. */
  readonly fail: (rule: FaultRule) => void;
  /**
   * Settles as `work`, while requests are hit by stalls alone: whenever one is, or was before by the same rule and nobody has ended
   * it, the client's patience ends. Nothing else ends it, however busy the machine.
   */
  readonly impatiently: <Result>(work: Promise<Result>) => Promise<Result>;
  /** Nothing is believed that the file system knows. */
  readonly forget: () => void;
  /** The client's patience with whatever is silent now ends. */
  readonly endStalled: () => Promise<void>;
  /** On the file system's clock, milliseconds. */
  readonly pass: (milliseconds: number) => void;
}

/** Ends with the test. */
export async function openOverHttp(
  settings: Partial<FileSystemSettings> = {},
  store: StoreOptions = {},
  access: AccessLevel = 'read-write',
): Promise<OverHttp> {
  const embedded = await startEmbeddedServer(store);
  const clock = new ManualClock();
  const service = HttpService.open({
    baseUrl: embedded.baseUrl,
    credentials: access === 'read' ? embedded.readOnlyCredentials : embedded.credentials,
    clock,
    random: () => 0,
    log: silentLog,
    retry: { retries: TRIES - 1, firstWait: 1, longestWait: 1 },
  });
  onTestFinished(() => service.close());
  const disk = new FailingDisk();
  const ownClock = new ManualClock(Date.now());
  const directory = await mkdtemp(join(await scratchPlace(), 'pailfs-test-'));
  const underWay = { calls: 0 };
  const mounted = await openFileSystem({
    service: new InterceptedService(service, async (_call, proceed) => {
      underWay.calls += 1;
      try {
        return await proceed();
      } finally {
        underWay.calls -= 1;
      }
    }),
    bucket: await embedded.direct.getBucket(embedded.bucket),
    clock: ownClock,
    log: silentLog,
    settings: { ...defaultSettings(directory), ...settings },
    localFiles: disk,
  });
  onTestFinished(async () => {
    await mounted.close({ patience: 1000 });
    await removeDirectory(directory);
  });
  const forget = (): void => {
    mounted.refresh('/');
    // What is learned from now on is younger.
    ownClock.advance(1);
  };
  const pass = (milliseconds: number): void => {
    ownClock.advance(milliseconds);
  };
  const stalls = new Stalls(embedded.faults, clock, underWay);
  return {
    ...embedded,
    mounted,
    disk,
    forget,
    pass,
    fail: (rule) => {
      stalls.fail(rule);
    },
    endStalled: () => stalls.end(),
    impatiently: (work) => stalls.endWhile(work),
  };
}

/** What is silent, and for how long. */
class Stalls {
  readonly #faults: EmbeddedServer['faults'];
  readonly #clock: ManualClock;
  readonly #underWay: { readonly calls: number };
  /** Of the faults taken: those that are no stall under way. */
  #over = 0;

  constructor(faults: EmbeddedServer['faults'], clock: ManualClock, underWay: { readonly calls: number }) {
    this.#faults = faults;
    this.#clock = clock;
    this.#underWay = underWay;
  }

  fail(rule: FaultRule): void {
    this.#faults.clear();
    this.#over = this.#faults.taken;
    this.#faults.add(rule);
  }

  async end(): Promise<void> {
    const silent = this.#faults.taken - this.#over;
    this.#over = this.#faults.taken;
    // The clock is that of all: on a busy machine what was asked at the same time is still to be answered, and what follows it to be asked for.
    // By then the headers that may come before the silence have arrived, too.
    for (let [tries, quiet] = [0, 0]; quiet < QUIET_LOOKS && tries < MOST_LOOKS; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      quiet = this.#underWay.calls > silent ? 0 : quiet + 1;
    }
    this.#clock.advance(LONGER_THAN_ANY_DEADLINE);
  }

  async endWhile<Result>(work: Promise<Result>): Promise<Result> {
    const over = new AbortController();
    const end = (): void => {
      over.abort();
    };
    work.then(end, end);
    while (!over.signal.aborted) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      if (this.#faults.taken > this.#over) await this.end();
    }
    return work;
  }
}

async function scratchPlace(): Promise<string> {
  return access(MEMORY_DISK).then(
    () => MEMORY_DISK,
    () => tmpdir(),
  );
}
