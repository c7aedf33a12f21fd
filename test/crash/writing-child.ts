/** The process in which programs write; it outlives every mount. Told where, it writes until the mount is dead, and says so. */
import { Chance } from './chance.ts';
import { ManifestLines } from './manifest.ts';
import { Writer } from './writer.ts';

export interface WritingOrder {
  /** The mountpoint. */
  readonly top: string;
  readonly manifest: string;
  readonly seed: number;
  /** One each writer: its folder, and what it holds, by name. */
  readonly writers: readonly { readonly folder: string; readonly hashes: Readonly<Record<string, string>> }[];
}

/** No call is in progress any more. */
export type WritingReply = 'stopped';

async function write({ top, manifest, seed, writers }: WritingOrder): Promise<void> {
  const all = writers.map(({ folder, hashes }, number) => {
    const lines = new ManifestLines(manifest, number);
    return { lines, hashes, writer: new Writer(top, folder, new Chance(seed + number), lines) };
  });
  await Promise.all(
    all.map(async ({ lines, hashes, writer }) => {
      try {
        await writer.look(hashes);
        await writer.goOn();
      } catch (error) {
        lines.failed(error instanceof Error ? error.message : String(error));
      }
    }),
  );
  process.send?.('stopped' satisfies WritingReply);
}

process.on('message', (order: WritingOrder) => {
  void write(order);
});
