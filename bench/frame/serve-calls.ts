/** The other end of `ServedProcess`: how does a process answer the bench? */
import { describeError } from '../../src/base/errors.ts';
import { OPENED_ID, type Answers, type CallMessage, type ReplyMessage } from './served-process.ts';

/** Opens, says so, and answers calls until the bench goes. */
export function serveCalls(open: () => Promise<Answers>): void {
  process.once('disconnect', () => process.exit());
  // The bench itself decides what an interrupt ends, and in which order.
  process.on('SIGINT', () => undefined);
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
