import { describe, expect, it } from 'vitest';
import { dropCached, expireName, incrementEpoch } from '../../../src/fuse/kernel/notifications.ts';
import { goldenNotifications } from './golden-bytes.ts';

const NUMBER = 2 ** 32 + 2;

describe('a message to the kernel', () => {
  it('has the bytes that a C program would write', () => {
    const written = {
      expiredName: expireName(NUMBER, 'file.txt'),
      droppedAttributes: dropCached(NUMBER, 'attributes'),
      droppedBytes: dropCached(NUMBER, 'bytes'),
    };

    const hex = Object.fromEntries(
      Object.entries(written).map(([name, bytes]) => [name, bytes.toString('hex')]),
    );
    expect(hex).toEqual(goldenNotifications);
    // Not in linux/fuse.h before 7.44: a header with the code, and nothing else.
    expect(incrementEpoch().toString('hex')).toBe('10000000080000000000000000000000');
  });

  it('counts the bytes of a name, not its letters', () => {
    const message = expireName(1, 'ü');

    expect(message.readUInt32LE(24)).toBe(2);
    expect(message.subarray(32)).toEqual(Buffer.from('ü\0'));
  });
});
