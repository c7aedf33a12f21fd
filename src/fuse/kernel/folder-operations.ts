/** How are folders listed? By offset over a snapshot that grows as the listing's pages arrive. */
import { unlessLeaving, type Waiter } from '../../base/waiter.ts';
import { toFsError } from '../../filesystem/errno-of.ts';
import type { Attributes, DirectoryEntry, ShownListing } from '../../filesystem/operations.ts';
import { done, type Answer, type Operations } from './answer.ts';
import { takeBackOthers, takeNameBack, trustedIn, type Trusted } from './discoveries.ts';
import { telling, whereItGoes, type KernelContext } from './kernel-context.ts';
import { DirectoryPage } from './directory-page.ts';
import { firstPlaceOf, placeIn } from './kept-listings.ts';
import { takeMissingBack } from './missing-names.ts';
import { isSame, type Node, type NodeFacts } from './node.ts';
import type { OpenFolder } from './open-table.ts';
import { openReply } from './replies.ts';
import { MAX_TRANSFER_BYTES, readHandle, readRead, type ReadRequest } from './requests.ts';
import { Snapshot, type GivenEntry, type SnapshotEntry } from './snapshot.ts';
import { isListable } from './wire-reader.ts';

type FolderOperation = 'opendir' | 'readdir' | 'readdirplus' | 'releasedir' | 'fsyncdir';

export function folderOperations(context: KernelContext): Operations<FolderOperation> {
  const { nodes, folders, listings } = context;
  return {
    opendir: (id) => {
      const node = nodes.get(id);
      const { flags, isRemembered, snapshot } = listings.opened(node);
      const fh = folders.add({ node, isRemembered, snapshot, before: null });
      const undelivered = (): void => {
        close(context, fh);
      };
      return { reply: openReply(fh, flags), undelivered };
    },
    readdir: (_id, body, call) => list(context, readRead(body), { isPlus: false, call }),
    readdirplus: (_id, body, call) => list(context, readRead(body), { isPlus: true, call }),
    releasedir: (_id, body) => {
      close(context, readHandle(body));
      return done();
    },
    fsyncdir: () => done(),
  };
}

/** `.` and `..` come first, and are left behind at the places 1 and 2 of a listing; the entry with index n at n + 3. */
const DOTS = 2;

interface Listing {
  readonly isPlus: boolean;
  readonly call: Waiter;
}

async function list(
  context: KernelContext,
  request: ReadRequest,
  { isPlus, call }: Listing,
): Promise<Answer> {
  const folder = context.folders.get(request.fh);
  const { offset } = request;
  const snapshot = offset === 0 ? begin(context, folder) : continued(context, folder, offset);
  const { index: place } = placeIn(offset);
  const first = Math.max(0, place - DOTS);
  // One name is enough: the kernel comes again for the rest.
  if (snapshot.at(first) === undefined)
    await unlessLeaving(call, snapshot.reach(first, call)).catch(refuse(folder));
  const page = new DirectoryPage(context.buffers, Math.min(request.size, MAX_TRANSFER_BYTES), isPlus);
  for (let dot = place; dot < DOTS; dot += 1) {
    // What is above the mount is no node of ours.
    const [name, node] = dot === 0 ? (['.', folder.node] as const) : (['..', folder.node.parent] as const);
    if (!page.addDot(name, snapshot.firstPlace + dot + 1, node?.id)) return page.answer();
  }
  return fillPage(context, folder, { snapshot, page, first });
}

/** The listing that goes on at `place`: mostly what was begun here, or what the kernel could not give to the end. */
function continued(context: KernelContext, folder: OpenFolder, place: number): Snapshot {
  const { snapshot, before } = folder;
  const { firstPlace } = placeIn(place);
  const own = [snapshot, before].find((listing) => listing?.firstPlace === firstPlace);
  if (own != null) return own;
  const given = folder.isRemembered ? context.listings.at(folder.node, place) : undefined;
  return given ?? snapshot ?? begin(context, folder);
}

function refuse({ node }: OpenFolder): (error: unknown) => never {
  return (error) => {
    throw toFsError(error, node.name);
  };
}

type Entries = AsyncIterator<readonly DirectoryEntry[], ShownListing | undefined>;

interface Filling {
  readonly snapshot: Snapshot;
  readonly page: DirectoryPage;
  readonly first: number;
}

