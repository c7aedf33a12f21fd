/**
 * What must the kernel unlearn that it was told? It keeps names for as long as we said; when a look at one shows by the way that
 * another leads elsewhere by now, the kernel hears of it. Where it asks for a name itself the answer is enough.
 */
import type { Clock } from '../../base/clock.ts';
import { FsError } from '../../filesystem/errors.ts';
import { isSame, type Node } from './node.ts';
import type { NodeTable } from './node-table.ts';
import { dropCached, expireName } from './notifications.ts';
import type { GivenEntry, SnapshotEntry } from './snapshot.ts';

/** The part of a mount that this takes. */
interface Teller {
  readonly nodes: NodeTable;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly notify: (notification: Buffer) => void;
}

/** The service may have done what it was asked, or not. */
const UNANSWERED: ReadonlySet<string> = new Set(['EIO', 'ETIMEDOUT']);

/** Nodes in one folder, whose names the kernel believed in at some moment. */
export interface Trusted {
  readonly folder: Node;
  /** Sorted: there may be a million. */
  readonly ids: Uint32Array;
}

/** The name of `node` leads elsewhere, or is gone: nobody uses it again without a look. */
export function takeNameBack({ clock, notify }: Teller, node: Node): void {
  if (node.parent === null || node.trustedUntil <= clock.monotonic()) return;
  node.trustedUntil = Number.NEGATIVE_INFINITY;
  notify(expireName(node.parent.id, node.name));
  // Whoever has it open goes on with its bytes: they are true of what was opened.
  notify(dropCached(node.id, node.isOpen ? 'attributes' : 'bytes'));
}

/** Runs a change of the names of `known`: where nobody knows whether it was done, the next look asks. */
export async function changingNamesOf<Result>(
  context: Teller,
  known: readonly (Node | undefined)[],
  change: () => Promise<Result>,
): Promise<Result> {
  try {
    return await change();
  } catch (error) {
    if (isUnanswered(error)) for (const node of known) if (node !== undefined) takeNameBack(context, node);
    throw error;
  }
}

export function isUnanswered(error: unknown): boolean {
  return error instanceof FsError && UNANSWERED.has(error.code);
}

/** Every name, also those that are missing. */
export function takeAllNamesBack(context: Teller): void {
  for (const node of context.nodes.all()) {
    takeNameBack(context, node);
    if (!node.hasMissing) continue;
    for (const name of node.missing.keys()) context.notify(expireName(node.id, name));
    node.missing.clear();
  }
}

/** Numbers of the nodes that the kernel believes the names in `folder` lead to now. */
export function trustedIn({ nodes, clock }: Teller, folder: Node): Trusted {
  const now = clock.monotonic();
  const ids = new Uint32Array(nodes.countKnownIn(folder));
  let count = 0;
  for (const node of nodes.knownIn(folder)) {
    if (node.trustedUntil > now) ids[count++] = node.id;
  }
  return { folder, ids: ids.slice(0, count).sort() };
}

/** `entries` are all that a folder holds: takes back what is not so any more of `trusted`, which was believed of its names before. */
export function takeBackOthers(
  context: Teller,
  { folder, ids }: Trusted,
  entries: Iterable<SnapshotEntry | GivenEntry>,
): void {
  if (ids.length === 0) return;
  const isFound = new Uint8Array(ids.length);
  for (const seen of entries) {
    const facts = 'entry' in seen ? seen.entry.attributes : seen;
    const node = context.nodes.known(folder, 'entry' in seen ? seen.entry.name : seen.name);
    const place = node !== undefined && isSame(node, facts) ? placeOf(ids, node.id) : undefined;
    if (place !== undefined) isFound[place] = 1;
  }
  for (const [place, id] of ids.entries()) {
    const node = isFound[place] === 1 ? undefined : context.nodes.find(id);
    if (node !== undefined) takeNameBack(context, node);
  }
}

/** Where `id` is in `ids`, which are sorted. */
function placeOf(ids: Uint32Array, id: number): number | undefined {
  let [from, to] = [0, ids.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((ids[middle] ?? 0) < id) from = middle + 1;
    else to = middle;
  }
  return ids[from] === id ? from : undefined;
}
