/**
 * One write path again and again with write-back, each time with another request that fails. What a close or an unlink has promised
 * fails in the background: nobody is told but who asks, and it is stored in the end.
 */
import type { UnsentChange } from '../../../src/filesystem/unsent/unsent-change.ts';
import { drained } from '../../support/drained.ts';
import { closing, readFile } from '../../support/open-for-test.ts';
import type { OverHttp } from '../../support/open-over-http.ts';
import { errnoOfCall, openToEdit, xattr } from '../../support/program-acts.ts';
import { ruleOf, type Trial } from './fault-trials.ts';
import { TrialStage, type PathRequest } from './trial-stage.ts';
import type { Program, WritePath } from './write-paths.ts';

/** Longer than an upload waits for its turn, milliseconds. */
const TURN = 200;
/** Longer than anything waits for its next try, milliseconds. */
const LONGEST_WAIT = 301_000;
/** What a program has been told of. */
const TOLD: ReadonlySet<UnsentChange['state']> = new Set(['failed', 'end unknown']);
/** Changes in these states are not tried before some time has passed. */
const RESTING: ReadonlySet<UnsentChange['state']> = new Set(['failed', 'end unknown', 'set aside', 'local']);

export class PromiseTrials {
  readonly #http: OverHttp;
  readonly #path: WritePath;
  readonly #stage: TrialStage;

  constructor(http: OverHttp, path: WritePath) {
    this.#http = http;
    this.#path = path;
    this.#stage = new TrialStage(http, path);
  }

  get problems(): readonly string[] {
    return this.#stage.problems;
  }

  /** The requests of the path and of what it has promised, when nothing goes wrong. */
  requests(): Promise<PathRequest[]> {
    return this.#stage.requests(() => drained(this.#http.mounted));
  }

  async run(trial: Trial): Promise<void> {
    const { faults, fail } = this.#http;
    const program = await this.#stage.begin();
    const { taken } = faults;
    fail(ruleOf(trial, program.folder));
    const told = await this.#patiently(trial, errnoOfCall(this.#path.act(program)));
    if (told !== 'none' && told !== trial.errno)
      this.#problem(trial, `the program is told ${told}, not ${trial.errno}`);
    await this.#patiently(trial, this.#turn(trial, program, told === 'none' ? taken : faults.taken));
    if (faults.taken === taken) this.#problem(trial, 'the request was not made');
    await this.#stage.expectWhole(trial.title, program.folder);
    for (const change of await this.#stage.unsentOf(program)) await this.#expectShown(trial, program, change);
    faults.clear();
    if (trial.fault.fault.kind === 'stall') await this.#http.endStalled();
    await this.#recover(trial, program, told);
    // Nothing waits for its time any more.
    this.#http.pass(LONGEST_WAIT);
  }

  async end(): Promise<void> {
    await this.#stage.expectNothingLeft();
  }

  /** What waits is tried once; what a program was told of as failed once more. Until then so many faults had been `taken`. */
  async #turn({ fault }: Trial, program: Program, taken: number): Promise<void> {
    const told = (await this.#stage.unsentOf(program)).filter(
      // The undoing of a rename waits for longer.
      ({ kind, state }) => kind !== 'rename' && TOLD.has(state),
    );
    this.#http.pass(TURN);
    for (;;) {
      const unsent = await this.#stage.unsentOf(program);
      const hasFailed = this.#http.faults.taken > taken;
      const isTried = hasFailed || !told.some(({ id }) => unsent.some((change) => change.id === id));
      // What is set aside is nowhere for a moment.
      const isAside =
        fault.isRefusal !== true ||
        !hasFailed ||
        unsent.some(({ kind, state }) => kind === 'link' || state === 'set aside');
      if (isTried && isAside && unsent.every(({ state }) => RESTING.has(state))) return;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  /** What failed says so to whoever asks, and what was promised is what the path shows, or nothing for what was unlinked. */
  async #expectShown(trial: Trial, program: Program, change: UnsentChange): Promise<void> {
    const { path, kind, state } = change;
    if (path === null || kind === 'scratch' || kind === 'rename') return;
    const { fs } = program;
    const name = path.slice(program.folder.length + 2);
    const isRefused = state === 'set aside';
    if (kind !== 'link' && isRefused !== (trial.fault.isRefusal === true))
      this.#problem(trial, `${path} is ${state}`);
    const reading = readFile(fs, path).then(String, () => undefined);
    const shown = await this.#patiently(trial, reading);
    const wanted = isRefused
      ? this.#path.before[name]
      : (this.#path.after[name] ?? this.#path.between?.[name]);
    if (shown !== wanted?.text) this.#problem(trial, `${path} shows "${String(shown)}"`);
    if (shown === undefined || kind === 'delete') return;
    if ((await xattr(fs, path, 'user.pailfs.state')) !== 'failed')
      this.#problem(trial, `${path} is not failed`);
    if ((await xattr(fs, path, 'user.pailfs.error')) === '') this.#problem(trial, `${path} does not say why`);
    const errno = isRefused || !trial.isOnce ? trial.errno : 'none';
    const synced = openToEdit(fs, path).then((handle) => closing(fs, handle, () => fs.fsync(handle)));
    const told = await this.#patiently(trial, errnoOfCall(synced));
    if (told !== errno) this.#problem(trial, `fsync of ${path} is told ${told}, not ${errno}`);
  }

  /** The fault is over: what waits is stored by itself, what was refused when a person asks for it, and the rest by trying again. */
  async #recover(trial: Trial, program: Program, told: string): Promise<void> {
    const { mounted } = this.#http;
    const refused = (await this.#stage.unsentOf(program)).filter(({ state }) => state === 'set aside');
    const idsOf = (kind: UnsentChange['kind']): string[] =>
      refused.filter((change) => change.kind === kind).map(({ id }) => id);
    await mounted.unsent.retry(idsOf('upload'));
    const kept = idsOf('delete');
    await mounted.unsent.discard(kept);
    await drained(mounted);
    if (told !== 'none' || kept.length > 0) {
      const again = await errnoOfCall(this.#path.act(program));
      await drained(mounted);
      const mayStay = !trial.isOnce && this.#path.mayStayInTheWay === true;
      if (!(await this.#stage.expectTriedAgain(trial.title, program, { told: again, mayStay }))) return;
    }
    await this.#stage.expectEnd(trial.title, program);
  }

  #patiently<Result>({ fault }: Trial, work: Promise<Result>): Promise<Result> {
    return fault.fault.kind === 'stall' ? this.#http.impatiently(work) : work;
  }

  #problem({ title }: Trial, what: string): void {
    this.#stage.problem(title, what);
  }
}
