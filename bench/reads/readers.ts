/** Who reads large files? Processes that are started once, as many as read at the same time. */
import { ServedProcess } from '../frame/served-process.ts';
import type { PatternedPath, ReaderAnswers } from './reader-process.ts';

/** They end when everything is undone. */
export class Readers {
  readonly #processes: readonly ServedProcess<ReaderAnswers>[];

  private constructor(processes: readonly ServedProcess<ReaderAnswers>[]) {
    this.#processes = processes;
  }

  static async start(count: number): Promise<Readers> {
    const start = (): Promise<ServedProcess<ReaderAnswers>> =>
      ServedProcess.start<ReaderAnswers>(new URL('./reader-process.ts', import.meta.url));
    return new Readers(await Promise.all(Array.from({ length: count }, start)));
  }

  /** Each by a process of its own, all at the same time; no more files than there are processes. */
  async readWhole(files: readonly PatternedPath[]): Promise<void> {
    await Promise.all(files.map((file, index) => this.#process(index).call('readWhole', file)));
  }

  async readAt(file: PatternedPath, positions: readonly number[], length: number): Promise<void> {
    await this.#process(0).call('readAt', file, positions, length);
  }

  async readFirstBytes(files: readonly PatternedPath[]): Promise<void> {
    await this.#process(0).call('readFirstBytes', files);
  }

  #process(index: number): ServedProcess<ReaderAnswers> {
    const found = this.#processes[index];
    if (found === undefined) throw new Error(`there is no reader ${index}`);
    return found;
  }
}
