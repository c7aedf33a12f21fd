/** What do all calls of one mount share? */
import type { Log } from '../../base/log.ts';
import type { FileSystemOperations } from '../../filesystem/operations.ts';
import type { LibfuseHandles } from './libfuse-handles.ts';
import type { Replacements } from './replacements.ts';

export interface DriverContext {
  readonly operations: FileSystemOperations;
  readonly handles: LibfuseHandles;
  readonly replacements: Replacements;
  readonly log: Log;
}
