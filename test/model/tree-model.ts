/**
 * Does a tree that others change too behave as promised? One operation at a time is done to the real thing; what it answers and
 * what the service holds afterwards must be among what the knowledge allows. Every content is written once and never again, so
 * that it tells where it came from.
 */
import { expect } from 'vitest';
import type { FileSystemOperations } from '../../src/filesystem/operations.ts';
import { parentOf } from '../../src/store/keys.ts';
import { closing, readAll } from '../support/open-for-test.ts';
import { uploadOf } from '../support/embedded-service.ts';
import { TreeKnowledge } from './tree-knowledge.ts';
import { HeldFiles } from './tree-held.ts';
import { PromisedFiles, settled } from './tree-promised.ts';
import type { ForeignOperation, OwnOperation, TreeOperation, Visibility } from './tree-operations.ts';
import { appended, createOver, outcome, UniqueContents, writeAtEnd } from './tree-program.ts';
import type { World } from './world.ts';
import { entriesOf } from '../support/directory-entries.ts';

const VISIBILITY = 'user.pailfs.visibility';

export class TreeModel {
  readonly #world: World;
  readonly #fs: FileSystemOperations;
  readonly #knowledge: TreeKnowledge;
  readonly #contents = new UniqueContents();
  readonly #held: HeldFiles;
  readonly #promised: PromisedFiles;

  constructor(world: World) {
    this.#world = world;
    this.#fs = world.mounted.operations;
    this.#knowledge = new TreeKnowledge(world);
    this.#held = new HeldFiles(world, this.#knowledge, this.#contents);
    this.#promised = new PromisedFiles(world, this.#knowledge);
  }

  async run(operation: TreeOperation): Promise<void> {
    switch (operation.kind) {
      case 'foreignPut':
      case 'foreignDelete':
      case 'foreignVisibility':
        return this.#foreign(operation);
      case 'hold':
      case 'heldRead':
      case 'heldClose':
        await this.#promised.settle();
        await this.#held.run(operation);
        break;
      case 'write':
      case 'append':
      case 'read':
      case 'unlink':
      case 'getVisibility':
      case 'stat':
      case 'list':
      case 'mkdir':
      case 'rmdir':
      case 'rename':
      case 'setVisibility':
      case 'advance':
        await this.#promised.settle();
        await this.#own(operation);
    }
    await this.#knowledge.changedByMount();
  }

  async closeAll(): Promise<void> {
    await this.#promised.settle();
    await this.#held.closeAll();
  }

