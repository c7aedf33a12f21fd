/** What does the next mount find when this one is killed right after its first DELETE? */
import type { ObjectService } from '../../src/service/object-service.ts';
import { diskNow, type DiskImage } from './after-a-crash.ts';
import { InterceptedService } from './intercepted-service.ts';
import type { FileSystemForTest } from './open-for-test.ts';

export interface DiskAtDelete {
  readonly between: (service: ObjectService) => ObjectService;
  /** From now on the next DELETE of `scene` is the one. */
  readonly await: (scene: FileSystemForTest) => void;
  /** Throws when none has been done. */
  readonly taken: () => DiskImage;
}

export function diskAtDelete(): DiskAtDelete {
  let scene: FileSystemForTest | undefined;
  let disk: DiskImage | undefined;
  return {
    between: (service) =>
      new InterceptedService(service, async ({ operation }, proceed) => {
        const result = await proceed();
        if (operation === 'deleteObject' && scene !== undefined) disk ??= await diskNow(scene);
        return result;
      }),
    await: (of) => {
      scene = of;
    },
    taken: () => {
      if (disk === undefined) throw new Error('nothing was deleted');
      return disk;
    },
  };
}
