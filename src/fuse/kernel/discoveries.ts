/**
 * What must the kernel unlearn that it was told? It keeps names for as long as we said; when a look at one shows by the way that
 * another leads elsewhere by now, the kernel hears of it. Where it asks for a name itself the answer is enough.
 */
import type { Clock } from '../../base/clock.ts';
import { isSame, type Node, type NodeFacts, type NodeTable } from './node-table.ts';
import { dropCached, expireName } from './notifications.ts';
import type { GivenEntry, SnapshotEntry } from './snapshot.ts';

/** The part of a mount that this takes. */
interface Teller {
  readonly nodes: NodeTable;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly notify: (notification: Buffer) => void;
}

/** The name of `node` leads elsewhere, or is gone: nobody uses it again without a look. */
export function takeNameBack({ clock, notify }: Teller, node: Node): void {
  if (node.parent === null || node.trustedUntil <= clock.monotonic()) return;
  node.trustedUntil = Number.NEGATIVE_INFINITY;
  notify(expireName(node.parent.id, node.name));
  // Whoever has it open goes on with its bytes: they are true of what was opened.
  notify(dropCached(node.id, node.isOpen ? 'attributes' : 'bytes'));
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

/** What the kernel believes of the names in `folder` now. */
export function trustedIn({ nodes, clock }: Teller, folder: Node): readonly Node[] {
  const now = clock.monotonic();
  return [...nodes.knownIn(folder)].filter((node) => node.trustedUntil > now);
}

/** `entries` are all that a folder holds: takes back what is not so any more of `trusted`, which was believed of its names before. */
export function takeBackOthers(
  context: Teller,
  trusted: readonly Node[],
  entries: Iterable<SnapshotEntry | GivenEntry>,
): void {
  if (trusted.length === 0) return;
  const found = new Map<string, NodeFacts>();
  for (const seen of entries) {
    if ('entry' in seen) found.set(seen.entry.name, seen.entry.attributes);
    else found.set(seen.name, seen);
  }
  for (const node of trusted) {
    const attributes = found.get(node.name);
    if (attributes === undefined || !isSame(node, attributes)) takeNameBack(context, node);
  }
}
