/**
 * How long does who removes, renames or discards what is just being stored wait?
 *
 * The kernel lets nobody into its folder meanwhile, not even to list it, and whoever waits there cannot be killed. So an upload that would take
 * long is stopped.
 */
import type { MountState } from '../mount-state.ts';
import type { OpenFile } from '../open-file.ts';

/** Most uploads end within this; to send one again would cost more than it saves. Milliseconds. */
const PATIENCE = 1000;

/** As `claims.run`, for who removes, renames or discards what is at `paths`; only uploads that `mayStop` are stopped. */
export async function claimedSoon<Result>(
  { claims, clock, table }: MountState,
  paths: readonly string[],
  change: () => Promise<Result>,
  mayStop: (file: OpenFile) => boolean = () => true,
): Promise<Result> {
  const isMeant = (path: string): boolean => paths.some((one) => path === one || path.startsWith(`${one}/`));
  let endPatience: () => void = () => undefined;
  const bePatient = (): void => {
    endPatience = clock.after(PATIENCE, () => {
      for (const file of table.all()) if (isMeant(file.path) && mayStop(file)) file.storing?.stop();
      // Others may have waited for the claim before, to store the file, too.
      bePatient();
    });
  };
  bePatient();
  try {
    return await claims.run(paths, () => {
      endPatience();
      return change();
    });
  } finally {
    endPatience();
  }
}
