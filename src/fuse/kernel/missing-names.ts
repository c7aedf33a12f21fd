/**
 * Which names does the kernel believe to be missing? cp(1) looks for each file three times before it makes it, and shells and
 * compilers for most of theirs in vain: so it may keep that answer, too, for as long as it counts.
 */
import { FsError } from '../../filesystem/errors.ts';
import type { Answer } from './answer.ts';
import { isUnanswered } from './discoveries.ts';
import { changingNames, type KernelContext } from './kernel-context.ts';
import type { Node } from './node.ts';
import { expireName, incrementEpoch } from './notifications.ts';
import { missingReply } from './replies.ts';

/** Of one folder. Whoever looks for more has each of them looked up. */
const MAX_NAMES = 10_000;
/** Something is there already. */
const TAKEN: ReadonlySet<string> = new Set(['EEXIST', 'EISDIR', 'ENOTEMPTY']);

/** Tells the kernel that nothing is at `name`, and for how long that counts. `error`: what the file system said. */
export function missingAnswer(
  { clock, trust }: KernelContext,
  folder: Node,
  name: string,
  error: FsError,
): Answer {
  if (!trust.names || error.validFor <= 0) throw error;
  const { missing } = folder;
  const now = clock.monotonic();
  // Then behind all others: it counts for longest, mostly.
  missing.delete(name);
  if (missing.size >= MAX_NAMES) dropOld(missing, now);
  if (missing.size >= MAX_NAMES) throw error;
  missing.set(name, now + error.validFor);
  return { reply: missingReply(error.validFor), undelivered: () => missing.delete(name) };
}

/** A listing shows `name`: whoever sees it there must not hear that it is missing. */
export function takeMissingBack(context: KernelContext, folder: Node, name: string): void {
  // Asked of each name of each listing: most folders have no names that are missing, nor a map for them.
  const until = folder.hasMissing ? folder.missing.get(name) : undefined;
  if (until === undefined) return;
  folder.missing.delete(name);
  if (until > context.clock.monotonic()) takeBack(context, folder, [name]);
}

/** Runs `act`, which is to make `name`. What is refused since something is there, or may be, must not be missing for whoever looks then. */
export async function makingName<Result>(
  context: KernelContext,
  folder: Node,
  name: string,
  act: () => Promise<Result>,
): Promise<Result> {
  try {
    return await changingNames([folder], act);
  } catch (error) {
    const isTaken = error instanceof FsError && TAKEN.has(error.code);
    if (isTaken || isUnanswered(error)) takeMissingBack(context, folder, name);
    throw error;
  }
}

/**
 * A rename of `folder` has ended, either way. While it went on, files were at neither the old name nor the new one for whoever
 * looked: the folder and those below it are the same for the kernel, and so is what it believes to be missing in them.
 */
export function takeMissingBelowBack(context: KernelContext, folder: Node): void {
  // Who is still looking is not to tell the kernel either.
  folder.changes += 1;
  if (folder.hasMissing) {
    takeBack(context, folder, [...folder.missing.keys()]);
    folder.missing.clear();
  }
  for (const node of context.nodes.knownIn(folder)) {
    if (node.kind === 'folder') takeMissingBelowBack(context, node);
  }
}

function takeBack(
  { trust, notify, notifyAtOnce, listings }: KernelContext,
  folder: Node,
  names: readonly string[],
): void {
  // One word for all names: the kernel takes it at once, before the answer.
  if (trust.hasEpoch) {
    notifyAtOnce(incrementEpoch());
    listings.attributesGone();
  } else for (const name of names) notify(expireName(folder.id, name));
}

/** From the oldest on, to the first that still counts: whoever looks for ever more names shall not wait for a look at each of them. */
function dropOld(missing: Map<string, number>, now: number): void {
  for (const [name, until] of missing) {
    if (until > now) return;
    missing.delete(name);
  }
}
