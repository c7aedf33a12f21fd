/**
 * What programs set on files and folders outlives the process: how is it written, and found again?
 *
 * Of files by version, so it is looked at when the service tells of a version that nobody knows (namespace/kept-locals.ts); what
 * somebody else has replaced or removed is forgotten then. Of folders, which have no versions, by path; all of them are in memory
 * (folder-times.ts). Programs do not wait for any of it.
 */
import type { FileAttributes, KeptAttributes } from '../../content/journal/kept-attributes.ts';
import { factsOf, versionOf } from '../../content/version-facts.ts';
import type { Outcome } from '../../namespace/entries.ts';
import type { KeptInFolder, KeptLocals, KeptOfFolder } from '../../namespace/kept-locals.ts';
import type { Names } from '../../namespace/names.ts';
import { childOf, nameOf, parentOf } from '../../store/keys.ts';
import type { LocalAttributes, Version, VersionFacts } from '../../store/version.ts';
import type { FolderTimes } from '../names/folder-times.ts';

/** One mount's. */
export class AttributeRecords implements KeptLocals {
  readonly #kept: KeptAttributes;
  readonly #folderTimes: FolderTimes;

  constructor(kept: KeptAttributes, folderTimes: FolderTimes) {
    this.#kept = kept;
    this.#folderTimes = folderTimes;
  }

  async ofFolder(path: string): Promise<KeptOfFolder> {
    const rows = await this.#kept.filesIn(path);
    return {
      ...this.#among(path, rows),
      onlyThese: (names) => {
        this.#forgetOthers(path, rows, names);
      },
    };
  }

  async ofFile(path: string): Promise<KeptInFolder> {
    const row = await this.#kept.ofFile(path);
    return this.#among(parentOf(path), new Map(row === undefined ? [] : [[nameOf(path), row]]));
  }

  changed(path: string, outcome: Outcome): void {
    if (outcome.kind === 'file') this.set(path, outcome.version);
    else if (outcome.kind !== 'unknown') this.#kept.setFile(path, undefined);
  }

  /** The file at `path` is `version`, and has its local attributes. */
  set(path: string, version: Version): void {
    const { local } = version;
    const isAny = Object.values(local).some((value) => value !== undefined);
    this.#kept.setFile(path, isAny ? { version: factsOf(version), local } : undefined);
  }

  #among(folder: string, rows: ReadonlyMap<string, FileAttributes>): KeptInFolder {
    return {
      recall: (name: string, facts: VersionFacts): LocalAttributes | undefined => {
        const row = rows.get(name);
        if (row === undefined) return undefined;
        if (versionOf(row.version).matches(facts)) return row.local;
        this.#kept.setFile(childOf(folder, name), undefined);
        return undefined;
      },
    };
  }

  #forgetOthers(folder: string, rows: ReadonlyMap<string, FileAttributes>, names: Names): void {
    for (const name of rows.keys()) {
      if (names.peek(name)?.kind !== 'file') this.#kept.setFile(childOf(folder, name), undefined);
    }
    this.#folderTimes.onlyThese(folder, (name) => names.peek(name)?.kind === 'folder');
  }
}
