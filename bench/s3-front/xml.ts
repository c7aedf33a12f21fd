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
    listing.isEncoded ? text.split('/').map(encodeURIComponent).join('/') : text;
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
    ...listing.entries.map((entry) => contents(name(entry.key), entry)),
    ...listing.folders.map((folder) => element('CommonPrefixes', [element('Prefix', name(folder))])),
  ]);
}

/** In one piece, unlike all others: there are a thousand a page, and the peers' pages are not to cost the store more than ours. */
function contents(name: string, { size, etag, lastModified }: ListedEntry): string {
  return `<Contents><Key>${escape(name)}</Key><LastModified>${lastModified.toISOString()}</LastModified><ETag>&quot;${escape(etag)}&quot;</ETag><Size>${size}</Size><StorageClass>STANDARD</StorageClass></Contents>`;
}

/** The texts of all elements of that name, in order. */
export function textsOf(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, text = '']) =>
    unescape(text),
  );
}

function escape(text: string): string {
  // Most have nothing to escape, and clients wait for a thousand of them a page.
  if (!/[&<>"]/.test(text)) return text;
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
