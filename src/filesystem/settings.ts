/** What can be decided about a mounted file system, all of it by the person who mounts. */
export interface FileSystemSettings {
  /** For how long the service's answers about names are trusted, milliseconds. */
  readonly metadataTtl: number;
  /** Whether a close returns once its bytes are safe on this machine, and uploads and deletions follow. */
  readonly writeBack: boolean;
  /** Bytes of file content kept in memory. */
  readonly memoryLimit: number;
  /** Where file content is kept beyond the programs that read it. */
  readonly cache: 'off' | 'memory' | 'disk';
  /** Of file content, for `disk`; other mounts and processes may use it too. */
  readonly cacheDirectory: string;
  /** Bytes that the cache directory and what is not stored yet may take together. */
  readonly cacheSize: number;
  /** Whose files these are: bytes of one service must never be shown as another's. */
  readonly baseUrl: string;
  /** Existing directory for drafts, private to this mount. */
  readonly stateDirectory: string;
  /** What a replaced object's visibility becomes: `preserve` keeps it. */
  readonly visibility: 'preserve' | 'private' | 'public';
  /**
   * What becomes of an edit whose file somebody else replaced meanwhile: it gets a name of its own, close fails, or it replaces
   * the other file.
   */
  readonly conflict: 'keep-both' | 'fail' | 'overwrite';
  /** What this machine is called, in such a name. */
  readonly hostName: string;
  /** Files that a folder may hold to be renamed here; others programs copy. */
  readonly renameLimit: number;
  /** Whether new files under the names that programs give to scratch files stay here. */
  readonly scratch: boolean;
  /** Owner of everything, but for what another has made where `makersOwn`. */
  readonly uid: number;
  readonly gid: number;
  /** Whether what a program makes is its user's. */
  readonly makersOwn: boolean;
  /** Permission bits that are never set. */
  readonly umask: number;
  readonly readOnly: boolean;
  /** Whether the credentials may change anything (§5). */
  readonly mayWrite: boolean;
}

/** The error that every change is refused with, before anything is sent; null: changes are made. */
export function changesRefusedWith({
  readOnly,
  mayWrite,
}: Pick<FileSystemSettings, 'readOnly' | 'mayWrite'>): 'EROFS' | 'EACCES' | null {
  if (readOnly) return 'EROFS';
  return mayWrite ? null : 'EACCES';
}