  async #own(operation: OwnOperation): Promise<void> {
    switch (operation.kind) {
      case 'write':
        return this.#write(operation.path);
      case 'append':
        return this.#append(operation.path);
      case 'read':
        return this.#read(operation.path);
      case 'stat':
        return this.#stat(operation.path);
      case 'list':
        return this.#list(operation.path);
      case 'unlink':
        return this.#unlink(operation.path);
      case 'mkdir':
        return this.#mkdir(operation.path);
      case 'rmdir':
        return this.#rmdir(operation.path);
      case 'rename':
        return this.#rename(operation.path, operation.to);
      case 'getVisibility':
        return this.#getVisibility(operation.path);
      case 'setVisibility':
        return this.#setVisibility(operation.path, operation.visibility);
      case 'advance':
        this.#world.clock.advance(operation.milliseconds);
        return this.#world.quiet();
    }
  }

  async #foreign(operation: ForeignOperation): Promise<void> {
    const { direct, bucket } = this.#world;
    const { path } = operation;
    const key = path.slice(1);
    if (operation.kind === 'foreignVisibility') {
      if (this.#knowledge.truth(path) === 'missing') return;
      await direct.setVisibility(bucket, key, operation.visibility);
      // The content stays the same: nobody's handle is disturbed.
      return this.#knowledge.look();
    }
    if (operation.kind === 'foreignDelete') await direct.deleteObject(bucket, key);
    else await direct.putObject(bucket, key, uploadOf(this.#contents.next('foreign')));
    await this.#knowledge.changedByOthers(path);
  }

  async #write(path: string): Promise<void> {
    if (this.#held.has(path)) return;
    const content = this.#contents.next('own');
    const known = this.#visibilitiesAfterWrite(path);
    const code = await outcome(async () => {
      const handle = await createOver(this.#fs, path);
      await closing(this.#fs, handle, () => this.#fs.write(handle, Buffer.from(content), 0));
    });
    if (code === 'ENOENT' && this.#knowledge.may(parentOf(path), 'missing')) return;
    expect(code, `write of ${path}`).toBe('none');
    await this.#promised.closed({
      path,
      contents: () => [content],
      visibilities: () => new Set([...known, ...this.#visibilitiesAfterWrite(path)]),
      mayConflict: () => false,
    });
  }

  async #append(path: string): Promise<void> {
    if (this.#held.has(path)) return;
    const piece = this.#contents.next('+');
    const contents = this.#knowledge.contents(path);
    const known = this.#visibilitiesAfterWrite(path);
    const openedAt = this.#now;
    const code = await outcome(async () => {
      const handle = await this.#fs.open(path, { read: true, write: true, truncate: false });
      await closing(this.#fs, handle, async () => writeAtEnd(this.#fs, path, handle, piece));
    });
    if (code === 'ENOENT' && this.#knowledge.may(path, 'missing')) return;
    if (code === 'ESTALE' && this.#knowledge.foreignSince(path, this.#now)) return;
    expect(code, `append to ${path}`).toBe('none');
    await this.#promised.closed({
      path,
      contents: () => appended(this.#knowledge.truth(path), contents, piece),
      visibilities: () => new Set([...known, ...this.#visibilitiesAfterWrite(path)]),
      mayConflict: () => this.#knowledge.foreignSince(path, openedAt),
    });
  }

  async #read(path: string): Promise<void> {
    let content = '';
    const code = await outcome(async () => {
      const handle = await this.#fs.open(path, { read: true, write: false, truncate: false });
      await closing(this.#fs, handle, async () => {
        content = (await readAll(this.#fs, handle)).toString();
      });
    });
    if (code === 'none') this.#knowledge.saw(path, `file:${content}`);
    else if (code === 'ENOENT') this.#knowledge.saw(path, 'missing');
    else if (code !== 'ESTALE' || !this.#knowledge.foreignSince(path, this.#now))
      throw new Error(`${code} from reading ${path}`);
  }

  async #stat(path: string): Promise<void> {
    const shown = { kind: 'file', size: 0 };
    const code = await outcome(async () => {
      const { kind, size } = await this.#fs.getAttributes(path);
      Object.assign(shown, { kind, size });
    });
    if (code === 'ENOENT') this.#knowledge.saw(path, 'missing');
    else if (code !== 'none') throw new Error(`${code} from stat of ${path}`);
    else if (shown.kind === 'folder') this.#knowledge.saw(path, 'folder');
    else this.#knowledge.sawSize(path, shown.size);
  }

  async #list(path: string): Promise<void> {
    const shown = new Map<string, number | null>();
    const code = await outcome(async () => {
      for (const { name, attributes } of await entriesOf(this.#fs, path))
        shown.set(name, attributes.kind === 'folder' ? null : attributes.size);
    });
    if (code === 'ENOENT') {
      this.#knowledge.saw(path, 'missing');
      return;
    }
    expect(code, `list of ${path}`).toBe('none');
    this.#knowledge.sawListing(path, shown);
  }

  async #unlink(path: string): Promise<void> {
    // Of what a program is writing only that is known which it was made from.
    const seenAt = this.#held.writtenSince(path) ?? this.#now;
    const code = await outcome(() => this.#fs.unlink(path));
    if (code === 'ENOENT') {
      this.#knowledge.saw(path, 'missing');
      return;
    }
    expect(code, `unlink of ${path}`).toBe('none');
    const unsent = this.#knowledge.drafts.delete(path);
    this.#held.unlinked(path);
    if ((await settled(this.#world)).length > 0) {
      // By now it is later: the deletion waited for its turn.
      expect(this.#knowledge.foreignSince(path, seenAt), `${path}, which was not deleted`).toBe(true);
      return;
    }
    await this.#knowledge.changedByMount();
    // A file that was never stored goes without a request: what others stored there meanwhile is not touched.
    if (!unsent) expect(this.#knowledge.truth(path)).toBe('missing');
    this.#knowledge.went(path);
  }

  async #mkdir(path: string): Promise<void> {
    const mayExist = this.#knowledge.may(path, 'folder');
    const mayBeLost = this.#knowledge.may(parentOf(path), 'missing');
    const code = await outcome(() => this.#fs.mkdir(path, 0o755));
    if ((code === 'EEXIST' && mayExist) || (code === 'ENOENT' && mayBeLost)) return;
    expect(code, `mkdir of ${path}`).toBe('none');
    await this.#knowledge.changedByMount();
    expect(this.#knowledge.truth(path)).toBe('folder');
    this.#knowledge.stays(path);
  }

  async #rmdir(path: string): Promise<void> {
    const mayHold = this.#knowledge.mayHoldSomething(path);
    const code = await outcome(() => this.#fs.rmdir(path));
    if (code === 'ENOENT') {
      this.#knowledge.saw(path, 'missing');
      return;
    }
    if (code === 'ENOTEMPTY' && mayHold) return;
    expect(code, `rmdir of ${path}`).toBe('none');
    await this.#knowledge.changedByMount();
    if (this.#knowledge.truth(path) === 'folder')
      expect(mayHold, `${path} is still there, though nobody put anything into it`).toBe(true);
    this.#knowledge.went(path);
  }

  async #rename(from: string, to: string): Promise<void> {
    if (from === to || this.#held.has(from) || this.#held.has(to)) return;
    const { foreignSince, contents, visibilities, before } = {
      foreignSince:
        this.#knowledge.foreignSince(from, this.#now) || this.#knowledge.foreignSince(to, this.#now),
      contents: this.#knowledge.contents(from),
      visibilities: new Set([...this.#visibilitiesAfterWrite(to), ...this.#visibilitiesAfterWrite(from)]),
      before: this.#knowledge.truth(from),
    };
    const mayMiss = this.#knowledge.may(from, 'missing') || this.#knowledge.may(parentOf(to), 'missing');
    const code = await outcome(() => this.#fs.rename(from, to, false));
    await this.#knowledge.changedByMount();
    if (code !== 'none') {
      expect(this.#knowledge.truth(from), `${from}, whose rename failed`).toBe(before);
      if ((code === 'ENOENT' && mayMiss) || (code === 'ESTALE' && foreignSince)) return;
    }
    expect(code, `rename of ${from} to ${to}`).toBe('none');
    expect(this.#knowledge.truth(from)).toBe('missing');
    await this.#stored(to, contents, visibilities);
    this.#knowledge.went(from);
  }

  async #getVisibility(path: string): Promise<void> {
    // A draft tells what is wished for, not what is.
    if (this.#held.has(path)) return;
    const allowed = this.#knowledge.allowedVisibilities(path);
    let value = '';
    const code = await outcome(async () => {
      value = Buffer.from(await this.#fs.getXattr(path, VISIBILITY)).toString();
    });
    if (
      code === 'ENOENT' &&
      (this.#knowledge.may(path, 'missing') || this.#knowledge.truth(path) === 'missing')
    )
      return;
    expect(code, `visibility of ${path}`).toBe('none');
    expect([...allowed]).toContain(value);
  }

  async #setVisibility(path: string, visibility: Visibility): Promise<void> {
    if (this.#held.has(path)) return;
    const code = await outcome(() => this.#fs.setXattr(path, VISIBILITY, Buffer.from(visibility), 'any'));
    if (
      code === 'ENOENT' &&
      (this.#knowledge.may(path, 'missing') || this.#knowledge.truth(path) === 'missing')
    )
      return;
    expect(code, `setting the visibility of ${path}`).toBe('none');
    await this.#knowledge.changedByMount();
    expect(this.#knowledge.visibility(path)).toBe(visibility);
  }

  /** The mount said that one of these contents is stored. */
  async #stored(path: string, contents: readonly string[], visibilities: ReadonlySet<string>): Promise<void> {
    await this.#knowledge.changedByMount();
    this.#knowledge.stored(path, contents, visibilities);
  }

  /** A file made new is private; another keeps what it had, as far as the mount can know. */
  #visibilitiesAfterWrite(path: string): Set<string> {
    const known = this.#knowledge.allowedVisibilities(path);
    return this.#knowledge.may(path, 'missing') ? known.add('private') : known;
  }

  get #now(): number {
    return this.#world.clock.monotonic();
  }
}
