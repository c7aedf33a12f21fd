/** What happens to requests when the service no longer takes the credentials? */
import { describe, expect, it } from 'vitest';
import type { Credentials } from '../../src/client/credentials.ts';
import { reply, replyJson } from '../support/raw-server.ts';
import type { Script } from '../support/raw-server.ts';
import { CREDENTIALS, openClient, refusalFrom, textBody } from './open-client.ts';

const NEW: Credentials = { accessKeyId: 'NEW', secretAccessKey: 'fr3sh' };

function basic({ accessKeyId, secretAccessKey }: Credentials): string {
  return `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString('base64')}`;
}

/** `status` unless asked under `accepted`. */
function onlyOr(status: number, accepted: Credentials, answer = reply('204 No Content')): Script {
  return {
    play: (socket, { headers }) => {
      const isKnown = headers['authorization'] === basic(accepted);
      socket.write(isKnown ? answer : replyJson(`${status} No`, { error: 'who?' }), 'latin1');
    },
  };
}

/** A source of credentials that counts how often it is asked. */
function source(...answers: readonly (Credentials | Error)[]): {
  readonly reread: () => Promise<Credentials>;
  asked: number;
} {
  const counting = {
    asked: 0,
    reread: async () => {
      await Promise.resolve();
      const answer = answers[Math.min(counting.asked, answers.length - 1)];
      counting.asked += 1;
      if (answer === undefined || answer instanceof Error) throw answer ?? new Error('no answer');
      return answer;
    },
  };
  return counting;
}

