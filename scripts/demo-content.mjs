/** What is in the demo's bucket, and how does it get there without the mount? Over HTTP, as anybody's program would. */
import { Buffer } from 'node:buffer';
import { crc32, deflateSync } from 'node:zlib';
import { StepFailure } from './steps.mjs';

export const BUCKET = 'photos';

const PICTURE_SIZE = 96;

/** One account of the service, asked with plain requests. */
export class StorageAccount {
  #baseUrl;
  #authorization;
  #bucket;

  constructor(environment) {
    const { PAILFS_BASE_URL, PAILFS_ACCESS_KEY_ID, PAILFS_SECRET_ACCESS_KEY } = environment;
    this.#baseUrl = PAILFS_BASE_URL;
    const pair = `${PAILFS_ACCESS_KEY_ID}:${PAILFS_SECRET_ACCESS_KEY}`;
    this.#authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
  }

  async upload(key, bytes, contentType) {
    await this.#ask('PUT', `/${await this.#identifier()}/${encodeKey(key)}`, bytes, contentType);
  }

  /** The file's text. */
  async download(key) {
    return (await this.#ask('GET', `/${await this.#identifier()}/${encodeKey(key)}`)).text();
  }

  async publish(key) {
    const body = JSON.stringify({ object_key: key, visibility: 'public' });
    await this.#ask('PUT', `/buckets/${await this.#identifier()}/visibility`, body, 'application/json');
  }

  async visibility(key) {
    const path = `/buckets/${await this.#identifier()}/visibility?key=${encodeURIComponent(key)}`;
    return (await (await this.#ask('GET', path)).json()).data;
  }

  async #identifier() {
    if (this.#bucket === undefined) {
      const { data } = await (await this.#ask('GET', '/buckets')).json();
      this.#bucket = data.buckets.find(({ name }) => name === BUCKET).bucket;
    }
    return this.#bucket;
  }

  async #ask(method, path, body, contentType) {
    const headers = {
      authorization: this.#authorization,
      ...(contentType && { 'content-type': contentType }),
    };
    const answer = await globalThis.fetch(this.#baseUrl + path, { method, headers, body });
    if (answer.ok) return answer;
    throw new StepFailure(`the service answers ${answer.status} to ${method} ${path}`);
  }
}

export async function fillBucket(account) {
  const text = 'text/plain; charset=utf-8';
  await account.upload(
    'notes/read me first.txt',
    'This file lives in a storage service, not on this disk.\n',
    text,
  );
  await account.upload('notes/shopping.txt', 'bread\nbutter\ncheese\n', text);
  await account.upload('Urlaub in den Bergen/Grüße.txt', 'Schöne Grüße aus Österreich!\n', text);
  await account.upload('Urlaub in den Bergen/Höhenlinien.svg', drawing(), 'image/svg+xml');
  await account.upload('public/picture.png', picture(), 'image/png');
  await account.publish('public/picture.png');
}

function encodeKey(key) {
  return key.split('/').map(encodeURIComponent).join('/');
}

function drawing() {
  const circles = [10, 20, 30, 40].map((radius) => `<circle cx="50" cy="50" r="${radius}"/>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" fill="none" stroke="green">${circles.join('')}</svg>\n`;
}

/** A small PNG with a gradient. */
function picture() {
  const rows = [];
  for (let y = 0; y < PICTURE_SIZE; y += 1) {
    // Each row begins with its filter: none.
    const row = [0];
    for (let x = 0; x < PICTURE_SIZE; x += 1) row.push(x * 2, y * 2, 160);
    rows.push(Buffer.from(row));
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(PICTURE_SIZE, 0);
  header.writeUInt32BE(PICTURE_SIZE, 4);
  // Eight bits of red, green and blue each.
  header.set([8, 2], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type, data) {
  const typed = Buffer.concat([Buffer.from(type), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, checksum]);
}
