/** How do a serving process and a command talk? On real mounts: test/mount/cli-uploads.test.ts, cli-unmount.test.ts. */
import { stat } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ControlClient, ControlRefused, ControlSilent } from '../../src/cli/control/control-client.ts';
import type { Controlled } from '../../src/cli/control/control-documents.ts';
import { ControlServer } from '../../src/cli/control/control-server.ts';
import { CHANGES, controlled, LINK, STATUS } from '../support/controlled.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

async function open(answers: Controlled): Promise<{ readonly path: string; readonly client: ControlClient }> {
  const path = join(await temporaryDirectory(), 'control.sock');
  const server = await ControlServer.open(path, answers);
  onTestFinished(() => server.close());
  return { path, client: new ControlClient(path) };
}

/** Somebody else behind the socket. */
async function impostor(listener: RequestListener): Promise<ControlClient> {
  const path = join(await temporaryDirectory(), 'control.sock');
  const server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(path, resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return new ControlClient(path);
}

describe('the control socket', () => {
  it('answers what is asked, and is for its owner alone', async () => {
    const { path, client } = await open(controlled());

    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await client.status()).toEqual(STATUS);
    expect(await client.uploads()).toEqual(CHANGES);
    expect(await client.retry(null)).toMatchObject([{ id: 'all', isDone: true }]);
    expect(await client.retry(['x', 'y'])).toMatchObject([{ id: 'x' }, { id: 'y' }]);
    expect(await client.discard(['x'])).toMatchObject([{ id: 'x' }]);
    expect(await client.giveUp()).toEqual({ isEnding: true });
    expect(await client.link('/a')).toEqual(LINK);
    expect(await client.setVisibility('/a', 'private')).toEqual({ ...LINK, visibility: 'private' });
  });

  it('is asked anew each time: one that ends a connection after an answer is not taken for silent', async () => {
    const answered = new WeakSet<object>();
    const client = await impostor(({ socket }, response) => {
      // As when who asks was too busy to hear that it has ended.
      if (answered.has(socket)) return void socket.destroy();
      answered.add(socket);
      response.end(JSON.stringify({ changes: [] }));
    });

    expect(await client.uploads()).toEqual([]);
    expect(await client.uploads()).toEqual([]);
  });

  it('hands over which path is to be refreshed', async () => {
    const refreshed: string[] = [];
    const refresh = (path: string): Promise<void> => {
      refreshed.push(path);
      return Promise.resolve();
    };
    const { client } = await open(controlled({ refresh }));

    await client.refresh('/a folder');

    expect(refreshed).toEqual(['/a folder']);
  });

  it('takes the place of one that a dead process left', async () => {
    const { path, client } = await open(controlled());

    const next = await ControlServer.open(path, controlled({ giveUp: () => ({ isEnding: false }) }));
    onTestFinished(() => next.close());

    expect(await client.giveUp()).toEqual({ isEnding: false });
  });

  it('says why something cannot be done', async () => {
    const { client } = await open(
      controlled({ retry: () => Promise.reject(new Error('it is just ending')) }),
    );

    await expect(client.retry(null)).rejects.toThrow(ControlRefused);
    await expect(client.retry(null)).rejects.toThrow('it is just ending');
  });

  it('is silent when nobody listens, nobody answers, or somebody answers something else', async () => {
    const gone = new ControlClient(join(await temporaryDirectory(), 'none.sock'));
    const mute = await impostor(() => undefined);
    const other = await impostor((_request, response) => response.end('{"changes": [{"id": 1}]}'));
    const text = await impostor((_request, response) => response.end('hello'));

    for (const client of [gone, mute, other, text]) {
      await expect(client.uploads()).rejects.toThrow(ControlSilent);
    }
  });
});
