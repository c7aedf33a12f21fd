/** Between two tries of a call others may have stored the file: whoever made the call is asked whether it is still meant, and when? */
import { expect, it } from 'vitest';
import { reply, replyJson } from '../support/raw-server.ts';
import { openClient, refusalFrom, textBody } from './open-client.ts';

const BUSY = reply('503 Busy');
const STORED = replyJson('200 OK', { bucket: 'b', key: 'k', size: 5 });
const DELETED = replyJson('200 OK', { bucket: 'b', key: 'k', deleted: true });

it('an upload over what others have stored since is not tried again', async () => {
  const { service, server } = await openClient([BUSY, STORED]);
  const isStillMeant = (): Promise<boolean> => Promise.resolve(false);

  const refusal = await refusalFrom(service.putObject('b', 'k', textBody('hello'), { isStillMeant }));

  expect(refusal).toMatchObject({ kind: 'unavailable', status: 503 });
  expect(server.requests).toHaveLength(1);
});

it('an upload is asked for after its turn has come, however long that took, and a deletion before it takes its place', async () => {
  const { service } = await openClient([BUSY, STORED, BUSY, DELETED]);
  const order: string[] = [];
  const options = {
    pausing: async (pause: () => Promise<void>): Promise<void> => {
      await pause();
      order.push('turn');
    },
    isStillMeant: (): Promise<boolean> => {
      order.push('asked');
      return Promise.resolve(true);
    },
  };

  await service.putObject('b', 'k', textBody('hello'), options);
  const ofUpload = order.splice(0);
  await service.deleteObject('b', 'k', options).catch(() => undefined);

  expect([ofUpload, order]).toEqual([
    ['turn', 'asked'],
    ['asked', 'turn'],
  ]);
});

it('a call that is given up while that is asked ends as given up', async () => {
  const { service, server } = await openClient([BUSY, STORED]);
  const controller = new AbortController();
  const isStillMeant = (): Promise<boolean> => {
    controller.abort();
    return new Promise(() => undefined);
  };
  const { signal } = controller;

  const refusal = await refusalFrom(service.putObject('b', 'k', textBody('hello'), { signal, isStillMeant }));

  expect(refusal.kind).toBe('aborted');
  expect(server.requests).toHaveLength(1);
});
