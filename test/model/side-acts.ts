/** What do programs do beside others' writes that leaves every byte where it is? */
import type { ErrnoName } from '../../src/filesystem/errors.ts';
import type { FileSystemOperations } from '../../src/filesystem/operations.ts';
import type { Dice } from './hopping-service.ts';

export const SIDE_ACTS = ['publish', 'chmod', 'xattrs', 'type', 'refresh'] as const;
export type SideAct = (typeof SIDE_ACTS)[number];

export interface Side {
  readonly fs: FileSystemOperations;
  readonly dice: Dice;
  /** As `MountedFileSystem.refresh`. */
  readonly refresh: (path: string) => void;
  /** Null when it was refused in a way that is allowed. */
  readonly call: <Result>(
    title: string,
    allowed: readonly ErrnoName[],
    run: () => Promise<Result>,
  ) => Promise<Result | null>;
}

/** Rejects when the program hears what it must not. */
export async function playBeside(
  { fs, dice, refresh, call }: Side,
  act: SideAct,
  path: string,
): Promise<void> {
  switch (act) {
    case 'publish': {
      const visibility = Buffer.from(dice(2) === 0 ? 'public' : 'private');
      await call(`publish ${path}`, ['ENOENT'], () =>
        fs.setXattr(path, 'user.pailfs.visibility', visibility, 'any'),
      );
      return;
    }
    case 'chmod': {
      const change = dice(2) === 0 ? { mode: 0o600 } : { mtime: 12_345 };
      await call(`chmod ${path}`, ['ENOENT'], () => fs.setAttributes(path, change));
      return;
    }
    case 'xattrs': {
      const names = await call(`names ${path}`, ['ENOENT'], () => fs.listXattrs(path));
      for (const name of names ?? [])
        await call(`${name} ${path}`, ['ENOENT'], () => fs.getXattr(path, name));
      return;
    }
    case 'type': {
      const type = Buffer.from(`text/x${dice(3)}`);
      await call(`type ${path}`, ['ENOENT'], () =>
        dice(3) === 0
          ? fs.removeXattr(path, 'user.mime_type')
          : fs.setXattr(path, 'user.mime_type', type, 'any'),
      );
      return;
    }
    case 'refresh':
      refresh(dice(2) === 0 ? '/' : path);
  }
}
