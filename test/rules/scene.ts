/** Where are the rules of the interface shown? On a mount and at a shell, over HTTP, on services as ordinary and as odd as may be. */
import type { FileSystemOperations } from '../../src/filesystem/operations.ts';
import type { FileSystemSettings } from '../../src/filesystem/settings.ts';
import type { Behaviours } from '../../src/server/behaviours.ts';
import type { StoreOptions } from '../../src/server/embedded-store.ts';
import { AWKWARD, WITHOUT_RANGES } from '../acceptance/awkward-services.ts';
import { bytesOf, uploadOf } from '../support/embedded-service.ts';
import { openOverHttp, type OverHttp } from '../support/open-over-http.ts';

type Service = readonly [name: string, behaviours: Partial<Behaviours>];

/** For what is cheap. */
export const SERVICES: readonly Service[] = [
  ['an ordinary service', {}],
  ['an awkward service', AWKWARD],
  ['a service without ranges', WITHOUT_RANGES],
];

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
}

/** A mount in process. Ends with the test. */
export async function openScene(
  behaviours: Partial<Behaviours>,
  { store, settings }: SceneOptions = {},
): Promise<Scene> {
  const http = await openOverHttp(settings, { ...store, behaviours });
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
