/** One write path again and again, each time with another request that fails: what may not be, whatever fails? */
import type { UnsentChange } from '../../../src/filesystem/unsent/unsent-change.ts';
import type { FaultRule } from '../../../src/server/faults.ts';
import type { FailingDisk } from '../../support/failing-disk.ts';
import { closing, readFile } from '../../support/open-for-test.ts';
import type { OverHttp } from '../../support/open-over-http.ts';
import { errnoOfCall, openToEdit } from '../../support/program-acts.ts';
import type { RequestFault } from './faults.ts';
import { TrialStage, type PathRequest } from './trial-stage.ts';
import type { Program, WritePath } from './write-paths.ts';

export interface Trial {
  readonly request: PathRequest;
  readonly fault: RequestFault;
  readonly isOnce: boolean;
  /** What the program must be told; `none` for nothing. */
  readonly errno: string;
  /** What is said of it when something is wrong. */
  readonly title: string;
}

/** What an unmount must have made good. */
interface Deferred {
  readonly folder: string;
  readonly title: string;
}

export class FaultTrials {
  readonly #http: OverHttp;
  readonly #path: WritePath;
  readonly #stage: TrialStage;
  readonly #deferred: Deferred[] = [];

  constructor(http: OverHttp, path: WritePath) {
    this.#http = http;
    this.#path = path;
    this.#stage = new TrialStage(http, path);
  }

  /** One line for each thing that must not be. */
  get problems(): readonly string[] {
    return this.#stage.problems;
  }

  /** The requests of the path, when nothing goes wrong. */
  requests(): Promise<PathRequest[]> {
    return this.#stage.requests(() => Promise.resolve());
  }

  async run(trial: Trial): Promise<void> {
    const { faults, fail, impatiently } = this.#http;
    const program = await this.#stage.begin();
    const { taken } = faults;
    fail(ruleOf(trial, program.folder));
    const call = errnoOfCall(this.#path.act(program));
    const errno = await (trial.fault.fault.kind === 'stall' ? impatiently(call) : call);
    if (faults.taken === taken) this.#stage.problem(trial.title, 'the request was not made');
    if (errno !== trial.errno)
      this.#stage.problem(trial.title, `the program is told ${errno}, not ${trial.errno}`);
    await this.#stage.expectWhole(trial.title, program.folder);
    const unsent = await this.#stage.unsentOf(program);
    if (errno !== 'none') await this.#expectKept(trial, program, unsent);
    faults.clear();
    await this.#recover(trial, program, unsent, errno);
  }

  /** On a local disk that `fill` has made full, `act` ends with `errno`; nothing has changed then, and nothing is left behind. */
  async runOnFullDisk(title: string, fill: (disk: FailingDisk) => void, errno: string): Promise<void> {
    const { disk } = this.#http;
    const program = await this.#stage.begin();
    fill(disk);
    const told = await errnoOfCall(this.#path.act(program));
    disk.room = Infinity;
    disk.told = { free: Infinity, total: 0 };
    if (told !== errno) this.#stage.problem(title, `the program is told ${told}, not ${errno}`);
    if (told !== 'none') {
      await this.#stage.expectTree(`${title}, meanwhile`, program.folder, this.#path.before);
      for (const { path } of await this.#stage.unsentOf(program))
        this.#stage.problem(title, `${path ?? '?'} waits`);
      const again = await errnoOfCall(this.#path.act(program));
      if (again !== 'none') this.#stage.problem(title, `the next try is told ${again}`);
    }
    await this.#stage.expectEnd(title, program);
  }

  /** The mount ends: it stores what is left. */
  async end(): Promise<void> {
    await this.#stage.expectNothingLeft();
    for (const { folder, title } of this.#deferred) {
      if (this.#path.hasSteps === true) await this.#stage.expectWhole(`${title}, after the unmount`, folder);
      else await this.#stage.expectTree(`${title}, after the unmount`, folder, this.#path.after);
    }
  }

  /** What a call has taken is here: shown at its path, or, refused for good, set aside. */
  async #expectKept(trial: Trial, program: Program, unsent: readonly UnsentChange[]): Promise<void> {
    for (const name of program.accepted) {
      if (!unsent.some(({ path }) => path === program.path(name)))
        this.#stage.problem(trial.title, `the bytes of ${name} are not listed`);
    }
    for (const { path, kind, state, isWhole } of unsent) {
      if (path === null || kind !== 'upload') continue;
      if (!isWhole) this.#stage.problem(trial.title, `${path} is listed as half a file`);
      const isRefused = trial.fault.isRefusal === true;
      if (isRefused !== (state === 'set aside')) this.#stage.problem(trial.title, `${path} is ${state}`);
      if (isRefused) continue;
      const name = path.slice(program.folder.length + 2);
      const wanted = this.#path.after[name] ?? this.#path.between?.[name];
      const shown = (await readFile(program.fs, path)).toString();
      if (shown !== wanted?.text) this.#stage.problem(trial.title, `${path} shows "${shown}"`);
    }
  }

  /** The fault is over: what waits is stored by the next fsync, or by the unmount; what does not, by trying again. */
  async #recover(
    { title, isOnce }: Trial,
    program: Program,
    unsent: readonly UnsentChange[],
    errno: string,
  ): Promise<void> {
    // A rename that could not be undone yet is no file to sync: the next one of its folder goes on with it.
    const waiting = unsent.filter(({ kind, state }) => kind !== 'rename' && state !== 'set aside');
    if (waiting.length > 0 && this.#stage.count % 2 === 0) {
      this.#deferred.push({ folder: program.folder, title });
      return;
    }
    for (const { path } of waiting) if (path !== null) await this.#syncAndClose(title, program, path);
    if (errno !== 'none' && (waiting.length === 0 || this.#path.hasSteps === true)) {
      const again = await errnoOfCall(this.#path.act(program));
      const mayStay = !isOnce && this.#path.mayStayInTheWay === true;
      if (!(await this.#stage.expectTriedAgain(title, program, { told: again, mayStay }))) return;
    }
    await this.#stage.expectEnd(title, program);
  }

  async #syncAndClose(title: string, { fs }: Program, path: string): Promise<void> {
    const again = errnoOfCall(
      openToEdit(fs, path).then((handle) => closing(fs, handle, () => fs.fsync(handle))),
    );
    if ((await again) !== 'none') this.#stage.problem(title, `the next fsync is told ${await again}`);
  }
}

export function ruleOf({ request, fault, isOnce }: Trial, folder: string): FaultRule {
  return {
    operation: request.operation,
    key: folder + request.name,
    skip: request.nth,
    times: isOnce ? 1 : Infinity,
    fault: fault.fault,
  };
}
