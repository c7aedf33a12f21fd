/** What is a file called that was edited here while somebody else replaced it? `notes (conflict desk 2026-11-21 14.05.33 3f2a).txt` */
import { markedName } from './marked-name.ts';

export interface ConflictMark {
  /** What this machine is called. */
  readonly hostName: string;
  /** Shown as the clock on the wall does. */
  readonly at: Date;
  /**
   * Identifier of the draft that holds the edit. Two mounts of one machine, or machines that are called alike, may keep edits of one file
   * within one second, and no request of the service stores only where nothing is: the name alone keeps them apart.
   */
  readonly draft: string;
  /** From 1 on; higher when the names before are taken. */
  readonly number: number;
}

const LONGEST_HOST = 63;
/** Digits of the draft's identifier. */
const DIGITS = 4;

/** `name` with the mark before its extension; at most as long as names may be: the part before the mark is cut for it. */
export function conflictName(name: string, mark: ConflictMark): string {
  const number = mark.number > 1 ? ` ${mark.number}` : '';
  const draft = mark.draft.slice(0, DIGITS);
  return markedName(name, `conflict ${hostOf(mark.hostName)} ${timeOf(mark.at)} ${draft}${number}`);
}

/** The machine without its domain; a host may be called anything, and the name must be easy to type. */
function hostOf(hostName: string): string {
  const [label = ''] = hostName.split('.');
  const plain = label.replaceAll(/[^\w-]/g, '-').slice(0, LONGEST_HOST);
  return plain === '' ? 'unknown' : plain;
}

function timeOf(at: Date): string {
  const two = (number: number): string => String(number).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  // No colons: many systems that may list the bucket cannot have them in names.
  return `${day} ${two(at.getHours())}.${two(at.getMinutes())}.${two(at.getSeconds())}`;
}
