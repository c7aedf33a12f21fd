/** Where are the rules of the interface shown? On a mount and at a shell, over HTTP, on services as ordinary and as odd as may be. */
import { onTestFinished, vi } from 'vitest';
import type { FileSystemOperations } from '../../src/filesystem/operations.ts';
import type { FileSystemSettings } from '../../src/filesystem/settings.ts';
import type { Behaviours } from '../../src/server/behaviours.ts';
import { Bookmarks } from '../../src/server/bookmarks.ts';
import type { AccessLevel } from '../../src/server/credentials.ts';
import type { StoreOptions } from '../../src/server/embedded-store.ts';
import type { ObjectPage } from '../../src/service/records.ts';
import { AWKWARD, WITHOUT_RANGES } from '../acceptance/awkward-services.ts';
import { breakOperation } from '../mutants/breaking.ts';
import { CommandLine } from '../support/command-line.ts';
import { bytesOf, startEmbeddedServer, uploadOf, type EmbeddedServer } from '../support/embedded-service.ts';
import { openOverHttp, type OverHttp } from '../support/open-over-http.ts';

type Service = readonly [name: string, behaviours: Partial<Behaviours>];

/** For what is cheap. */
export const SERVICES: readonly Service[] = [
  ['an ordinary service', {}],
  ['an awkward service', AWKWARD],
  ['a service without ranges', WITHOUT_RANGES],
];

/** For what takes a process each time. */
export const SHELL_SERVICES: readonly Service[] = SERVICES.slice(0, 2);

export interface Scene extends OverHttp {
  readonly fs: FileSystemOperations;
  /** Somebody elsewhere stores a file. */
  readonly foreignWrite: (key: string, content: string | Uint8Array, contentType?: string) => Promise<void>;
  /** What the service holds under `key`. */
  readonly stored: (key: string) => Promise<Buffer>;
}

export interface SceneOptions {
  readonly store?: StoreOptions;
  readonly settings?: Partial<FileSystemSettings>;
  /** Of the mount's credentials; both by default. */
  readonly access?: AccessLevel;
}

/** A mount in process. Ends with the test. */
export async function openScene(
  behaviours: Partial<Behaviours>,
  { store, settings, access }: SceneOptions = {},
): Promise<Scene> {
  const http = await openOverHttp(settings, { ...store, behaviours }, access);
  const { direct, bucket, mounted } = http;
  return {
    ...http,
    fs: mounted.operations,
    foreignWrite: async (key, content, contentType) => {
      await direct.putObject(bucket, key, uploadOf(content, contentType));
    },
    stored: async (key) => bytesOf((await direct.getObject(bucket, key)).body),
  };
}

export interface ShellScene {
  readonly server: EmbeddedServer;
  readonly at: CommandLine;
}

/** A shell. Ends with the test. */
export async function openShell(behaviours: Partial<Behaviours>): Promise<ShellScene> {
  const server = await startEmbeddedServer({ behaviours });
  return { server, at: await CommandLine.open(server) };
}

/** Whoever lists files waits for `see`, which is shown each page. Until the end of the test. */
export function watchPages(see: (page: ObjectPage) => Promise<void>): void {
  const undo = breakOperation('listObjects', (whole) => async (bucket, query) => {
    const page = await whole(bucket, query);
    await see(page);
    return page;
  });
  onTestFinished(undo);
}

/** All bookmarks of files begin with `start`, and those that do not are none. Until the end of the test. */
export function markBookmarks(start: string): void {
  const undo = breakOperation('listObjects', (whole) => async (bucket, { page: bookmark, ...query }) => {
    const isMarked = bookmark?.startsWith(start) === true;
    const inner = isMarked ? bookmark.slice(start.length) : bookmark && 'not ours';
    const page = await whole(bucket, inner === undefined ? query : { ...query, page: inner });
    return { ...page, nextPage: page.nextPage === null ? null : `${start}${page.nextPage}` };
  });
  onTestFinished(undo);
}

/** As after a restart with another secret: the next bookmark is none that the service has issued. */
export function loseBookmark(): void {
  const open = vi.spyOn(Bookmarks.prototype, 'open').mockReturnValueOnce(undefined);
  onTestFinished(() => {
    open.mockRestore();
  });
}

/** No bookmark of files is one that the service has issued. Until the end of the test. */
export function loseFileBookmarks(): void {
  const undo = breakOperation('listObjects', (whole) => (bucket, query) => {
    return whole(bucket, query.page === undefined ? query : { ...query, page: 'lost' });
  });
  onTestFinished(undo);
}
