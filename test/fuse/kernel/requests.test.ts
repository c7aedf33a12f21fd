import { describe, expect, it } from 'vitest';
import { operationNamed, type OperationName } from '../../../src/fuse/kernel/opcodes.ts';
import * as requests from '../../../src/fuse/kernel/requests.ts';
import { MalformedRequest, WireReader } from '../../../src/fuse/kernel/wire-reader.ts';
import { goldenRequest, goldenRequests } from './golden-bytes.ts';

/** The header and what follows it, of one golden request. */
function opened(name: OperationName): { header: requests.RequestHeader; body: WireReader } {
  const body = new WireReader(goldenRequest(name));
  return { header: requests.readHeader(body), body };
}

const readers: Readonly<Partial<Record<OperationName, (body: WireReader) => unknown>>> = {
  init: requests.readInit,
  lookup: (body) => body.name(),
  forget: (body) => body.u64(),
  batchForget: requests.readBatchForget,
  getattr: requests.readGetattr,
  setattr: requests.readSetattr,
  mknod: requests.readMknod,
  mkdir: requests.readMkdir,
  rename: requests.readRename,
  rename2: requests.readRename2,
  open: requests.readOpen,
  create: requests.readCreate,
  read: requests.readRead,
  write: requests.readWrite,
  fallocate: requests.readFallocate,
  flush: requests.readHandle,
  fsync: requests.readHandle,
  release: requests.readHandle,
  setxattr: requests.readSetxattr,
  getxattr: requests.readGetxattr,
  listxattr: requests.readListxattr,
  interrupt: requests.readInterrupt,
};

const meanings: readonly (readonly [OperationName, unknown])[] = [
  ['init', { major: 7, minor: 45, maxReadahead: 131072, flags: 0x7fffffff }],
  ['lookup', 'file.txt'],
  ['forget', 3],
  [
    'batchForget',
    [
      { node: 2, lookups: 1 },
      { node: 3, lookups: 5 },
    ],
  ],
  ['getattr', 7],
  ['setattr', { valid: 0x79, fh: 7, size: 2 ** 32 + 1, mode: 0o100640, uid: 5, gid: 6 }],
  ['setattr', { atime: -4750, mtime: 1_700_000_000_123.456 }],
  ['mknod', { mode: 0o100644, name: 'node' }],
  ['mkdir', { mode: 0o755, name: 'folder' }],
  ['rename', { toFolder: 1, flags: 0, from: 'from', to: 'to' }],
  ['rename2', { toFolder: 1, flags: 1, from: 'from', to: 'to' }],
  ['open', { flags: 0o100002, killsPrivileges: true }],
  ['create', { flags: 0o100302, mode: 0o100644, killsPrivileges: false, name: 'new' }],
  ['read', { fh: 7, offset: 2 ** 33, size: 131072 }],
  ['write', { fh: 7, offset: 4096, killsPrivileges: true, data: Buffer.from('hello') }],
  ['fallocate', { fh: 7, range: { start: 4096, end: 4096 + 2 ** 33 }, keepsSize: true, isOther: false }],
  ['flush', 7],
  ['fsync', 7],
  ['release', 7],
  ['setxattr', { flags: 1, name: 'user.a', value: Buffer.from('abc') }],
  ['getxattr', { size: 64, name: 'user.a' }],
  ['listxattr', 0],
  ['interrupt', 0x1122334455667786n],
];

describe('a request of the kernel', () => {
  it.each(Object.keys(goldenRequests) as OperationName[])('to %s is known by its number', (name) => {
    const { header } = opened(name);

    expect(operationNamed(header.opcode)).toBe(name);
    expect(header).toMatchObject({ length: goldenRequest(name).length, unique: 0x1122334455667788n });
  });

  it.each(meanings)('to %s means what a C program put into it', (name, meaning) => {
    const read = readers[name]?.(opened(name).body);

    if (meaning instanceof Object) expect(read).toMatchObject(meaning);
    else expect(read).toBe(meaning);
  });

  // That of init grew with time: the driver reads what every version has.
  const ofOneLength = (Object.keys(readers) as OperationName[]).filter((name) => name !== 'init');

  it.each(ofOneLength)('to %s that ends too early is malformed', (name) => {
    const whole = goldenRequest(name);

    for (let length = requests.REQUEST_HEADER_BYTES; length < whole.length - 8; length += 1) {
      const body = new WireReader(whole.subarray(0, length));
      requests.readHeader(body);
      expect(() => readers[name]?.(body)).toThrow(MalformedRequest);
    }
  });

  it('with a name that is not UTF-8 is refused by EILSEQ, and with one of 256 bytes by ENAMETOOLONG', () => {
    const bad = new WireReader(Buffer.from('bad\xff\0', 'latin1'));
    const long = new WireReader(Buffer.from(`${'é'.repeat(128)}\0`));

    expect(() => bad.name()).toThrow(expect.objectContaining({ code: 'EILSEQ' }));
    expect(() => long.name()).toThrow(expect.objectContaining({ code: 'ENAMETOOLONG' }));
  });

  it('keeps a byte order mark and other odd characters of a name', () => {
    const name = '\uFEFFa\u{FFFD}🪣';

    expect(new WireReader(Buffer.from(`${name}\0`)).name()).toBe(name);
  });

  it.each(['', '.', '..', 'a/b'])('whose name is %j is malformed', (name) => {
    expect(() => new WireReader(Buffer.from(`${name}\0`)).name()).toThrow(MalformedRequest);
  });
});
