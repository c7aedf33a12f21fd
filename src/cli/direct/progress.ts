/** How does a person see how far a command is? On a terminal by one line that changes; elsewhere not at all. */
import { clearLine, cursorTo } from 'node:readline';
import { SingleBar, type Params } from 'cli-progress';
import { printable, shortened, widthOf } from '../screen/screen-text.ts';

export interface Progress {
  /** So much more, in the unit of the total. */
  add(amount: number): void;
  /** Back to the beginning and on to there: a try failed, or a resumed part counts. */
  set(done: number): void;
  /** Lines that `write` prints, to whatever stream, stand above the bar and not in its midst. */
  above(write: () => void): void;
  end(): void;
}

const BAR_LETTERS = 20;
/** A name that is cut shorter says less than the bar. */
const LEAST_NAME = 8;
/** DECSC: where the library goes back to when it ends. */
const SAVE_CURSOR = '\x1B7';

const UNSEEN: Progress = {
  add: () => undefined,
  set: () => undefined,
  above: (write) => {
    write();
  },
  end: () => undefined,
};

/** `shown`: how an amount is written. */
export function openProgress(
  what: string,
  total: number,
  shown: (amount: number) => string = String,
): Progress {
  const { stderr } = process;
  if (!stderr.isTTY || total === 0) return UNSEEN;
  const bar = new SingleBar({
    format: (_options, params) => progressLine(what, params, shown),
    stream: stderr,
    clearOnComplete: true,
    forceRedraw: true,
    // What it would change in the terminal stays changed after a Ctrl-C, of which it is not to take the first for itself.
    linewrap: true,
    gracefulExit: false,
  });
  bar.start(total, 0);
  let done = 0;
  const show = (amount: number): void => {
    done = amount;
    bar.update(done);
  };
  return {
    add: (amount) => {
      show(done + amount);
    },
    set: show,
    above: (write) => {
      cursorTo(stderr, 0);
      clearLine(stderr, 0);
      write();
      stderr.write(SAVE_CURSOR);
      bar.render();
    },
    end: () => {
      bar.stop();
    },
  };
}

/** As wide as the terminal at most, less one: in its last column some terminals begin the next line. */
export function progressLine(
  what: string,
  { progress, value, total, maxWidth }: Pick<Params, 'progress' | 'value' | 'total' | 'maxWidth'>,
  shown: (amount: number) => string,
): string {
  const name = printable(what);
  const bar = ` ${'='.repeat(Math.round(progress * BAR_LETTERS)).padEnd(BAR_LETTERS, '-')}`;
  const numbers = ` ${Math.floor(progress * 100)}% (${shown(value)} of ${shown(total)})`;
  const room = maxWidth - 1 - numbers.length;
  const isWide = room - bar.length >= Math.min(widthOf(name), LEAST_NAME);
  return isWide
    ? shortened(name, room - bar.length) + bar + numbers
    : shortened(shortened(name, Math.max(1, room)) + numbers, maxWidth - 1);
}
