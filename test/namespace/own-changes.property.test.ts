/** SEMANTICS: what this mount has changed is seen from then on, in whatever order the service's answers come in. */
import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { PathClaims } from '../../src/base/path-claims.ts';
import { FolderMemory, NamesRoom } from '../../src/namespace/folder-memory.ts';
import type { Found } from '../../src/namespace/entries.ts';
import { Namespace } from '../../src/namespace/namespace.ts';
import { BucketStore } from '../../src/store/bucket-store.ts';
import { createGates } from '../../src/store/gates.ts';
import { childOf, parentOf } from '../../src/store/keys.ts';
import { Version } from '../../src/store/version.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { PROPERTY_TIMEOUT, propertySettings } from '../support/property-settings.ts';
import { ScheduledBucket, type NameState } from '../support/scheduled-bucket.ts';
import { nothingKept } from '../support/nothing-kept.ts';

const FILES = ['/a', '/F/x', '/F/y', '/G/x'];
const FOLDERS = ['/F', '/G'];
const NAMES = [...FOLDERS, ...FILES];
const TTL = 10_000;

type Step =
  | { readonly kind: 'put' | 'delete'; readonly path: string; readonly answerLost: boolean }
  | { readonly kind: 'mkdir' | 'rmdir' | 'list'; readonly path: string }
  | { readonly kind: 'lookup'; readonly path: string }
  | { readonly kind: 'age' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('put' as const, 'put' as const, 'delete' as const),
      path: fc.constantFrom(...FILES),
      answerLost: fc.integer({ min: 0, max: 9 }).map((chance) => chance === 9),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('mkdir' as const, 'rmdir' as const),
      path: fc.constantFrom(...FOLDERS),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('lookup' as const), path: fc.constantFrom(...NAMES) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('list' as const), path: fc.constantFrom('/', ...FOLDERS) }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'age' as const }) },
);

it(
  'shows every own change to whoever looks after it, whatever the order in which answers are computed and delivered [fresh/own-changes]',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.record({ pageSize: fc.constantFrom(1000, 2, 1), ttl: fc.constantFrom(TTL, TTL, 0) }),
        fc.array(step, { minLength: 1, maxLength: 30, size: 'max' }),
        async (scheduler, settings, steps) => {
          await new Run(scheduler, settings).play(steps);
        },
      ),
      propertySettings(500),
    );
  },
  PROPERTY_TIMEOUT,
);

/** An own change between the moment at which the service did it and the moment at which the namespace was told. */
interface InFlight {
  readonly path: string;
  readonly began: number;
}

class Run {
  readonly #scheduler: fc.Scheduler;
  readonly #bucket: ScheduledBucket;
  readonly #clock = new ManualClock();
  readonly #claims = new PathClaims();
  readonly #namespace: Namespace;
  readonly #inFlight = new Set<InFlight>();
  /** The moment of the last end of a change directly inside a folder. */
  readonly #changedAt = new Map<string, number>();
  #files = 0;

