/** What else shows a mount that was unmounted, and so keeps it in use for as long as that is there? */
import type { Clock } from '../../base/clock.ts';
import { mountedElsewhere } from '../../fuse/mount-namespaces.ts';
import { readMountTable, type MountEntry } from '../../fuse/mount-table.ts';
import { sayToPerson } from '../screen/report.ts';
import { shellWord } from '../screen/shell-word.ts';

/** Before all processes are looked at, milliseconds: hardly any mount is still there then. */
const LOOK_AFTER_MS = 1000;

/** Names bind mounts at once, and mounts of containers when `mount` is not gone soon, unless the returned function is called before. */
export async function tellWhereElse(mount: MountEntry, clock: Clock): Promise<() => void> {
  const { mountpoint, device } = mount;
  if (device === '') return () => undefined;
  const others = (await readMountTable()).filter((other) => other.device === device);
  if (others.length > 0) {
    const places = others.map((other) => shellWord(other.mountpoint)).join(' ');
    sayToPerson(
      `${mountpoint} is unmounted, and still shown elsewhere, which pailfs waits for: umount ${places}`,
    );
  }
  return clock.after(LOOK_AFTER_MS, () => void tellOfNamespaces(mount));
}

/** A container, or a program of `unshare`, has a table of mounts of its own. Never rejects. */
async function tellOfNamespaces({ mountpoint, device }: MountEntry): Promise<void> {
  for (const { pid, program, mountpoint: place } of await mountedElsewhere(device))
    sayToPerson(
      `${mountpoint} is unmounted here, and still mounted where process ${pid} (${program}) sees it, as in a container: pailfs waits until that has ended, or for "nsenter -t ${pid} -m umount ${shellWord(place)}"`,
    );
}
