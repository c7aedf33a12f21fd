/** The other end of `ServedProcess`: how does a process answer the bench? */
import { describeError } from '../../src/base/errors.ts';
import { OPENED_ID, type Answers, type CallMessage, type ReplyMessage } from './served-process.ts';

/** Opens, says so, and answers calls until the bench goes. */
export function serveCalls(open: () => Promise<Answers>): void {
  process.once('disconnect', () => process.exit());
  // What is sent to all processes of a terminal is the bench's to answer: it unmounts before the store ends.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
  void reply(OPENED_ID, async () => {
    const answers = await open();
    process.on('message', ({ id, name, parameters }: CallMessage) => {
      void reply(id, () => {
        const answer = answers[name];
        if (answer === undefined) throw new Error(`there is no call ${name}`);
        return answer(...(parameters as never[]));
      });
    });
  });
}

async function reply(id: number, act: () => Promise<unknown>): Promise<void> {
  send(
    await act().then(
      (value) => ({ id, value }),
      (error: unknown) => ({ id, failure: describeError(error) }),
    ),
  );
}

function send(message: ReplyMessage): void {
  if (process.connected) process.send?.(message);
}
