/** How does a person see how far a command is? On a terminal by one line that changes; elsewhere not at all. */
import { SingleBar } from 'cli-progress';

export interface Progress {
  /** So much more, in the unit of the total. */
  add(amount: number): void;
  /** Back to the beginning and on to there: a try failed, or a resumed part counts. */
  set(done: number): void;
  end(): void;
}

const UNSEEN: Progress = { add: () => undefined, set: () => undefined, end: () => undefined };

/** `shown`: how an amount is written. */
export function openProgress(
  what: string,
  total: number,
  shown: (amount: number) => string = String,
): Progress {
  if (!process.stderr.isTTY || total === 0) return UNSEEN;
  const bar = new SingleBar({
    format: `${what} {bar} {percentage}% ({done} of {all})`,
    barsize: 20,
    stream: process.stderr,
    clearOnComplete: true,
    // It would take the first Ctrl-C for itself.
    gracefulExit: false,
  });
  let done = 0;
  const show = (amount: number): void => {
    done = amount;
    bar.update(done, { done: shown(done) });
  };
  bar.start(total, 0, { done: shown(0), all: shown(total) });
  return {
    add: (amount) => {
      show(done + amount);
    },
    set: show,
    end: () => {
      bar.stop();
    },
  };
}
