/** What if the bytes of a draft are not those that a program has closed? */
import { FsError } from './errors.ts';

/** The local disk has changed them since: they are not stored unless a person asks for it. */
export class DraftDamaged extends FsError {
  constructor(path: string) {
    super('ESTALE', path, 'these are not the bytes that were written: the local disk has damaged them');
  }
}
