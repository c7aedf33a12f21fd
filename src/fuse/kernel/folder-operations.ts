/**
 * How are folders listed? By offset over what one listing found, so that names made or removed meanwhile neither shift nor
 * double others.
 */
import type { Waiter } from '../../base/waiter.ts';
import type { Attributes, DirectoryEntry } from '../../filesystem/operations.ts';
import { done, type Answer, type Operations } from './answer.ts';
import type { KernelContext } from './kernel-context.ts';
import { DirectoryPage } from './directory-page.ts';
import { MAX_TRANSFER_BYTES } from './negotiation.ts';
import type { OpenFolder, Snapshot } from './open-table.ts';
import { openReply } from './replies.ts';
import { readHandle, readRead, type ReadRequest } from './requests.ts';
import { isListable } from './wire-reader.ts';

type FolderOperation = 'opendir' | 'readdir' | 'readdirplus' | 'releasedir' | 'fsyncdir';

export function folderOperations(context: KernelContext): Operations<FolderOperation> {
  const { nodes, folders } = context;
  return {
    opendir: (id) => {
      const fh = folders.add({ node: nodes.get(id), snapshot: null });
      const undelivered = (): void => {
        folders.remove(fh);
      };
      return { reply: openReply(fh), undelivered };
    },
    readdir: (_id, body, call) => list(context, readRead(body), { isPlus: false, call }),
    readdirplus: (_id, body, call) => list(context, readRead(body), { isPlus: true, call }),
    releasedir: (_id, body) => {
      folders.remove(readHandle(body));
      return done();
    },
    fsyncdir: () => done(),
  };
}

/** `.` and `..` come first, at the offsets 1 and 2; the entry with index n is left behind at offset n + 3. */
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
  if (offset === 0 || folder.snapshot === null) folder.snapshot = await takeSnapshot(context, folder, call);
  const { snapshot } = folder;
  const page = new DirectoryPage(Math.min(request.size, MAX_TRANSFER_BYTES), isPlus);
  for (let index = offset; index < DOTS; index += 1) {
    if (!page.addDot(index === 0 ? '.' : '..', index + 1)) return { reply: page.reply() };
  }
  return fillPage(context, folder, { snapshot, page, first: Math.max(0, offset - DOTS) });
}

interface Filling {
  readonly snapshot: Snapshot;
  readonly page: DirectoryPage;
  readonly first: number;
}

function fillPage(context: KernelContext, { node: folder }: OpenFolder, filling: Filling): Answer {
  const { snapshot, page, first } = filling;
  const { nodes, clock, trust } = context;
  const age = clock.monotonic() - snapshot.takenAt;
  // What this mount has changed since may not be as it was: then the kernel gets names, and looks up what it wants to know.
  const isCurrent = folder.changes === snapshot.changes;
  const told: number[] = [];
  for (let index = first; index < snapshot.entries.length; index += 1) {
    const entry = snapshot.entries[index];
    if (entry === undefined || !page.hasRoomFor(entry.name)) break;
    const next = index + DOTS + 1;
    if (page.isPlus && isCurrent) {
      const node = nodes.lookUp(folder, entry.name, entry.attributes.kind);
      node.mode = entry.attributes.mode;
      told.push(node.id);
      page.add(entry.name, { attributes: aged(entry, age), isNameTrusted: trust.names }, next, node.id);
    } else {
      page.addName(entry, next, nodes.knownId(folder, entry.name));
    }
  }
  const undelivered = (): void => {
    for (const id of told) nodes.forget(id, 1);
  };
  return { reply: page.reply(), undelivered };
}

async function takeSnapshot(
  { operations, nodes, clock, log }: KernelContext,
  folder: OpenFolder,
  call: Waiter,
): Promise<Snapshot> {
  const { changes } = folder.node;
  const takenAt = clock.monotonic();
  const path = nodes.pathOf(folder.node);
  // A folder that was removed while it was being read is empty.
  const batches: (readonly DirectoryEntry[])[] = [];
  if (path !== undefined) for await (const batch of operations.readDirectory(path, call)) batches.push(batch);
  const found = batches.flat();
  const entries = found.filter(({ name }) => isListable(name));
  if (entries.length < found.length) log.debug('names left out of a listing', { path });
  return { entries, takenAt, changes };
}

function aged({ attributes }: DirectoryEntry, age: number): Attributes {
  return { ...attributes, validFor: Math.max(0, attributes.validFor - age) };
}
