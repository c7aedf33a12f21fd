/** Is there anything of a file to store, and do its programs mean that already? */
import type { OpenFile } from '../open-file.ts';

/** Whether nothing of it is to be stored: its path may be claimed for long, by a rename or for another file's upload, and nobody need wait for that. */
export function isSettled({ detached, dirty, publishPending, uploading }: OpenFile): boolean {
  return detached || !(dirty || publishPending || uploading);
}

/** Whether whoever emptied it has not written to it yet, and no close has passed over that. */
export function isEmptied({ dirty, written, passedOver, size }: OpenFile): boolean {
  return dirty && !written && !passedOver && size === 0;
}

/** Whether what is stored of it next replaces anything. */
export function takesPlace({ version, sealed }: OpenFile): boolean {
  return version !== null || sealed !== null;
}

/** Whether whoever made the file cannot write to it (as flock(1) does), nor anybody else: nobody but them will hear whether it is stored. */
export function isMadeToBeRead(file: OpenFile): boolean {
  const isJustMade = file.isUnsent && !file.isLeftBehind && !file.written && file.sealed === null;
  return isJustMade && file.dirty && file.failure === null && !file.hasWriters();
}
