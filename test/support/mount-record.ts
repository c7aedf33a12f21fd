/** What a process of a mount has recorded, for tests of who reads it. */
import type { MountRecord } from '../../src/cli/found-mounts/mount-record.ts';

/** Of `/home/me/photos`, with `changes`. */
export function mountRecordOf(changes: Partial<MountRecord> = {}): MountRecord {
  return {
    mountpoint: '/home/me/photos',
    bucket: 'photos',
    baseUrl: 'https://storage.example.com',
    driver: 'kernel',
    readOnly: false,
    mayWrite: true,
    since: '2026-03-04T05:06:07.000Z',
    process: { pid: 4711, startTime: '1' },
    logFile: null,
    stateDir: null,
    device: null,
    unsent: [],
    ...changes,
  };
}