function fillPage(context: KernelContext, { node: folder }: OpenFolder, filling: Filling): Answer {
  const { snapshot, page } = filling;
  const { nodes, clock } = context;
  const now = clock.monotonic();
  const told: number[] = [];
  let index = filling.first;
  snapshot.givenUpTo(index);
  let next = snapshot.firstPlace + index + DOTS;
  for (let found = snapshot.at(index); found !== undefined; found = snapshot.at(index)) {
    const { name } = 'entry' in found ? found.entry : found;
    if (!page.hasRoomFor(name)) break;
    next += 1;
    takeMissingBack(context, folder, name);
    const known = nodes.known(folder, name);
    if (page.isPlus && isSure(found, folder, known) && !isElsewhere(context, found.entry.attributes, known)) {
      const { entry, batch } = found;
      const node = nodes.lookUp(folder, name, entry.attributes);
      told.push(node.id);
      snapshot.noteTold(index);
      page.add(name, telling(context, node, aged(entry, now - batch.takenAt)), next, node.id);
    } else {
      page.addName(name, 'entry' in found ? found.entry.attributes.kind : found.kind, next, known?.id);
    }
    index += 1;
  }
  const undelivered = (): void => {
    for (const id of told) nodes.forget(id, 1);
  };
  return { ...page.answer(), undelivered };
}

/**
 * Whether the attributes may be told. What this mount has changed since may not be as it was, and where two looks differ the later one
 * counts: then the kernel gets names, and looks up what it wants to know.
 */
function isSure(
  found: SnapshotEntry | GivenEntry,
  folder: Node,
  known: Node | undefined,
): found is SnapshotEntry {
  if (!('entry' in found) || found.batch.changes !== folder.changes) return false;
  return known === undefined || isSame(known, found.entry.attributes);
}

/**
 * Whether the kernel still believes that another name leads to the file, which a conflict has brought to this one: told of this one, too, it
 * would find the file by both. It unlearns the other, and looks this one up when somebody wants it.
 */
function isElsewhere(context: KernelContext, facts: NodeFacts, known: Node | undefined): boolean {
  const node = known === undefined ? context.nodes.living(facts) : undefined;
  if (node === undefined || node.parent === null || node.trustedUntil <= context.clock.monotonic())
    return false;
  takeNameBack(context, node);
  return true;
}

function begin(context: KernelContext, folder: OpenFolder): Snapshot {
  const { nodes, clock, log, listings } = context;
  stop(context, folder);
  folder.before = folder.snapshot;
  const { changes } = folder.node;
  const path = nodes.pathOf(folder.node);
  let trusted: Trusted | null = trustedIn(context, folder.node);
  const isShown = ({ name }: DirectoryEntry): boolean => {
    if (isListable(name)) return true;
    log.debug('a name is left out of a listing', { path, name });
    return false;
  };
  const snapshot = new Snapshot({
    firstPlace: firstPlaceOf(folder.node),
    // A folder that was removed while it was being read is empty.
    list: (waiter) => (path === undefined ? nothing() : entriesIn(context, folder.node, path, waiter)),
    changes: () => folder.node.changes,
    now: () => clock.monotonic(),
    isShown,
    whole: (entries) => {
      if (trusted !== null && folder.node.changes === changes) takeBackOthers(context, trusted, entries);
      // The snapshot may be kept for long.
      trusted = null;
    },
  });
  folder.snapshot = snapshot;
  if (folder.isRemembered) listings.begun(folder.node, snapshot);
  return snapshot;
}

/** Nobody asks through this handle any more. */
function close(context: KernelContext, fh: number): void {
  const folder = context.folders.get(fh);
  stop(context, folder);
  if (folder.isRemembered) context.listings.closed(folder.node);
  context.folders.remove(fh);
}

/** Lets go of listings that may not be at their ends. */
function stop({ nodes, log }: KernelContext, { node, snapshot, before }: OpenFolder): void {
  for (const listing of [snapshot, before]) {
    listing?.close().catch((error: unknown) => {
      log.error('a listing could not be ended', { path: nodes.pathOf(node), cause: error });
    });
  }
}

/** Ends the listings that the kernel let go of without a word. */
export function stopAllListings(context: KernelContext): void {
  for (const folder of context.folders.takeAll()) stop(context, folder);
}

function entriesIn(
  context: KernelContext,
  node: Node,
  path: string,
  waiter: Waiter,
): AsyncIterable<readonly DirectoryEntry[], ShownListing | undefined> {
  const listed = (where: string): Entries =>
    context.operations.readDirectory(where, waiter)[Symbol.asyncIterator]();
  const begin = (): Entries => {
    let entries = listed(path);
    let isBegun = false;
    const next: Entries['next'] = () => {
      if (isBegun) return entries.next();
      isBegun = true;
      return whereItGoes(context, node, path, (where) => {
        if (where !== path) entries = listed(where);
        return entries.next();
      });
    };
    return { next, return: async () => (await entries.return?.()) ?? { done: true, value: undefined } };
  };
  return { [Symbol.asyncIterator]: begin };
}

async function* nothing(): AsyncGenerator<readonly DirectoryEntry[], undefined> {
  yield await Promise.resolve([]);
}

function aged({ attributes }: DirectoryEntry, age: number): Attributes {
  return { ...attributes, validFor: Math.max(0, attributes.validFor - age) };
}
