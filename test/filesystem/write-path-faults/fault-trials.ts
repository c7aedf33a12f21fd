/** One write path again and again, each time with another request that fails: what may not be, whatever fails? */
import type { UnsentChange } from '../../../src/filesystem/unsent-change.ts';
import type { FaultRule } from '../../../src/server/faults.ts';
import type { RequestRecord } from '../../../src/server/request-log.ts';
import type { FailingDisk } from '../../support/failing-disk.ts';
import { closing, names, readFile } from '../../support/open-for-test.ts';
import type { OverHttp } from '../../support/open-over-http.ts';
import { errnoOfCall, openToEdit } from '../../support/program-acts.ts';
import type { RequestFault } from './faults.ts';
import { differences, ServiceTree } from './service-tree.ts';
import { Program, type Tree, type WritePath } from './write-paths.ts';

/** The `nth` request of its kind about what is called `name` in the program's folder; the folder itself is ''. */
export interface PathRequest {
  readonly operation: RequestRecord['operation'];
  readonly name: string;
  readonly nth: number;
}

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
  /** One line for each thing that must not be. */
  readonly problems: string[] = [];
  readonly #http: OverHttp;
  readonly #path: WritePath;
  readonly #tree: ServiceTree;
  readonly #deferred: Deferred[] = [];
  #count = 0;

  constructor(http: OverHttp, path: WritePath) {
    this.#http = http;
    this.#path = path;
    this.#tree = new ServiceTree(http.direct, http.bucket);
  }

  /** The requests of the path, when nothing goes wrong. */
  async requests(): Promise<PathRequest[]> {
    await this.#proveRemoval();
    const program = await this.#begin();
    await this.#path.act(program);
    const seen = new Map<string, number>();
    const requests = this.#http.requests.all.map(({ operation, key, folder }) => {
      const subject = key ?? folder ?? '';
      if (!subject.startsWith(program.folder)) throw new Error(`${operation} ${subject} is not of the path`);
      const name = subject.slice(program.folder.length);
      const nth = seen.get(`${operation} ${name}`) ?? 0;
      seen.set(`${operation} ${name}`, nth + 1);
      return { operation, name, nth };
    });
    await this.#expectTree('without a fault', program.folder, this.#path.after);
    return requests;
  }

  async run(trial: Trial): Promise<void> {
    const { faults, impatiently } = this.#http;
    const program = await this.#begin();
    const { taken } = faults;
    faults.add(ruleOf(trial, program.folder));
    const call = errnoOfCall(this.#path.act(program));
    const errno = await (trial.fault.fault.kind === 'stall' ? impatiently(call) : call);
    if (faults.taken === taken) this.#problem(trial.title, 'the request was not made');
    if (errno !== trial.errno) this.#problem(trial.title, `the program is told ${errno}, not ${trial.errno}`);
    await this.#expectWhole(trial.title, program.folder);
    const unsent = await this.#unsentOf(program);
    if (errno !== 'none') await this.#expectKept(trial, program, unsent);
    faults.clear();
    await this.#recover(trial, program, unsent, errno);
  }

  /** On a local disk that `fill` has made full, `act` ends with `errno`; nothing has changed then, and nothing is left behind. */
  async runOnFullDisk(title: string, fill: (disk: FailingDisk) => void, errno: string): Promise<void> {
    const { disk } = this.#http;
    const program = await this.#begin();
    fill(disk);
    const told = await errnoOfCall(this.#path.act(program));
    disk.room = Infinity;
    disk.told = { free: Infinity, total: 0 };
    if (told !== errno) this.#problem(title, `the program is told ${told}, not ${errno}`);
    if (told !== 'none') {
      await this.#expectTree(`${title}, meanwhile`, program.folder, this.#path.before);
      for (const { path } of await this.#unsentOf(program)) this.#problem(title, `${path ?? '?'} waits`);
      const again = await errnoOfCall(this.#path.act(program));
      if (again !== 'none') this.#problem(title, `the next try is told ${again}`);
    }
    await this.#expectTree(title, program.folder, this.#path.after);
    await this.#expectAgreement(title, program);
  }

  /** The mount ends: it stores what is left. */
  async end(): Promise<void> {
    const left = await this.#http.mounted.close({ patience: 2000 });
    for (const { path, reason } of left) this.#problem('after the unmount', `${path} is left: ${reason}`);
    for (const { folder, title } of this.#deferred) {
      if (this.#path.hasSteps === true) await this.#expectWhole(`${title}, after the unmount`, folder);
      else await this.#expectTree(`${title}, after the unmount`, folder, this.#path.after);
    }
  }

  /** The first time that a folder is removed the mount looks whether this service does it. */
  async #proveRemoval(): Promise<void> {
    const { mounted, forget } = this.#http;
    await this.#tree.fill('proof', { 'd/': null });
    forget();
    for (const folder of ['/proof', '/proof/d']) await names(mounted.operations, folder);
    await mounted.operations.rmdir('/proof/d');
  }

  async #begin(): Promise<Program> {
    const { mounted, requests, forget } = this.#http;
    this.#count += 1;
    const folder = `r${this.#count}`;
    await this.#tree.fill(folder, this.#path.before);
    forget();
    if (this.#path.isKnown ?? true) await names(mounted.operations, `/${folder}`);
    requests.reset();
    return new Program(mounted.operations, folder);
  }

  /** The old bytes or the new ones, and nothing else, under every name; and no bytes are gone that are to stay. */
  async #expectWhole(title: string, folder: string): Promise<void> {
    const { before, after, between = {} } = this.#path;
    const found = await this.#tree.read(folder);
    for (const [name, file] of Object.entries(found)) {
      const allowed = [before[name], after[name], between[name]].filter((each) => each !== undefined);
      if (!allowed.some((each) => each?.text === file?.text))
        this.#problem(title, `${name} holds "${file?.text ?? 'a folder'}"`);
      if (file?.isPublic === true && !allowed.some((each) => each?.isPublic === true))
        this.#problem(title, `${name} is public`);
    }
    const texts = (tree: Tree): string[] => Object.values(tree).flatMap((file) => file?.text ?? []);
    for (const text of texts(before).filter((each) => texts(after).includes(each))) {
      if (!texts(found).includes(text)) this.#problem(title, `"${text}" is nowhere`);
    }
    for (const name of Object.keys(before)) {
      if (name in after && !(name in found)) this.#problem(title, `${name} is gone`);
    }
  }

  /** What a call has taken is here: shown at its path, or, refused for good, set aside. */
  async #expectKept(trial: Trial, program: Program, unsent: readonly UnsentChange[]): Promise<void> {
    for (const name of program.accepted) {
      if (!unsent.some(({ path }) => path === program.path(name)))
        this.#problem(trial.title, `the bytes of ${name} are not listed`);
    }
    for (const { path, kind, state, isWhole } of unsent) {
      if (path === null || kind !== 'upload') continue;
      if (!isWhole) this.#problem(trial.title, `${path} is listed as half a file`);
      const isRefused = trial.fault.isRefusal === true;
      if (isRefused !== (state === 'set aside')) this.#problem(trial.title, `${path} is ${state}`);
      if (isRefused) continue;
      const name = path.slice(program.folder.length + 2);
      const wanted = this.#path.after[name] ?? this.#path.between?.[name];
      const shown = (await readFile(program.fs, path)).toString();
      if (shown !== wanted?.text) this.#problem(trial.title, `${path} shows "${shown}"`);
    }
  }

  /** The fault is over: what waits is stored by the next fsync, or by the unmount; what does not, by trying again. */
  async #recover(
    { title, isOnce }: Trial,
    program: Program,
    unsent: readonly UnsentChange[],
    errno: string,
  ): Promise<void> {
    const waiting = unsent.filter(({ state }) => state !== 'set aside');
    if (waiting.length > 0 && this.#count % 2 === 0) {
      this.#deferred.push({ folder: program.folder, title });
      return;
    }
    for (const { path } of waiting) if (path !== null) await this.#syncAndClose(title, program, path);
    if (errno !== 'none' && (waiting.length === 0 || this.#path.hasSteps === true)) {
      const again = await errnoOfCall(this.#path.act(program));
      const isDone = differences(await this.#tree.read(program.folder), this.#path.after).length === 0;
      if (again !== 'none' && !isOnce && this.#path.mayStayInTheWay === true) {
        await this.#expectWhole(title, program.folder);
        return;
      }
      if (again !== 'none' && !isDone) this.#problem(title, `the next try is told ${again}`);
    }
    await this.#expectTree(title, program.folder, this.#path.after);
    await this.#expectAgreement(title, program);
  }

  async #syncAndClose(title: string, { fs }: Program, path: string): Promise<void> {
    const again = errnoOfCall(
      openToEdit(fs, path).then((handle) => closing(fs, handle, () => fs.fsync(handle))),
    );
    if ((await again) !== 'none') this.#problem(title, `the next fsync is told ${await again}`);
  }

  async #expectTree(title: string, folder: string, wanted: Tree): Promise<void> {
    const found = await this.#tree.read(folder);
    for (const difference of differences(found, wanted)) this.#problem(title, `in the end ${difference}`);
  }

  /** What the mount shows is what the service has. */
  async #expectAgreement(title: string, program: Program): Promise<void> {
    const found = await this.#tree.read(program.folder);
    const tops = new Set(Object.keys(found).map((name) => name.split('/')[0] ?? ''));
    const shown = await names(program.fs, `/${program.folder}`);
    if (shown.join() !== [...tops].sort().join()) this.#problem(title, `the mount lists ${shown.join()}`);
    for (const [name, file] of Object.entries(found)) {
      if (file === null) continue;
      const text = await readFile(program.fs, program.path(name)).then(String, String);
      if (text !== file.text) this.#problem(title, `the mount shows "${text}" in ${name}`);
    }
  }

  async #unsentOf({ folder }: Program): Promise<UnsentChange[]> {
    const all = await this.#http.mounted.unsent.list();
    return all.filter(({ path }) => path?.startsWith(`/${folder}/`) === true);
  }

  #problem(title: string, what: string): void {
    this.problems.push(`${title}: ${what}`);
  }
}

function ruleOf({ request, fault, isOnce }: Trial, folder: string): FaultRule {
  return {
    operation: request.operation,
    key: folder + request.name,
    skip: request.nth,
    times: isOnce ? 1 : Infinity,
    fault: fault.fault,
  };
}