  constructor(scheduler: fc.Scheduler, settings: { readonly pageSize: number; readonly ttl: number }) {
    this.#scheduler = scheduler;
    this.#bucket = new ScheduledBucket(scheduler, settings.pageSize);
    this.#namespace = new Namespace({
      store: new BucketStore(this.#bucket, 'photos', createGates()),
      clock: this.#clock,
      log: silentLog,
      ttl: settings.ttl,
      folders: new FolderMemory(new NamesRoom(10_000_000)),
      locals: nothingKept,
    });
  }

  async play(steps: readonly Step[]): Promise<void> {
    const failures: unknown[] = [];
    const ended = steps.map((step, index) =>
      this.#begin(step, index).catch((error: unknown) => failures.push(error)),
    );
    await this.#drain();
    await Promise.all(ended);
    expect(failures).toEqual([]);
    // Nothing is under way any more: what is remembered, or asked now, is what the service has.
    const last = NAMES.map((path) => this.#lookup(path));
    await this.#drain();
    await Promise.all(last);
  }

  /** Lets one thing after another happen, until nothing is under way. */
  async #drain(): Promise<void> {
    for (;;) {
      // What follows from an answer without another request has happened then.
      await new Promise((resolve) => setImmediate(resolve));
      this.#expectTrueMemory();
      if (this.#scheduler.count() === 0) return;
      await this.#scheduler.waitNext(1);
    }
  }

  async #begin(step: Step, index: number): Promise<void> {
    await this.#scheduler.schedule(Promise.resolve(), `step ${index}: ${JSON.stringify(step)}`);
    switch (step.kind) {
      case 'put':
      case 'delete':
        return this.#claims.run([step.path], () => this.#changeFile(step));
      case 'mkdir':
      case 'rmdir':
        return this.#claims.run([step.path], () => this.#changeFolder(step.path, step.kind === 'mkdir'));
      case 'lookup':
        return this.#lookup(step.path);
      case 'list':
        return this.#list(step.path);
      case 'age':
        this.#clock.advance(TTL);
    }
  }

  async #changeFile({ kind, path, answerLost }: Extract<Step, { answerLost: boolean }>): Promise<void> {
    const folder = parentOf(path);
    if (folder !== '/' && this.#bucket.state(folder) !== 'folder') return;
    this.#files += 1;
    const etag = createHash('md5').update(String(this.#files)).digest('hex');
    await this.#whileInFlight(path, () =>
      this.#bucket.change(path, kind === 'put' ? `file ${etag}` : 'missing'),
    );
    if (answerLost) this.#namespace.known.changed(path, { kind: 'unknown' });
    else if (kind === 'delete') this.#namespace.known.changed(path, { kind: 'missing' });
    else this.#namespace.known.changed(path, { kind: 'file', version: uploaded(etag) });
  }

  async #changeFolder(path: string, make: boolean): Promise<void> {
    const exists = this.#bucket.state(path) === 'folder';
    if (exists === make || this.#bucket.hasEntries(path)) return;
    await this.#whileInFlight(path, () => this.#bucket.change(path, make ? 'folder' : 'missing'));
    if (make) this.#namespace.known.folderMade(path);
    else this.#namespace.known.folderRemoved(path);
  }

  async #whileInFlight(path: string, change: () => Promise<void>): Promise<void> {
    const flight = { path, began: this.#bucket.mark() };
    this.#inFlight.add(flight);
    await change();
    this.#inFlight.delete(flight);
    this.#changedAt.set(parentOf(path), this.#bucket.mark());
  }

  async #lookup(path: string): Promise<void> {
    const since = this.#sinceNow(path);
    const found = await this.#namespace.lookup(path);
    expect(this.#bucket.statesSince(path, since), `lookup of ${path}`).toContain(stateOf(found));
  }

  async #list(path: string): Promise<void> {
    if (path !== '/' && this.#bucket.state(path) !== 'folder') return;
    const began = this.#bucket.mark();
    const joined = this.#bucket.walkBegan(path, true);
    const names = NAMES.filter((name) => parentOf(name) === path);
    const since = names.map((name) => this.#sinceNow(name));
    const folder = await this.#namespace.list(path);
    names.forEach((name, index) => {
      const entry = folder.recall(name.slice(name.lastIndexOf('/') + 1));
      if (entry === undefined) return;
      const allowed = this.#bucket.statesSince(name, since[index] ?? 0);
      expect(allowed, `${name} in the listing of ${path}`).toContain(stateOf(entry));
    });
    // Who reads along is told what was asked before.
    const asked = (this.#bucket.walkBegan(path) ?? 0) > began ? began : Math.min(began, joined ?? began);
    const undisturbed =
      (this.#changedAt.get(path) ?? 0) < asked &&
      ![...this.#inFlight].some((flight) => isIn(flight.path, path));
    if (!undisturbed) return;
    expect(folder.listed, `the listing of ${path}, in which nothing changed`).not.toBeNull();
    expect(this.#namespace.known.recall(childOf(path, 'never there'))?.kind).toBe('missing');
  }

  /** Fresh memory never differs from the service, but for changes of which the namespace was not told yet. */
  #expectTrueMemory(): void {
    for (const path of NAMES) {
      const entry = this.#namespace.known.recall(path);
      if (entry === undefined || !this.#namespace.known.isFresh(path, entry.confirmedAt)) continue;
      const allowed = this.#bucket.statesSince(path, this.#sinceNow(path));
      expect(allowed, `what is remembered of ${path}`).toContain(stateOf(entry));
    }
  }

  /** The moment from which on states may be shown to whoever looks now: a change in flight is not done yet. */
  #sinceNow(path: string): number {
    const began = [...this.#inFlight].filter((flight) => flight.path === path).map((flight) => flight.began);
    return Math.min(this.#bucket.mark(), ...began);
  }
}

function isIn(path: string, folder: string): boolean {
  return parentOf(path) === folder || path === folder;
}

function stateOf(found: Found): NameState {
  if (found.kind === 'file') return `file ${found.version.md5 ?? ''}`;
  return found.kind === 'folder' ? 'folder' : 'missing';
}

function uploaded(md5: string): Version {
  const own = { size: 1, md5, storedWithin: null, contentType: 'text/plain' };
  return Version.uploaded(own, new Date(Date.UTC(2026, 0, 1)));
}
