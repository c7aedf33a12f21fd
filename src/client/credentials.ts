/** Who asks? The access key, and how it is kept out of everything that people read. (§5) */

/** An access key (§5). */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const REDACTED = '[redacted]';

/** Holds the Authorization header; neither `inspect` nor `JSON.stringify` shows it. */
export class Authorization {
  readonly #credentials: Credentials;
  readonly #header: string;

  /** Throws when the access key id is empty or holds a colon, which Basic authentication cannot carry. */
  constructor(credentials: Credentials) {
    const { accessKeyId, secretAccessKey } = credentials;
    if (accessKeyId === '' || accessKeyId.includes(':')) {
      throw new Error('the access key id must not be empty and must not contain a colon');
    }
    if (secretAccessKey === '') throw new Error('the secret access key must not be empty');
    this.#credentials = credentials;
    this.#header = `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`, 'utf8').toString('base64')}`;
  }

  /** The value of the Authorization header: for the request only. */
  header(): string {
    return this.#header;
  }

  /** `text` of the service without our secrets, should it have echoed them. */
  redact(text: string): string {
    return text
      .replaceAll(this.#header.slice('Basic '.length), REDACTED)
      .replaceAll(this.#credentials.secretAccessKey, REDACTED);
  }
}
