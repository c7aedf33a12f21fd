/**
 * What of the attributes that programs set outlives this process? The namespace asks whoever keeps it when it meets a version
 * that it does not know, and tells what becomes of the names.
 */
import type { LocalAttributes, VersionFacts } from '../store/version.ts';
import type { Outcome } from './entries.ts';
import type { Names } from './names.ts';

/** What is kept of some files in one folder. */
export interface KeptInFolder {
  /** Of the file `name`; undefined when nothing is, or it was of another version than `facts` tell of. */
  recall(name: string, facts: VersionFacts): LocalAttributes | undefined;
}

/** What is kept of all files in one folder. */
export interface KeptOfFolder extends KeptInFolder {
  /** The folder holds these names and no others. */
  onlyThese(names: Names): void;
}

/** Nothing rejects, and nobody waits for what is to be written. */
export interface KeptLocals {
  /** Of all files directly inside the folder at `path`. */
  ofFolder(path: string): Promise<KeptOfFolder>;
  ofFile(path: string): Promise<KeptInFolder>;
  /** An own change of `path` is done. */
  changed(path: string, outcome: Outcome): void;
}
