/**
 * What do the files in test/wire say? One literal exchange a file, typed from the spec.
 *
 * The client's tests play the service: they check the request and send the response. The service's tests play the client:
 * they send the request and check the response. A file has sections, each begun by a line `### name`:
 *
 *     Text before the first section is a comment: what is shown, and the section of the spec.
 *     ### given      JSON, for the service's tests: the buckets that exist, see `Given`
 *     ### call       JSON: { "method": ..., "arguments": [...] } of the port; an upload's body is `{ "text", "contentType"? }`
 *     ### request    head, empty line, body
 *     ### response   head, empty line, body
 *     ### outcome    JSON: { "record": ... } (Dates as ISO text) or { "refusal": kind }
 *
 * Line ends are LF in the file and CRLF in heads on the wire; the line end before the next section belongs to no body.
 * Left out of requests, and added or ignored by whoever plays: Host, Authorization, Connection, User-Agent, and
 * Accept-Encoding. Left out of responses: Content-Length of JSON bodies (the client's tests add it), Connection, Keep-Alive.
 * JSON bodies are to be compared as values, not as text; header names without regard to case, headers without order.
 *
 * A placeholder `{{kind:example}}` stands for a value that the service chooses. The client's tests use the example. The
 * service's tests accept any text that fits the kind, the same at each place with the same example; in requests they put what
 * the service chose before (a bucket's identifier, for example) in its place. A JSON number is written `"{{count:5}}"`, in quotes, and is a
 * number on the wire.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** What exists before the exchange. */
export interface Given {
  readonly buckets?: readonly GivenBucket[];
  /** The account is in a grace period (§8). */
  readonly gracePeriod?: boolean;
}

export interface GivenBucket {
  /** A placeholder `{{bucket:...}}`. */
  readonly bucket: string;
  readonly name: string;
  readonly folders?: readonly string[];
  readonly objects?: readonly {
    readonly key: string;
    readonly text: string;
    readonly contentType?: string;
    readonly visibility?: 'public' | 'private';
  }[];
}

export interface WireMessage {
  /** The request line or the status line. */
  readonly start: string;
  /** In order, names as written. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

export interface WireExchange {
  /** The file's name without `.http`. */
  readonly title: string;
  readonly given: Given;
  readonly call: { readonly method: string; readonly arguments: readonly unknown[] };
  readonly request: WireMessage;
  readonly response: WireMessage;
  readonly outcome: { readonly record?: unknown; readonly refusal?: string };
}

const KINDS = {
  bucket: '[^/?#\\s"]+',
  uuid: '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}',
  'iso-date': '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?(?:Z|[+-]\\d\\d:\\d\\d)',
  'http-date': '[A-Z][a-z]{2}, \\d\\d [A-Z][a-z]{2} \\d{4} \\d\\d:\\d\\d:\\d\\d GMT',
  etag: '[^"]+',
  bookmark: '[^"\\s]+',
  url: 'https?://[^\\s"]+',
  text: '[^"]+',
  count: '\\d+',
} as const;

export type PlaceholderKind = keyof typeof KINDS;

const PLACEHOLDER = new RegExp(`\\{\\{(${Object.keys(KINDS).join('|')}):(.*?)\\}\\}`, 'g');
const COUNT_IN_QUOTES = /"(\{\{count:\d+\}\})"/g;

/** All files of test/wire. */
export function readWireExchanges(): readonly WireExchange[] {
  const folder = new URL('../wire/', import.meta.url);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.http'))
    .sort()
    .map((name) =>
      parseWireExchange(name.slice(0, -'.http'.length), readFileSync(new URL(name, folder), 'utf8')),
    );
}

export function parseWireExchange(title: string, text: string): WireExchange {
  const sections = new Map<string, string>();
  for (const section of text.split(/^### /m).slice(1)) {
    const lineEnd = section.indexOf('\n');
    sections.set(section.slice(0, lineEnd).trim(), section.slice(lineEnd + 1).replace(/\n$/, ''));
  }
  const section = (name: string): string => {
    const found = sections.get(name);
    if (found === undefined) throw new Error(`${title}.http has no section ${name}`);
    return found;
  };
  return {
    title,
    given: JSON.parse(sections.get('given') ?? '{}') as Given,
    call: JSON.parse(section('call')) as WireExchange['call'],
    request: parseMessage(section('request')),
    response: parseMessage(section('response')),
    outcome: JSON.parse(section('outcome')) as WireExchange['outcome'],
  };
}

function parseMessage(text: string): WireMessage {
  const [head = '', ...rest] = text.split('\n\n');
  const [start = '', ...lines] = head.split('\n');
  const headers = lines
    .filter((line) => line !== '')
    .map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()] as const;
    });
  return { start, headers, body: rest.join('\n\n').replace(COUNT_IN_QUOTES, '$1') };
}

/** `text` with each placeholder's value: by default its example. */
export function fillPlaceholders(
  text: string,
  valueOf: (kind: PlaceholderKind, example: string) => string = (_kind, example) => example,
): string {
  return text.replace(PLACEHOLDER, (_whole, kind: string, example: string) =>
    valueOf(kind as PlaceholderKind, example),
  );
}

/**
 * What each placeholder of `template` stands for in `actual`, by `kind:example`; null when they do not fit. `known` holds
 * what was found earlier in the same exchange.
 */
export function matchPlaceholders(
  template: string,
  actual: string,
  known: ReadonlyMap<string, string> = new Map(),
): Map<string, string> | null {
  const names: string[] = [];
  const pattern = template.split(PLACEHOLDER).map((part, index, parts) => {
    if (index % 3 === 0) return escaped(part);
    if (index % 3 === 2) return '';
    const kind = part as PlaceholderKind;
    names.push(`${kind}:${parts[index + 1] ?? ''}`);
    return `(${KINDS[kind]})`;
  });
  const match = new RegExp(`^${pattern.join('')}$`, 's').exec(actual);
  if (match === null) return null;
  const found = new Map(known);
  for (const [index, name] of names.entries()) {
    const value = match[index + 1] ?? '';
    if ((found.get(name) ?? value) !== value) return null;
    found.set(name, value);
  }
  return found;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