// The spec shows no status of credentials that are wrong (§5).
describe.each([401, 403])('a %d', (status) => {
  const only = (accepted: Credentials, answer?: string): Script => onlyOr(status, accepted, answer);

  it('has the credentials read again, and the request goes out once more under the new ones', async () => {
    const from = source(NEW);
    const { service, server } = await openClient([only(NEW)], { rereadCredentials: from.reread });

    await service.deleteObject('b', 'k');
    await service.deleteObject('b', 'k');

    const sent = server.requests.map(({ headers }) => headers['authorization']);
    expect(sent).toEqual([basic(CREDENTIALS), basic(NEW), basic(NEW)]);
    expect(from.asked).toBe(1);
  });

  it('sends an upload again with all its bytes', async () => {
    const stored = replyJson('201 Created', { bucket: 'b', key: 'k', size: 5 });
    const { service, server } = await openClient([only(NEW, stored)], {
      rereadCredentials: source(NEW).reread,
    });

    await service.putObject('b', 'k', textBody('hello'));

    expect(server.requests.map(({ body }) => body.toString())).toEqual(['hello', 'hello']);
  });

  it('of many requests at once asks the source once', async () => {
    const from = source(NEW);
    const { service } = await openClient([only(NEW)], { rereadCredentials: from.reread });

    await Promise.all(Array.from({ length: 20 }, (_, n) => service.deleteObject('b', String(n))));

    expect(from.asked).toBe(1);
  });

  it('of many requests asks a source once that takes its time', async () => {
    const from = source(NEW);
    let give = (): void => undefined;
    const given = new Promise<void>((resolve) => (give = resolve));
    const reread = (): Promise<Credentials> => Promise.all([from.reread(), given]).then(([found]) => found);
    const { service } = await openClient([only(NEW)], { rereadCredentials: reread });

    const done = Promise.all(Array.from({ length: 20 }, (_, n) => service.deleteObject('b', String(n))));
    await expect.poll(() => service.traffic.facts().failed).toBe(20);
    give();

    await done;
    expect(from.asked).toBe(1);
  });

  it('that comes late, when the new ones are there, has nobody asked', async () => {
    const from = source(NEW);
    let answerLate = (): void => undefined;
    const whole = only(NEW);
    const late: Script = {
      play: (socket, request) => {
        answerLate = () => void whole.play(socket, request);
      },
    };
    const { service, server, clock } = await openClient([late, whole], { rereadCredentials: from.reread });

    const deletion = service.deleteObject('b', 'late');
    await expect.poll(() => server.requests.length).toBe(1);
    await service.deleteObject('b', 'k');
    clock.advance(15_000);
    answerLate();

    await deletion;
    expect(from.asked).toBe(1);
  });

  it('under the new ones too is denied, and nothing is sent a third time', async () => {
    const from = source(NEW);
    const { service, server } = await openClient([reply(`${status} No`)], {
      rereadCredentials: from.reread,
    });

    const refusal = await refusalFrom(service.deleteObject('b', 'k'));

    expect(refusal).toMatchObject({ kind: 'denied', status });
    expect(server.requests).toHaveLength(2);
    expect(from.asked).toBe(1);
  });

  it('is denied at once when the source still has the old ones, which is asked again only after a while', async () => {
    const from = source(CREDENTIALS, NEW);
    const { service, server, clock } = await openClient([only(NEW)], { rereadCredentials: from.reread });

    await refusalFrom(service.deleteObject('b', 'k'));
    await refusalFrom(service.deleteObject('b', 'k'));
    expect([from.asked, server.requests.length]).toEqual([1, 2]);

    clock.advance(10_000);
    await service.deleteObject('b', 'k');
    expect(from.asked).toBe(2);
  });

  it('is denied when the source cannot be asked, and the log says why', async () => {
    const from = source(new Error('the vault is sealed'));
    const { service, log } = await openClient([only(NEW)], { rereadCredentials: from.reread });

    const refusal = await refusalFrom(service.deleteObject('b', 'k'));

    expect(refusal.kind).toBe('denied');
    expect(log.lines).toContainEqual({
      message: 'The service refused the credentials, and they could not be read again',
      fields: { error: expect.objectContaining({ message: 'the vault is sealed' }) as Error },
    });
  });

  it('is denied when what the source gives cannot be sent', async () => {
    const from = source({ accessKeyId: 'a:b', secretAccessKey: 's' });
    const { service, server } = await openClient([only(NEW)], { rereadCredentials: from.reread });

    expect((await refusalFrom(service.deleteObject('b', 'k'))).kind).toBe('denied');
    expect(server.requests).toHaveLength(1);
  });

  it('does not wait for ever for a source that never answers', async () => {
    let isAsked = (): void => undefined;
    const asked = new Promise<void>((resolve) => (isAsked = resolve));
    const { service, clock } = await openClient([only(NEW)], {
      rereadCredentials: () => {
        isAsked();
        return new Promise<never>(() => undefined);
      },
    });

    const outcome = refusalFrom(service.putObject('b', 'k', textBody('x')));
    await asked;
    clock.advance(20_000);

    expect(await outcome).toMatchObject({ kind: 'timeout' });
  });

  it('shows neither the old secret nor the new one in the log', async () => {
    const { service, log } = await openClient([only(NEW)], { rereadCredentials: source(NEW).reread });

    await service.deleteObject('b', 'k');

    expect(JSON.stringify(log.lines)).toContain('read again');
    expect(JSON.stringify(log.lines)).not.toMatch(/fr3sh|s3cr3t/);
  });
});

describe('credentials that are refused, and of which the source still gives the same', () => {
  const SAME = 'The service refused the credentials, and their file or command still gives the same';

  it.each([
    ['are said to be in the log after a 401', 401, [SAME]],
    ['are not after a 403, which also says that they may only read', 403, []],
  ])('%s', async (_what, status, said) => {
    const { service, log } = await openClient([onlyOr(status, NEW)], {
      rereadCredentials: source(CREDENTIALS).reread,
    });

    const refusal = await refusalFrom(service.deleteObject('b', 'k'));

    expect(refusal.kind).toBe('denied');
    expect(log.lines.map(({ message }) => message).filter((text) => text.includes('credentials'))).toEqual(
      said,
    );
  });
});

it.each([400, 404, 500])('a %d leaves the source alone', async (status) => {
  const from = source(NEW);
  const { service } = await openClient([reply(`${status} X`)], {
    rereadCredentials: from.reread,
    retry: { retries: 0 },
  });

  await refusalFrom(service.deleteObject('b', 'k'));

  expect(from.asked).toBe(0);
});
