/** Who closes a descriptor of a file, and is it for them that the file is to be stored now? */
import type { KernelContext } from './kernel-context.ts';
import type { KernelHandle } from './open-table.ts';

type Sight = Pick<KernelContext, 'hasOpen' | 'processOf'>;

/**
 * Whether `closer` was only handed a descriptor that another program has opened, has open still, and will close; and has changed nothing by it.
 * Every program that another one starts has its descriptors, and closes them at the latest when it executes a program or ends: stored
 * then would be half of what the other one is writing, while both wait. False where nobody can tell.
 */
export async function isBystander(
  { hasOpen, processOf }: Sight,
  { handle, opener, writers }: KernelHandle,
  closer: number,
): Promise<boolean> {
  // Nothing is written, or the closer has: the usual cases need no look.
  if (writers.size === 0 || closer === opener || writers.has(closer)) return false;
  const [closing, ...involved] = await Promise.all([closer, opener, ...writers].map(processOf));
  if (closing === undefined || involved.some((other) => other === undefined || other === closing))
    return false;
  return (await hasOpen([opener], handle.path)) === true;
}

/**
 * Whether who opened the file has it open still, or `closer`, who has just closed a descriptor of it. Who closes it only by executing a
 * program cannot be looked at: mostly a child of who opened it, who can. Else nobody has called close(2), and nobody need hear how that
 * ends: the file is stored when its last descriptor goes.
 */
export async function isOpenStill(
  { hasOpen }: Sight,
  { handle, opener }: KernelHandle,
  closer: number,
): Promise<boolean> {
  const threads = opener === closer ? [closer] : [opener, closer];
  return (await hasOpen(threads, handle.path)) ?? true;
}
