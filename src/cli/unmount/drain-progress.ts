/** How does a person see what still goes up while a mount ends? */
import { SingleBar } from 'cli-progress';
import prettyBytes from 'pretty-bytes';
import type { StatusDocument } from '../control/control-documents.ts';
import { sayToPerson } from '../screen/report.ts';
import { sumsOf } from '../status/status-table.ts';

/** Between two lines where there is no terminal, milliseconds. */
const LINE_EVERY_MS = 10_000;
/** Shorter waits need no explanation. */
const SILENT_MS = 1000;
/** Over which the rate is taken. */
const RATE_SPAN_MS = 5000;

interface Sample {
  readonly at: number;
  readonly bytesSent: number;
}

export interface DrainProgress {
  /** `at`: monotonic milliseconds; `document`: null when nobody answers. */
  show(at: number, document: StatusDocument | null): void;
  end(): void;
}

/** On a terminal one line that changes, elsewhere a line now and then. `beganAt`: monotonic milliseconds. */
export function openDrainProgress(pid: number, beganAt: number, isTerminal: boolean): DrainProgress {
  return isTerminal ? new BarProgress(beganAt) : new LineProgress(pid, beganAt);
}

/** Bytes a second lately. */
class Rate {
  readonly #samples: Sample[] = [];

  take(sample: Sample): number {
    this.#samples.push(sample);
    while (sample.at - (this.#samples[0]?.at ?? 0) > RATE_SPAN_MS) this.#samples.shift();
    const first = this.#samples[0] ?? sample;
    return sample.at === first.at
      ? 0
      : ((sample.bytesSent - first.bytesSent) * 1000) / (sample.at - first.at);
  }
}

/** It is detached, but serves the programs that still use it: nothing goes up before they are done. */
function isUsed(document: StatusDocument | null): boolean {
  return document?.phase === 'serving';
}

function waitingFor(document: StatusDocument | null): string {
  return isUsed(document)
    ? 'waiting until the programs that use it have let go'
    : 'waiting for uploads to finish';
}

class LineProgress implements DrainProgress {
  readonly #pid: number;
  readonly #beganAt: number;
  readonly #rate = new Rate();
  #nextAt: number;

  constructor(pid: number, beganAt: number) {
    this.#pid = pid;
    this.#beganAt = beganAt;
    this.#nextAt = beganAt + SILENT_MS;
  }

  show(at: number, document: StatusDocument | null): void {
    const rate = document === null ? 0 : this.#rate.take({ at, bytesSent: document.bytesSent });
    if (at < this.#nextAt) return;
    this.#nextAt = at + LINE_EVERY_MS;
    const sums = document === null ? '' : sumsOf(document.waiting);
    const left = sums === '' ? '' : `: ${sums}, ${prettyBytes(rate)}/s`;
    const seconds = Math.round((at - this.#beganAt) / 1000);
    // The bare number would read as that of a program which holds the mount: whoever ends it loses what waits.
    sayToPerson(`${waitingFor(document)} (pailfs is process ${this.#pid}, ${seconds} s)${left}`);
  }

  end(): void {
    // Each line stands for itself.
  }
}

class BarProgress implements DrainProgress {
  readonly #beganAt: number;
  readonly #rate = new Rate();
  readonly #bar = new SingleBar({
    format: 'uploading {bar} {left}, {rate}/s',
    barsize: 20,
    stream: process.stderr,
    clearOnComplete: true,
    // It would be left switched off by a Ctrl-C.
    linewrap: true,
    // It would take the first Ctrl-C for itself, to show the cursor again; so that is not hidden.
    gracefulExit: false,
  });
  #sentBefore: number | undefined;
  #isUseTold = false;

  constructor(beganAt: number) {
    this.#beganAt = beganAt;
  }

  show(at: number, document: StatusDocument | null): void {
    if (document === null) return;
    const { bytesSent, waiting } = document;
    const rate = this.#rate.take({ at, bytesSent });
    if (at - this.#beganAt < SILENT_MS) return;
    if (isUsed(document)) {
      if (!this.#isUseTold) sayToPerson(waitingFor(document));
      this.#isUseTold = true;
      return;
    }
    const isFirst = this.#sentBefore === undefined;
    this.#sentBefore ??= bytesSent;
    const done = bytesSent - this.#sentBefore;
    const total = done + waiting.bytesLeft;
    const words = { left: sumsOf(waiting), rate: prettyBytes(rate) };
    if (isFirst) this.#bar.start(total, done, words);
    this.#bar.setTotal(total);
    this.#bar.update(done, words);
  }

  end(): void {
    if (this.#sentBefore !== undefined) this.#bar.stop();
  }
}
