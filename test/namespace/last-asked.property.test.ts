/** SEMANTICS: what a look or a listing says of a name was so lately, however long requests are on their way, and in whatever order they come. */
import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { FolderMemory, NamesRoom } from '../../src/namespace/folder-memory.ts';
import type { Found } from '../../src/namespace/entries.ts';
import { Namespace } from '../../src/namespace/namespace.ts';
import { BucketStore } from '../../src/store/bucket-store.ts';
import { createGates } from '../../src/store/gates.ts';
import { Version } from '../../src/store/version.ts';
import { openEmbeddedService, uploadOf, type EmbeddedService } from '../support/embedded-service.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { NameHistory, type StateOfName } from '../support/name-history.ts';
import { nothingKept } from '../support/nothing-kept.ts';
import { PROPERTY_TIMEOUT, propertySettings } from '../support/property-settings.ts';
import { SlowAnswers } from '../support/slow-answers.ts';

const NAMES = ['a', 'c', 'f', 'h'];
/** Longer than any listing here takes: for so long one may be trusted beyond the TTL. Milliseconds. */
const LONGEST_LISTING = 15_000;
/** Half of a request's way, at most. Milliseconds. */
const SLOWEST = 600;

const acts = ['store', 'delete', 'make folder', 'remove folder', 'look', 'head'] as const;

type Step =
  | { readonly kind: (typeof acts)[number]; readonly name: string; readonly isOwn: boolean }
  | { readonly kind: 'list' | 'refresh' }
  | { readonly kind: 'pass'; readonly share: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 14,
    arbitrary: fc.record({
      kind: fc.constantFrom(...acts, 'store' as const, 'delete' as const, 'look' as const, 'look' as const),
      name: fc.constantFrom(...NAMES),
      isOwn: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('list' as const, 'refresh' as const) }) },
  // Most of them shorter than a request takes, some about as long as the TTL.
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
);

it(
  'what is said of a name was there after it was asked for, or before by no more than the TTL [fresh/last-asked] [fresh/own-changes]',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          ttl: fc.constantFrom(0, 3000, 60_000),
          pageSize: fc.constantFrom(3, 100),
          hidesKey: fc.boolean(),
        }),
        fc.infiniteStream(fc.integer({ min: 0, max: SLOWEST })),
        fc.array(step, { minLength: 30, maxLength: 60, size: 'max' }),
        async (settings, delays, steps) => {
          const run = await Run.begin(settings, delays);
          for (const one of steps) await run.play(one);
          await run.end();
        },
      ),
      propertySettings(1000),
    );
  },
  PROPERTY_TIMEOUT,
);

interface RunSettings {
  readonly ttl: number;
  readonly pageSize: number;
  /** Whether the folder holds a key that no directory shows. */
  readonly hidesKey: boolean;
}

class Run {
  readonly #service: EmbeddedService;
  readonly #answers: SlowAnswers;
  readonly #clock: ManualClock;
  readonly #ttl: number;
  readonly #namespace: Namespace;
  readonly #histories = new Map(NAMES.map((name) => [name, new NameHistory()]));
  readonly #asked: Promise<void>[] = [];
  #size = 0;

  static async begin({ ttl, pageSize, hidesKey }: RunSettings, delays: Iterator<number>): Promise<Run> {
    const clocks = [new ManualClock(), new ManualClock()] as const;
    const service = await openEmbeddedService({ clock: clocks[1] });
    for (const key of ['d/k', 'd/z', ...(hidesKey ? ['d//x'] : [])]) {
      await service.direct.putObject(service.bucket, key, uploadOf('x'));
    }
    const delay = (): number => (delays.next() as IteratorYieldResult<number>).value;
    const answers = new SlowAnswers({ service: service.service, clocks, pageSize, delay });
    return new Run(service, answers, clocks[0], ttl);
  }

