/**
 * How does a listing go on where it stopped? (§4.11 rule 5)
 *
 * A bookmark holds the last name that was given out, not a position, so entries that come or go never make a listing skip
 * or repeat another. It is signed together with the listing it belongs to: altered, cut, numeric or foreign ones do not open.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** What a bookmark says once it is opened. */
export interface Bookmark {
  /** The last name given out; empty when none was. */
  readonly last: string;
  /** How many pages of this listing there were before: lets unusual pages vary. */
  readonly step: number;
}

const SIGNATURE_LENGTH = 20;

/** Issues bookmarks and opens its own, also after a restart with the same secret. */
export class Bookmarks {
  readonly #secret: string;

  constructor(secret: string) {
    this.#secret = secret;
  }

  /** `listing` names what is listed; only the same name opens the bookmark again. */
  issue(listing: readonly string[], bookmark: Bookmark): string {
    const content = Buffer.from(JSON.stringify([bookmark.step, bookmark.last]));
    return Buffer.concat([this.#signature(listing, content), content]).toString('base64');
  }

  /** Undefined when this text was never issued for `listing`. */
  open(listing: readonly string[], text: string): Bookmark | undefined {
    const bytes = Buffer.from(text, 'base64');
    // Base64 has many spellings of the same bytes; only ours was issued.
    if (bytes.length <= SIGNATURE_LENGTH || bytes.toString('base64') !== text) return undefined;
    const content = bytes.subarray(SIGNATURE_LENGTH);
    if (!timingSafeEqual(bytes.subarray(0, SIGNATURE_LENGTH), this.#signature(listing, content)))
      return undefined;
    const [step, last] = JSON.parse(content.toString()) as [number, string];
    return { step, last };
  }

  #signature(listing: readonly string[], content: Uint8Array): Buffer {
    return createHmac('sha256', this.#secret)
      .update(JSON.stringify(['bookmark', ...listing]))
      .update('\0')
      .update(content)
      .digest()
      .subarray(0, SIGNATURE_LENGTH);
  }
}
