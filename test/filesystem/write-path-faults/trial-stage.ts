/** Where one write path is played again and again: what is there before, and what must be there whatever failed. */
import type { UnsentChange } from '../../../src/filesystem/unsent/unsent-change.ts';
import type { RequestRecord } from '../../../src/server/request-log.ts';
import { names, readFile } from '../../support/open-for-test.ts';
import type { OverHttp } from '../../support/open-over-http.ts';
import { differences, ServiceTree } from './service-tree.ts';
import { Program, type Tree, type WritePath } from './write-paths.ts';

/** The `nth` request of its kind about what is called `name` in the program's folder; the folder itself is ''. */
export interface PathRequest {
  readonly operation: RequestRecord['operation'];
  readonly name: string;
  readonly nth: number;
}

export class TrialStage {
  /** One line for each thing that must not be. */
  readonly problems: string[] = [];
  readonly tree: ServiceTree;
  readonly #http: OverHttp;
  readonly #path: WritePath;
  #count = 0;

  constructor(http: OverHttp, path: WritePath) {
    this.#http = http;
    this.#path = path;
    this.tree = new ServiceTree(http.direct, http.bucket);
  }

  /** How often it has begun. */
  get count(): number {
    return this.#count;
  }

  /** The requests of the path and of what comes `after`, when nothing goes wrong. */
  async requests(after: () => Promise<void>): Promise<PathRequest[]> {
    await this.#proveRemoval();
    const program = await this.begin();
    await this.#path.act(program);
    await after();
    const seen = new Map<string, number>();
    const requests = this.#http.requests.all.map(({ operation, key, folder }) => {
      const subject = key ?? folder ?? '';
      if (!subject.startsWith(program.folder)) throw new Error(`${operation} ${subject} is not of the path`);
      const name = subject.slice(program.folder.length);
      const nth = seen.get(`${operation} ${name}`) ?? 0;
      seen.set(`${operation} ${name}`, nth + 1);
      return { operation, name, nth };
    });
    await this.expectTree('without a fault', program.folder, this.#path.after);
    return requests;
  }

  /** The first time that a folder is removed the mount looks whether this service does it. */
  async #proveRemoval(): Promise<void> {
    const { mounted, forget } = this.#http;
    await this.tree.fill('proof', { 'd/': null });
    forget();
    for (const folder of ['/proof', '/proof/d']) await names(mounted.operations, folder);
    await mounted.operations.rmdir('/proof/d');
  }

  async begin(): Promise<Program> {
    const { mounted, requests, forget } = this.#http;
    this.#count += 1;
    const folder = `r${this.#count}`;
    await this.tree.fill(folder, this.#path.before);
    forget();
    if (this.#path.isKnown ?? true) await names(mounted.operations, `/${folder}`);
    requests.reset();
    return new Program(mounted.operations, folder);
  }

  /** The old bytes or the new ones, and nothing else, under every name; and no bytes are gone that are to stay. */
  async expectWhole(title: string, folder: string): Promise<void> {
    const { before, after, between = {} } = this.#path;
    const found = await this.tree.read(folder);
    for (const [name, file] of Object.entries(found)) {
      const allowed = [before[name], after[name], between[name]].filter((each) => each !== undefined);
      if (!allowed.some((each) => each?.text === file?.text))
        this.problem(title, `${name} holds "${file?.text ?? 'a folder'}"`);
      if (file?.isPublic === true && !allowed.some((each) => each?.isPublic === true))
        this.problem(title, `${name} is public`);
    }
    const texts = (tree: Tree): string[] => Object.values(tree).flatMap((file) => file?.text ?? []);
    for (const text of texts(before).filter((each) => texts(after).includes(each))) {
      if (!texts(found).includes(text)) this.problem(title, `"${text}" is nowhere`);
    }
    for (const name of Object.keys(before)) {
      if (name in after && !(name in found)) this.problem(title, `${name} is gone`);
    }
  }

  async expectTree(title: string, folder: string, wanted: Tree): Promise<void> {
    const found = await this.tree.read(folder);
    for (const difference of differences(found, wanted)) this.problem(title, `in the end ${difference}`);
  }

  /** All is as the path leaves it, for the mount, too. */
  async expectEnd(title: string, program: Program): Promise<void> {
    await this.expectTree(title, program.folder, this.#path.after);
    await this.expectAgreement(title, program);
  }

  /**
   * The fault is over, and the path was tried once more: `told` is what the program heard. Returns whether all is to be as the path
   * leaves it; with `mayStay` something may be in the way of a further try for ever.
   */
  async expectTriedAgain(
    title: string,
    { folder }: Program,
    { told, mayStay }: { readonly told: string; readonly mayStay: boolean },
  ): Promise<boolean> {
    if (told === 'none') return true;
    if (mayStay) {
      await this.expectWhole(title, folder);
      return false;
    }
    const isDone = differences(await this.tree.read(folder), this.#path.after).length === 0;
    if (!isDone) this.problem(title, `the next try is told ${told}`);
    return true;
  }

  /** The mount ends, and has stored everything. */
  async expectNothingLeft(): Promise<void> {
    const left = await this.#http.mounted.close({ patience: 60_000 });
    for (const { path, reason } of left) this.problem('after the unmount', `${path} is left: ${reason}`);
  }

  /** What the mount shows is what the service has. */
  async expectAgreement(title: string, program: Program): Promise<void> {
    const found = await this.tree.read(program.folder);
    const tops = new Set(Object.keys(found).map((name) => name.split('/')[0] ?? ''));
    const shown = await names(program.fs, `/${program.folder}`);
    if (shown.join() !== [...tops].sort().join()) this.problem(title, `the mount lists ${shown.join()}`);
    for (const [name, file] of Object.entries(found)) {
      if (file === null) continue;
      const text = await readFile(program.fs, program.path(name)).then(String, String);
      if (text !== file.text) this.problem(title, `the mount shows "${text}" in ${name}`);
    }
  }

  async unsentOf({ folder }: Program): Promise<UnsentChange[]> {
    const all = await this.#http.mounted.unsent.list();
    return all.filter(({ path }) => path?.startsWith(`/${folder}/`) === true);
  }

  problem(title: string, what: string): void {
    this.problems.push(`${title}: ${what}`);
  }
}