  private constructor(service: EmbeddedService, answers: SlowAnswers, clock: ManualClock, ttl: number) {
    this.#service = service;
    this.#answers = answers;
    this.#clock = clock;
    this.#ttl = ttl;
    this.#namespace = new Namespace({
      store: new BucketStore(answers, service.bucket, createGates()),
      clock,
      log: silentLog,
      ttl,
      folders: new FolderMemory(new NamesRoom(1_000_000)),
      locals: nothingKept,
    });
  }

  async play(one: Step): Promise<void> {
    // No two things happen at one moment: nobody could say which of them was first.
    await this.#answers.pass(0.001);
    switch (one.kind) {
      case 'pass':
        return this.#answers.pass(one.share < 0.7 ? one.share * 1000 : one.share * this.#ttl * 1.3);
      case 'refresh':
        this.#namespace.refresh('/');
        return;
      case 'list':
        this.#asked.push(this.#list());
        return;
      case 'look':
        this.#asked.push(this.#look(one.name));
        return;
      case 'head':
        this.#asked.push(this.#namespace.confirmFile(`/d/${one.name}`).then(() => undefined));
        return;
      case 'store':
      case 'delete':
      case 'make folder':
      case 'remove folder':
        await this.#change(one.kind, one.name, one.isOwn);
    }
  }

  /** Everything is answered; and what is asked long afterwards is answered as it is. */
  async end(): Promise<void> {
    await this.#answered();
    await this.#answers.pass(this.#ttl + LONGEST_LISTING);
    for (const name of NAMES) this.#asked.push(this.#look(name));
    await this.#answered();
  }

  async #answered(): Promise<void> {
    const all = Promise.all(this.#asked);
    const end = { isReached: false };
    all.finally(() => (end.isReached = true)).catch(() => undefined);
    while (!end.isReached) await this.#answers.pass(SLOWEST);
    await all;
  }

  async #look(name: string): Promise<void> {
    const asked = this.#clock.monotonic();
    this.#expectLately(name, await this.#namespace.lookup(`/d/${name}`), asked);
  }

  async #list(): Promise<void> {
    const asked = this.#clock.monotonic();
    const folder = await this.#namespace.list('/d');
    for (const name of NAMES) this.#expectLately(name, folder.recall(name), asked);
  }

  #expectLately(name: string, found: Found | undefined, asked: number): void {
    const age = this.#ttl === 0 ? 0 : this.#ttl + LONGEST_LISTING;
    expect(this.#historyOf(name).statesFor(asked, this.#clock.monotonic(), age)).toContain(stateOf(found));
  }

  async #change(kind: (typeof acts)[number], name: string, isOwn: boolean): Promise<void> {
    const history = this.#historyOf(name);
    const { direct, bucket } = this.#service;
    const path = `/d/${name}`;
    const { known } = this.#namespace;
    const set = (state: StateOfName): void => {
      history.set({ at: this.#clock.monotonic(), state, isOwn });
    };
    if (kind === 'store' && history.state !== 'folder') {
      this.#size += 1;
      const text = 'x'.repeat(this.#size);
      await direct.putObject(bucket, path.slice(1), uploadOf(text));
      if (isOwn) known.changed(path, { kind: 'file', version: uploaded(text, this.#clock.now()) });
      set(`file ${this.#size}`);
    } else if (kind === 'delete' && history.state.startsWith('file')) {
      await direct.deleteObject(bucket, path.slice(1));
      if (isOwn) known.changed(path, { kind: 'missing' });
      set('missing');
    } else if (kind === 'make folder' && history.state === 'missing') {
      await direct.createFolder(bucket, path.slice(1));
      if (isOwn) known.folderMade(path);
      set('folder');
    } else if (kind === 'remove folder' && history.state === 'folder') {
      await direct.deleteObject(bucket, `${path.slice(1)}/`);
      if (isOwn) known.folderRemoved(path);
      set('missing');
    }
  }

  #historyOf(name: string): NameHistory {
    return this.#histories.get(name) ?? new NameHistory();
  }
}

function uploaded(text: string, now: number): Version {
  const md5 = createHash('md5').update(text).digest('hex');
  const own = { size: text.length, md5, storedWithin: null, contentType: 'text/plain' };
  return Version.uploaded(own, new Date(now));
}

function stateOf(found: Found | undefined): string {
  return found?.kind === 'file' ? `file ${found.version.size}` : (found?.kind ?? 'nothing');
}
