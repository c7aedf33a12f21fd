/**
 * How does a draft on disk say what it is, when nothing else knows any more?
 *
 * Its file begins with two slots and the content follows. A change of the header goes into the slot that is not in force, with
 * a higher number: when the machine stops in the middle of it, the other still stands. The slots are mostly holes, so a header
 * takes one disk block.
 */
import { Buffer } from 'node:buffer';
import { checksumOf } from '../base/checksum.ts';
import { describeError } from '../base/errors.ts';
import { draftFacts, type DraftFacts } from './draft-facts.ts';

/** Bytes of a slot: a key of 4096 bytes fits, all of them escaped. */
export const SLOT_SIZE = 32 * 1024;
/** Where the content begins. */
export const CONTENT_START = 2 * SLOT_SIZE;

/** A person who looks into the file reads this. The digit is the format. */
const MAGIC = 'pailfs draft 1\n';
const PREFIX = /^pailfs draft (\d+)\n(\d+) (\d+) ([0-9a-f]{8})\n/;
/** Longer than any prefix. */
const PREFIX_LIMIT = 80;

/** A header as it stands in a slot. */
export interface DraftHeader {
  /** The higher one is in force. */
  readonly turn: number;
  readonly facts: DraftFacts;
}

/** The file is none of ours, or both slots are damaged, or a later pailfs wrote it. */
export class HeaderUnreadable extends Error {
  override readonly name = 'HeaderUnreadable';
}

/** Where the header of that turn stands. */
export function slotOf(turn: number): number {
  return (turn % 2) * SLOT_SIZE;
}

/** At most SLOT_SIZE bytes. Throws an error with code ENAMETOOLONG when the facts do not fit. */
export function encodeHeader(header: DraftHeader): Uint8Array {
  const body = JSON.stringify(header.facts);
  const length = Buffer.byteLength(body);
  const text = `${MAGIC}${header.turn} ${length} ${checksumOf(`${header.turn} ${body}`)}\n${body}\n`;
  const bytes = Buffer.from(text);
  if (bytes.length > SLOT_SIZE) {
    throw Object.assign(new Error('the key is too long for the header of a draft'), { code: 'ENAMETOOLONG' });
  }
  return bytes;
}

/** The header in force in the two slots of a file. Throws `HeaderUnreadable`. */
export function decodeHeader(slots: readonly Uint8Array[]): DraftHeader {
  const problems = new Set<string>();
  let found: DraftHeader | undefined;
  for (const slot of slots) {
    try {
      const header = decodeSlot(slot);
      if (found === undefined || header.turn > found.turn) found = header;
    } catch (error) {
      problems.add(describeError(error));
    }
  }
  if (found === undefined) throw new HeaderUnreadable([...problems].join('; '));
  return found;
}

/** Whether `start`, of a slot, ends before the header does. */
export function isCutShort(start: Uint8Array): boolean {
  const [prefix = '', , , length = ''] = prefixOf(start) ?? [];
  return prefix.length + Number(length) > start.length;
}

function prefixOf(slot: Uint8Array): RegExpExecArray | null {
  const bytes = Buffer.from(slot.buffer, slot.byteOffset, slot.length);
  return PREFIX.exec(bytes.toString('latin1', 0, PREFIX_LIMIT));
}

function decodeSlot(slot: Uint8Array): DraftHeader {
  const match = prefixOf(slot);
  if (match === null) throw new HeaderUnreadable('no header');
  const [prefix, format = '', turn = '', length = '', checksum = ''] = match;
  if (!MAGIC.endsWith(` ${format}\n`)) throw new HeaderUnreadable(`a header of format ${format}`);
  const bytes = Buffer.from(slot.buffer, slot.byteOffset, slot.length);
  const body = bytes.toString('utf8', prefix.length, prefix.length + Number(length));
  if (checksumOf(`${turn} ${body}`) !== checksum) throw new HeaderUnreadable('a damaged header');
  return { turn: Number(turn), facts: draftFacts.parse(JSON.parse(body)) };
}
