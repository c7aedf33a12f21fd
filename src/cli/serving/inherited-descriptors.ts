/**
 * What has the caller's shell open that this process must not keep? Node leaves to the programs that it starts what it was started with
 * itself, but for the lowest descriptors: one like 200, by which a script holds a lock, would be held for as long as the mount lasts.
 */
import { closeSync, readdirSync, readFileSync } from 'node:fs';

/** Of stdin, stdout and stderr, which were chosen for this process. */
const LAST_STANDARD = 2;
const CLOSED_ON_EXEC = 0o2000000;

/** Call before anything else is opened. Closes none where the system does not tell which they are. */
export function closeInherited(): void {
  for (const name of descriptors()) {
    const descriptor = Number(name);
    // Node has its own closed on exec, and its channel to the caller.
    if (descriptor > LAST_STANDARD && isLeftToPrograms(name)) closeSync(descriptor);
  }
}

function descriptors(): readonly string[] {
  try {
    return readdirSync('/proc/self/fd');
  } catch {
    return [];
  }
}

/** False, too, of the one by which they were listed. */
function isLeftToPrograms(descriptor: string): boolean {
  try {
    const [, flags = ''] =
      /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')) ?? [];
    return flags !== '' && (parseInt(flags, 8) & CLOSED_ON_EXEC) === 0;
  } catch {
    return false;
  }
}
