/**
 * SEMANTICS: a public file is edited, written anew and renamed over, by uploads that fail now and then, until its mount is killed at any
 * moment. The next mount stores what was closed last, or what came after, and the link is there; with PAILFS_CRASH_SEED as in an earlier
 * run, as far as a machine's timing allows.
 */
import { describe, expect, it } from 'vitest';
import type { FileSystemOperations } from '../../src/filesystem/operations.ts';
import { Chance } from '../crash/chance.ts';
import { diskNow } from '../support/after-a-crash.ts';
import { InterceptedService, type Interceptor } from '../support/intercepted-service.ts';
import { writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { errnoOfCall, openToEdit, openToRewrite, writeAt } from '../support/program-acts.ts';
import { goneOn, stateOf, store, withPublicFile } from '../support/public-file.ts';

const KILLS = Number(process.env['PAILFS_CRASH_KILLS'] ?? 200);
const SEED = Number(process.env['PAILFS_CRASH_SEED'] ?? Date.now() % 1_000_000);
/** Milliseconds that an answer takes at most; that pass between two acts; and after which a mount is killed. */
const ANSWER = 12;
const PAUSE = 15;
const LIFE = { least: 20, most: 220 };

type Act = 'edit' | 'rewrite' | 'rename';
const ACTS: readonly Act[] = ['edit', 'rewrite', 'rename'];

describe.each([true, false])('with write-back %s', (writeBack) => {
  it(`${KILLS} kills cost no link and no bytes that were closed, seed ${SEED} [crash/link] [crash/promised]`, async () => {
    for (let kill = 0; kill < KILLS; kill += 1) {
      const life = new Life(new Chance(SEED + kill), writeBack);

      const { text, visibility } = await life.lived();

      const told = `kill ${kill} of seed ${SEED}: ${text}, ${visibility}; ${life.story.join('; ')}`;
      expect([life.acceptable.has(text), visibility], told).toEqual([true, 'public']);
    }
  });
});

/** One mount, from its first act to what the next one has made of it. */
class Life {
  readonly #chance: Chance;
  readonly #writeBack: boolean;
  /** What may be stored in the end. */
  readonly acceptable = new Set(['old']);
  readonly story: string[] = [];
  #isKilled = false;
  #scene: FileSystemForTest | null = null;

  constructor(chance: Chance, writeBack: boolean) {
    this.#chance = chance;
    this.#writeBack = writeBack;
  }

  async lived(): Promise<{ readonly text: string; readonly visibility: string }> {
    const settings = { writeBack: this.#writeBack };
    const scene = await withPublicFile({
      settings,
      between: (service) => new InterceptedService(service, this.#intercept),
    });
    this.#scene = scene;
    const acts = this.#act(scene);
    await after(this.#chance.between(LIFE.least, LIFE.most));
    this.#isKilled = true;
    this.story.push('killed');
    // What was on its way to the local disk has got there, or not.
    await after(PAUSE);
    const disk = await diskNow(scene);
    await goneOn(disk, scene, settings);
    void acts.catch(() => undefined);
    const [text = '', visibility = ''] = await stateOf(scene);
    return { text, visibility };
  }

  /** The service answers late, refuses, loses an answer, and says nothing any more to the dead. */
  readonly #intercept: Interceptor = async (call, proceed) => {
    if (this.#isDead()) return never();
    await after(this.#chance.between(0, ANSWER));
    const changes = call.operation === 'putObject' || call.operation === 'setVisibility';
    if (changes && this.#chance.isOnceIn(4)) {
      const fault = this.#chance.pick([{ kind: 'lost-answer' }, { kind: 'status', status: 429 }] as const);
      this.story.push(`${call.operation}: ${fault.kind}`);
      this.#scene?.faults.add({ operation: call.operation, times: 1, fault });
      return proceed();
    }
    const answer = await proceed();
    if (changes) this.story.push(call.operation);
    return this.#isDead() ? never() : answer;
  };

  /** Asked anew after each wait. */
  #isDead(): boolean {
    return this.#isKilled;
  }

  async #act(scene: FileSystemForTest): Promise<void> {
    for (let number = 1; !this.#isDead(); number += 1) {
      const text = `n${number}`.padEnd(4, '.');
      const before = [...this.acceptable];
      this.acceptable.add(text);
      const kind = this.#chance.pick(ACTS);
      const code = await this.#write(scene.fs, kind, text);
      this.story.push(`${kind} ${text}: ${code}`);
      if (code === 'none' && !this.#isDead()) for (const each of before) this.acceptable.delete(each);
      if (this.#chance.isOnceIn(2)) store(scene);
      await after(this.#chance.between(0, PAUSE));
    }
  }

  /** Returns the name of the error that the program heard of; `none` when it was told that all is well. */
  async #write(fs: FileSystemOperations, kind: Act, text: string): Promise<string> {
    if (kind === 'rename') {
      const written = await errnoOfCall(writeFile(fs, '/t', text));
      return written === 'none' ? errnoOfCall(fs.rename('/t', '/f', false)) : written;
    }
    const handle = kind === 'edit' ? await openToEdit(fs, '/f') : await openToRewrite(fs, '/f');
    await writeAt(fs, handle, text);
    const code = await errnoOfCall(this.#chance.isOnceIn(3) ? fs.fsync(handle) : fs.flush(handle));
    await fs.release(handle);
    return code;
  }
}

function after(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
