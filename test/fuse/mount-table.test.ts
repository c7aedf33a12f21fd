import { describe, expect, it } from 'vitest';
import { parseMountInfo, parseMountOutput } from '../../src/fuse/mount-table.ts';

describe('the mount table', () => {
  it('tells place, type, source and device of each mount, whatever optional fields there are', () => {
    const text = [
      '26 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw',
      '42 27 0:39 / /mnt/photos rw,nosuid - fuse.pailfs pailfs:photos rw,user_id=0',
      '43 27 0:40 /sub /srv rw shared:2 master:1 propagate_from:3 - tmpfs tmpfs rw',
      '',
    ].join('\n');

    expect(parseMountInfo(text)).toEqual([
      { mountpoint: '/', type: 'ext4', source: '/dev/sda1', root: '/', device: '8:1' },
      {
        mountpoint: '/mnt/photos',
        type: 'fuse.pailfs',
        source: 'pailfs:photos',
        root: '/',
        owner: 0,
        device: '0:39',
      },
      { mountpoint: '/srv', type: 'tmpfs', source: 'tmpfs', root: '/sub', device: '0:40' },
    ]);
  });

  it('undoes the octal spelling of spaces, tabs, newlines and backslashes, and leaves other characters alone', () => {
    const text = String.raw`42 27 0:39 / /a\040b\011c\012d\134040-é rw - fuse.pailfs x\040y rw`;

    expect(parseMountInfo(text)).toEqual([
      { mountpoint: '/a b\tc\nd\\040-é', type: 'fuse.pailfs', source: 'x y', root: '/', device: '0:39' },
    ]);
  });

  it('tells which folder a bind mount shows', () => {
    expect(
      parseMountInfo(String.raw`42 27 0:39 /a\040b /mnt rw - fuse.pailfs pailfs:photos rw`),
    ).toMatchObject([{ mountpoint: '/mnt', root: '/a b', device: '0:39' }]);
  });

  it('finds the separator behind a mountpoint that is itself a hyphen', () => {
    expect(parseMountInfo('42 27 0:39 / - rw - tmpfs none rw')).toEqual([
      { mountpoint: '-', type: 'tmpfs', source: 'none', root: '/', device: '0:39' },
    ]);
  });

  it('leaves out lines of another shape', () => {
    expect(parseMountInfo('nonsense\n42 27 0:39 / /a rw shared:1 ext4 /dev/sda1 rw\n')).toEqual([]);
  });

  it('understands what macOS prints', () => {
    expect(parseMountOutput('pailfs:photos on /Users/a on b (macfuse_pailfs, nodev)\nrubbish\n')).toEqual([
      { mountpoint: '/Users/a on b', type: 'macfuse_pailfs', source: 'pailfs:photos', root: '/', device: '' },
    ]);
  });
});
