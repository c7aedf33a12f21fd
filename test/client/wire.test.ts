import { describe, expect, it } from 'vitest';
import type { Download, UploadBody } from '../../src/service/object-service.ts';
import type { HttpService } from '../../src/client/http-service.ts';
import { reply } from '../support/raw-server.ts';
import type { RawRequest } from '../support/raw-server.ts';
import { fillPlaceholders, matchPlaceholders, readWireExchanges } from '../support/wire-exchange.ts';
import type { WireExchange, WireMessage } from '../support/wire-exchange.ts';
import { openClient, refusalFrom, textBody, textOf } from './open-client.ts';

const NOT_RECORDED = ['host', 'authorization', 'connection', 'user-agent', 'accept-encoding'];

describe('the literal exchanges of the spec', () => {
  it.each(readWireExchanges().map((exchange) => [exchange.title, exchange] as const))(
    '%s: the client sends these bytes and understands that answer',
    async (_title, exchange) => {
      const { service, server } = await openClient([responseText(exchange.response)]);

      const outcome = await outcomeOf(service, exchange);

      expect(outcome).toEqual(exchange.outcome);
      expect(server.requests.map(recorded)).toEqual([expectedRequest(exchange.request)]);
    },
  );

  it('fit what the service chose instead of the examples', () => {
    const template = '{"bucket":"{{bucket:a}}","also":"{{bucket:a}}","size":{{count:5}}}';

    const found = matchPlaceholders(template, '{"bucket":"b-1","also":"b-1","size":77}');
    const torn = matchPlaceholders(template, '{"bucket":"b-1","also":"b-2","size":77}');
    const unfit = matchPlaceholders(template, '{"bucket":"b-1","also":"b-1","size":"x"}');

    expect([...(found ?? [])]).toEqual([
      ['bucket:a', 'b-1'],
      ['count:5', '77'],
    ]);
    expect(torn).toBeNull();
    expect(unfit).toBeNull();
  });
});

function responseText({ start, headers, body }: WireMessage): string {
  const [, ...status] = start.split(' ');
  const named = headers.map(([name, value]) => [name, fillPlaceholders(value)] as const);
  return reply(status.join(' '), Object.fromEntries(named), fillPlaceholders(body));
}

function recorded({ method, path, headers, body }: RawRequest): unknown {
  const named = Object.entries(headers).filter(([name]) => !NOT_RECORDED.includes(name));
  const recordedHeaders = Object.fromEntries(named);
  if (headers['content-type'] === 'application/json') delete recordedHeaders['content-length'];
  return { start: `${method} ${path} HTTP/1.1`, headers: recordedHeaders, body: body.toString('utf8') };
}

function expectedRequest({ start, headers, body }: WireMessage): unknown {
  const named = headers.map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    start: fillPlaceholders(start),
    headers: Object.fromEntries(named),
    body: fillPlaceholders(body),
  };
}

async function outcomeOf(service: HttpService, exchange: WireExchange): Promise<WireExchange['outcome']> {
  const call = invoke(service, exchange);
  if (exchange.outcome.refusal !== undefined) return { refusal: (await refusalFrom(call)).kind };
  const result = await call;
  if (result === undefined) return {};
  const body = isDownload(result) ? { body: await textOf(result.body) } : {};
  return { record: JSON.parse(JSON.stringify({ ...(result as object), ...body })) as unknown };
}

async function invoke(service: HttpService, { call }: WireExchange): Promise<unknown> {
  const methods = service as unknown as Record<string, (...values: unknown[]) => Promise<unknown>>;
  const values = call.arguments.map((value) => (isText(value) ? bodyOf(value) : value));
  return methods[call.method]?.(...values);
}

function isText(value: unknown): value is { readonly text: string; readonly contentType?: string } {
  return typeof value === 'object' && value !== null && 'text' in value;
}

function bodyOf({ text, contentType }: { readonly text: string; readonly contentType?: string }): UploadBody {
  return textBody(text, contentType);
}

function isDownload(value: unknown): value is Download {
  return typeof value === 'object' && value !== null && 'body' in value;
}
