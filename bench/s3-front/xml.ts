/** How are S3's few documents written and read? Only what rclone and s3fs look at. */

export interface ListedEntry {
  readonly key: string;
  readonly size: number;
  readonly etag: string;
  readonly lastModified: Date;
}

export interface ListingDocument {
  readonly bucket: string;
  readonly prefix: string;
  readonly delimiter: string;
  readonly limit: number;
  readonly entries: readonly ListedEntry[];
  readonly folders: readonly string[];
  /** Null on the last page. */
  readonly next: string | null;
  readonly version: 1 | 2;
  /** Names percent-encoded, as asked with `encoding-type=url`. */
  readonly isEncoded: boolean;
}

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n';
const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';

type Content = string | number | boolean | readonly string[];

/** `content` is text, or elements already made. */
export function element(name: string, content: Content): string {
  return `<${name}>${Array.isArray(content) ? content.join('') : escape(String(content))}</${name}>`;
}

/** The whole document. */
export function documentOf(name: string, elements: readonly string[]): string {
  return `${HEAD}<${name} xmlns="${NAMESPACE}">${elements.join('')}</${name}>`;
}

export function listingDocument(listing: ListingDocument): string {
  const name = (text: string): string =>
    listing.isEncoded ? encodeURIComponent(text).replaceAll('%2F', '/') : text;
  const continuation = listing.version === 2 ? 'NextContinuationToken' : 'NextMarker';
  return documentOf('ListBucketResult', [
    element('Name', listing.bucket),
    element('Prefix', name(listing.prefix)),
    element('Delimiter', listing.delimiter),
    element('MaxKeys', listing.limit),
    ...(listing.version === 2 ? [element('KeyCount', listing.entries.length + listing.folders.length)] : []),
    ...(listing.isEncoded ? [element('EncodingType', 'url')] : []),
    element('IsTruncated', listing.next !== null),
    ...(listing.next === null ? [] : [element(continuation, listing.next)]),
    ...listing.entries.map(({ key, size, etag, lastModified }) =>
      element('Contents', [
        element('Key', name(key)),
        element('LastModified', lastModified.toISOString()),
        element('ETag', `"${etag}"`),
        element('Size', size),
        element('StorageClass', 'STANDARD'),
      ]),
    ),
    ...listing.folders.map((folder) => element('CommonPrefixes', [element('Prefix', name(folder))])),
  ]);
}

/** The texts of all elements of that name, in order. */
export function textsOf(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, text = '']) =>
    unescape(text),
  );
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function unescape(text: string): string {
  return text
    .replaceAll(/&#(?:x([0-9a-f]+)|(\d+));/gi, (_, hex: string | undefined, digits: string | undefined) =>
      String.fromCodePoint(hex === undefined ? Number(digits) : parseInt(hex, 16)),
    )
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&');
}
