/** What do programs see of a tree, and does the service hold what the model says? */
import { expect } from 'vitest';
import type { FileSystemOperations } from '../../src/filesystem/operations.ts';
import { childOf } from '../../src/store/keys.ts';
import { entriesOf } from '../support/directory-entries.ts';
import { readFile } from '../support/open-for-test.ts';
import { bytesUnder, namesBelow } from './service-contents.ts';
import type { RenamedTree } from './tree-renames-model.ts';
import type { World } from './world.ts';

/** How a key ends that no path shows. */
export const HIDDEN = '/.';

/** Contents by path; null for a folder. */
export async function shownTree(
  fs: FileSystemOperations,
  folder = '/',
  shown = new Map<string, string | null>(),
): Promise<ReadonlyMap<string, string | null>> {
  for (const { name, attributes } of await entriesOf(fs, folder)) {
    const path = childOf(folder, name);
    shown.set(path, attributes.kind === 'file' ? (await readFile(fs, path)).toString() : null);
    if (attributes.kind === 'folder') await shownTree(fs, path, shown);
  }
  return shown;
}

/** Empty folders may be kept by the mount alone. */
export async function expectStored({ direct, bucket }: World, tree: RenamedTree): Promise<void> {
  const { files, folders } = await namesBelow(direct, bucket, '');
  const unknown = [...files, ...folders].filter(
    (key) => !key.endsWith(HIDDEN) && tree.get(`/${key.replace(/\/$/, '')}`) === undefined,
  );
  expect(unknown, 'keys that are left on the service').toEqual([]);
  for (const [path, node] of tree.entries) {
    if (node.kind === 'folder') continue;
    const bytes = await bytesUnder(direct, bucket, path.slice(1));
    expect([...node.stored], `what is stored under ${path}`).toContain(bytes?.toString() ?? null);
  }
}
