/** Which bucket, and what in it, does `bucket:key` mean? */
import { BucketStore } from '../../store/bucket-store.ts';
import { createGates, type Gates } from '../../store/gates.ts';
import { usageError } from '../command-error.ts';
import type { Session } from './session.ts';

export interface ObjectAddress {
  /** Name or identifier; never empty. */
  readonly bucket: string;
  /** Byte by byte as typed: keys that no mount can show can be named, too. Empty or with a slash at the end for a folder. */
  readonly key: string;
}

/** Undefined when `word` has not this shape. As scp(1) has it: a slash before the first colon makes it a path of this machine. */
export function parseAddress(word: string): ObjectAddress | undefined {
  const colon = word.indexOf(':');
  if (colon < 1 || word.slice(0, colon).includes('/')) return undefined;
  return { bucket: word.slice(0, colon), key: word.slice(colon + 1) };
}

/** Throws a usage error when `word` is no address. */
export function requireAddress(word: string): ObjectAddress {
  const address = parseAddress(word);
  if (address !== undefined) return address;
  throw usageError(`${word} is not BUCKET:KEY, such as photos:cat.jpg`);
}

/** Throws a usage error when `word` is no address, or one of a bucket or folder. */
export function requireKey(word: string): ObjectAddress {
  const address = requireAddress(word);
  if (address.key !== '' && !address.key.endsWith('/')) return address;
  throw usageError(`${word} names a folder: name a file in it, or mount the bucket and use cp -r, or rsync`);
}

export interface OpenedBucketStore {
  readonly store: BucketStore;
  /** What requests call the bucket. */
  readonly identifier: string;
}

/** The buckets of one command, each looked up once. */
export class BucketStores {
  readonly #session: Session;
  readonly #gates: Gates;
  readonly #stores = new Map<string, Promise<OpenedBucketStore>>();

  constructor(session: Session) {
    this.#session = session;
    this.#gates = createGates(session.clock);
  }

  /** By name or identifier. Rejects with a `CommandError`. */
  open(wanted: string): Promise<OpenedBucketStore> {
    const known = this.#stores.get(wanted) ?? this.#find(wanted);
    this.#stores.set(wanted, known);
    return known;
  }

  async #find(wanted: string): Promise<OpenedBucketStore> {
    const { bucket } = await this.#session.findBucket(wanted);
    return { store: new BucketStore(this.#session.service, bucket, this.#gates), identifier: bucket };
  }
}
