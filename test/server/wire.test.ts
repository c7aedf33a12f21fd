/** Does the service produce the literal exchanges that were typed from the spec? */
import { describe, expect, it } from 'vitest';
import { startEmbeddedServer, uploadOf, type EmbeddedServer } from '../support/embedded-service.ts';
import { basic, exchange } from '../support/raw-client.ts';
import {
  fillPlaceholders,
  matchPlaceholders,
  readWireExchanges,
  type Given,
  type WireMessage,
} from '../support/wire-exchange.ts';

type Known = ReadonlyMap<string, string>;

describe('the service, asked as test/wire says, answers as test/wire says', () => {
  it.each(readWireExchanges().map((wire) => [wire.title, wire] as const))('%s', async (_title, wire) => {
    const embedded = await startEmbeddedServer();
    const known = await arrange(embedded, wire.given);

    const answer = await ask(embedded, wire.request, known);

    const filled = matchPlaceholders(wire.response.start, answer.statusLine, known);
    expect(filled, answer.statusLine).not.toBeNull();
    let seen = filled ?? known;
    for (const [name, value] of wire.response.headers) {
      const actual = answer.headers[name.toLowerCase()] ?? 'absent';
      const found = matchPlaceholders(value, actual, seen);
      expect(found, `${name}: ${actual}`).not.toBeNull();
      seen = found ?? seen;
    }
    if (isJson(wire.response))
      expectAlike(parseTemplate(wire.response.body), JSON.parse(answer.body.toString()), seen);
    else expect(answer.body.toString()).toBe(wire.response.body);
  });
});

async function arrange({ direct, store, bucket }: EmbeddedServer, given: Given): Promise<Known> {
  const known = new Map<string, string>();
  // The exchange says itself which buckets there are.
  await direct.deleteBucket(bucket);
  for (const wanted of given.buckets ?? []) {
    const made = await direct.createBucket(wanted.name);
    const [, name = ''] = /^\{\{(.*)\}\}$/.exec(wanted.bucket) ?? [];
    known.set(name, made.bucket);
    for (const folder of wanted.folders ?? []) await direct.createFolder(made.bucket, folder);
    for (const { key, text, contentType, visibility } of wanted.objects ?? []) {
      await direct.putObject(made.bucket, key, uploadOf(text, contentType));
      if (visibility !== undefined) await direct.setVisibility(made.bucket, key, visibility);
    }
  }
  store.changeAccount({ gracePeriod: given.gracePeriod ?? false });
  return known;
}

function ask(embedded: EmbeddedServer, request: WireMessage, known: Known): ReturnType<typeof exchange> {
  const fill = (text: string): string =>
    fillPlaceholders(text, (kind, example) => known.get(`${kind}:${example}`) ?? example);
  const [method = '', path = ''] = fill(request.start).split(' ');
  return exchange(embedded.baseUrl, {
    method,
    path,
    headers: { ...Object.fromEntries(request.headers), Authorization: basic(embedded.credentials) },
    ...(request.body === '' ? {} : { body: fill(request.body) }),
  });
}

function isJson(message: WireMessage): boolean {
  return message.headers.some(
    ([name, value]) => name.toLowerCase() === 'content-type' && value.includes('json'),
  );
}

/** A count is a number on the wire; in quotes it can be parsed. */
function parseTemplate(body: string): unknown {
  return JSON.parse(body.replace(/\{\{count:\d+\}\}/g, '"$&"'));
}

function expectAlike(template: unknown, actual: unknown, known: Known): void {
  if (typeof template === 'string') {
    const isCount = template.startsWith('{{count:');
    expect(typeof actual, template).toBe(isCount ? 'number' : 'string');
    expect(
      matchPlaceholders(template, String(actual), known),
      `${template}: ${String(actual)}`,
    ).not.toBeNull();
    return;
  }
  if (typeof template !== 'object' || template === null) {
    expect(actual).toBe(template);
    return;
  }
  const wanted = Object.entries(template);
  const found = Object.fromEntries(Object.entries(actual as object)) as Record<string, unknown>;
  expect(Object.keys(found).sort()).toEqual(wanted.map(([name]) => name).sort());
  for (const [name, value] of wanted) expectAlike(value, found[name], known);
}
