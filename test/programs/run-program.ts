/** How is a program run on a mount, and on a local disk beside it, and what did it ask of the service? */
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { RequestRecord } from '../../src/server/request-log.ts';
import type { Operation } from '../../src/service/refusal.ts';
import { uploadOf } from '../support/embedded-service.ts';
import { heldByDirectory, heldByService, type HeldFiles } from '../support/held-files.ts';
import type { MountedBucket } from '../support/mounted-bucket.ts';
import { shell, type ShellResult } from '../support/shell.ts';
import type { Costs, Program, RequestKind, Step } from './program.ts';

const KINDS: Readonly<Record<Operation, RequestKind>> = {
  listBuckets: 'bucket',
  createBucket: 'bucket',
  getBucket: 'bucket',
  deleteBucket: 'bucket',
  headObject: 'head',
  getObject: 'get',
  putObject: 'put',
  deleteObject: 'delete',
  listObjects: 'list',
  createFolder: 'folder',
  getVisibility: 'visibility',
  setVisibility: 'visibility',
  getLink: 'link',
};

const SETTINGS = 'set -e; export HOME="$1" TERM=xterm';

/** One program with a folder on the mount, one on the disk, and what it needs beside each. */
export class ProgramRun {
  readonly #mount: MountedBucket;
  readonly #program: Program;
  readonly #scratch: string;

  private constructor(mount: MountedBucket, program: Program, scratch: string) {
    this.#mount = mount;
    this.#program = program;
    this.#scratch = scratch;
  }

  /** `scratch`: an existing directory, for what is beside the mount. */
  static async begin(mount: MountedBucket, program: Program, scratch: string): Promise<ProgramRun> {
    const run = new ProgramRun(mount, program, await mkdtemp(path.join(scratch, 'program-')));
    await mkdir(`${mount.path}/${program.name}`);
    for (const folder of ['disk', 'besideDisk', 'besideMount']) await mkdir(path.join(run.#scratch, folder));
    for (const [name, { content, visibility }] of Object.entries(program.stored ?? {})) {
      const key = `${program.name}/${name}`;
      await mount.direct.putObject(mount.bucket, key, uploadOf(content));
      if (visibility !== undefined) await mount.direct.setVisibility(mount.bucket, key, visibility);
    }
    await mount.ask('refresh');
    return run;
  }

  /** On the disk, if that is to be compared, and then on the mount, all names of which have been listed before. */
  async step({ script }: Step): Promise<ShellResult> {
    const whole = `${SETTINGS}; ${script}`;
    if (this.#program.endsAsOnDisk) {
      const result = await shell(this.#beside('disk'), whole, this.#beside('besideDisk'));
      if (result.exit !== 0) throw new Error(`on a local disk it fails, too: ${result.errors}`);
    }
    // Not started there: whoever starts a program waits for its directory, and this process is the service.
    const there = `cd '${this.#program.name}'`;
    await this.#mount.run(`${there}; ls -lR`);
    this.#mount.server.requests.reset();
    return this.#mount.run(`${there}; ${whole}`, this.#beside('besideMount'));
  }

  /** Requests since the last step began. */
  costs(): Costs {
    return countByKind(this.#mount.server.requests.all);
  }

  held(): Promise<HeldFiles> {
    return heldByService(this.#mount.direct, this.#mount.bucket, this.#program.name);
  }

  heldOnDisk(): Promise<HeldFiles> {
    return heldByDirectory(this.#beside('disk'));
  }

  /** Runs the check of the program where all is what the service holds. */
  async check(script: string): Promise<ShellResult> {
    const copy = this.#beside('copy');
    await mkdir(copy);
    for (const name of Object.keys(await this.held())) {
      const file = path.join(copy, name);
      await mkdir(name.endsWith('/') ? file : path.dirname(file), { recursive: true });
      if (!name.endsWith('/'))
        await writeFile(file, await this.#mount.stored(`${this.#program.name}/${name}`));
    }
    return shell(copy, `${SETTINGS}; ${script}`, this.#beside('besideDisk'));
  }

  #beside(name: string): string {
    return path.join(this.#scratch, name);
  }
}

function countByKind(requests: readonly RequestRecord[]): Costs {
  const counts: Partial<Record<RequestKind, number>> = {};
  for (const { operation } of requests) {
    const kind = KINDS[operation];
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

/** What of `costs` is not as `wanted`: empty when all is. */
export function deviations(costs: Costs, wanted: Costs): readonly string[] {
  const kinds = new Set([...Object.keys(costs), ...Object.keys(wanted)] as RequestKind[]);
  return [...kinds].flatMap((kind) => {
    const [least, most] = rangeOf(wanted[kind]);
    const [count] = rangeOf(costs[kind]);
    if (count >= least && count <= most) return [];
    return [`${kind}: ${count}, not ${least === most ? least : `${least} to ${most}`}`];
  });
}

function rangeOf(cost: Costs[RequestKind]): readonly [number, number] {
  if (cost === undefined) return [0, 0];
  return typeof cost === 'number' ? [cost, cost] : cost;
}
