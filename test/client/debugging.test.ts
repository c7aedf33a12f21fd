/** What does `--debug` show of requests? A line for each try, and no secret. */
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { reply, replyJson, type Script } from '../support/raw-server.ts';
import { CREDENTIALS, RecordingLog, openClient, refusalFrom, textBody, textOf } from './open-client.ts';

const VERSION = { ETag: '"e"', 'Last-Modified': 'Fri, 02 Jan 2026 03:04:05 GMT' };
const RESET: Script = { play: (socket) => void socket.resetAndDestroy() };

describe('with --debug', () => {
  it('each try of a request is a line', async () => {
    const stored = replyJson('200 OK', { bucket: 'b', key: 'k', size: 5 });
    const { service, log } = await openClient([reply('503 Busy'), RESET, stored]);

    await service.putObject('b', 'k', textBody('hello'));

    const tries = log.lines.filter(({ message }) => message !== 'A request is tried again');
    const common = { operation: 'putObject', subject: 'b/k', milliseconds: 0, sent: 5 };
    expect(tries).toEqual([
      {
        message: 'A request failed',
        fields: { ...common, status: 503, reason: 'the service answered 503', received: 0 },
      },
      {
        message: 'A request failed',
        fields: { ...common, reason: expect.stringContaining('no answer') as unknown },
      },
      { message: 'A request was answered', fields: { ...common, status: 200, received: 33 } },
    ]);
  });

  it('the line says how long it took, and how many bytes an answer has', async () => {
    const { service, log, clock, server } = await openClient([
      {
        play: async (socket) => {
          clock.advance(120);
          socket.write(reply('200 OK', VERSION, 'hello'));
          await Promise.resolve();
        },
      },
    ]);

    const { body } = await service.getObject('b', 'k');

    expect(await textOf(body)).toBe('hello');
    expect(server.requests).toHaveLength(1);
    expect(log.lines.map(({ fields }) => fields)).toEqual([
      { operation: 'getObject', subject: 'b/k', status: 200, milliseconds: 120, received: 5 },
    ]);
  });

  it('no line has the secret in it', async () => {
    const { service, log } = await openClient([
      replyJson('403 Forbidden', { error: `not for ${CREDENTIALS.secretAccessKey}` }),
    ]);

    await refusalFrom(service.getBucket('b'));

    expect(log.lines).toHaveLength(1);
    expect(JSON.stringify(log.lines)).not.toContain(CREDENTIALS.secretAccessKey);
  });
});

it('without it no line is made', async () => {
  const log = Object.assign(new RecordingLog(), { hidesDebug: silentLog.hidesDebug });
  const { service } = await openClient([reply('200 OK', { ...VERSION, 'Content-Length': '5' })], { log });

  await service.headObject('b', 'k');

  expect(log.lines).toEqual([]);
});
