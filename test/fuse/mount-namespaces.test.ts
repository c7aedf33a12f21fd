import { describe, expect, it } from 'vitest';
import { mountedElsewhere } from '../../src/fuse/mount-namespaces.ts';

const ROOT = '26 1 8:1 / / rw - ext4 /dev/sda1 rw';
const PHOTOS = String.raw`42 27 0:39 / /my\040photos rw - fuse.pailfs pailfs:photos rw,user_id=0`;
const OTHER = '43 27 0:40 / /other rw - fuse.pailfs pailfs:other rw,user_id=0';
const HERE = `${ROOT}\n${OTHER}\n`;

/** Tables by process; what is not there cannot be read. */
function processes(tables: Readonly<Record<string, string>>): Parameters<typeof mountedElsewhere>[1] {
  const texts = new Map<string, string>([
    ['/proc/self/mountinfo', HERE],
    ...Object.entries(tables).map(([pid, table]) => [`/proc/${pid}/mountinfo`, table] as const),
    ...Object.keys(tables).map((pid) => [`/proc/${pid}/comm`, `program ${pid}\n`] as const),
  ]);
  const text = (path: string): Promise<string> => {
    const found = texts.get(path);
    return found === undefined ? Promise.reject(new Error('ESRCH')) : Promise.resolve(found);
  };
  return { text, list: () => Promise.resolve(['10', 'self', '9', '700', '80', 'version']) };
}

describe('a file system that is unmounted here', () => {
  it('is mounted where processes have it in tables of their own, each of which is named once, by its lowest process', async () => {
    const container = `${ROOT}\n${PHOTOS}\n`;
    const tables = { 700: `${ROOT}\n${PHOTOS}\n${OTHER}\n`, 10: container, 80: container };

    expect(await mountedElsewhere('0:39', processes(tables))).toEqual([
      { pid: 10, program: 'program 10', mountpoint: '/my photos' },
      { pid: 700, program: 'program 700', mountpoint: '/my photos' },
    ]);
  });

  it('is mounted nowhere when processes see what this one does, others, or nothing that can be read', async () => {
    expect(await mountedElsewhere('0:39', processes({ 10: HERE, 80: `${ROOT}\n` }))).toEqual([]);
  });

  it('is mounted nowhere as far as is known where the system tells of no processes', async () => {
    const refused = (): Promise<never> => Promise.reject(new Error('ENOENT'));

    expect(await mountedElsewhere('0:39', { list: refused, text: refused })).toEqual([]);
  });
});
