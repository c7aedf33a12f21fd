/**
 * What was changed here is kept in mind only for answers under way (own-changes.ts). Does a mount that runs for weeks, and sees requests fail,
 * keep each name that it has ever changed?
 */
import { expect, it } from 'vitest';
import type { Namespace } from '../../src/namespace/namespace.ts';
import type { Operation } from '../../src/service/refusal.ts';
import { uploadOf } from '../support/embedded-service.ts';
import { namesAlone } from '../support/names-alone.ts';

interface Case {
  readonly what: string;
  readonly fails?: Operation;
  readonly look: (namespace: Namespace) => Promise<unknown>;
}

const CASES: readonly Case[] = [
  { what: 'of a look at a file', look: (names) => names.confirmFile('/f') },
  { what: 'of a look at a name', look: (names) => names.lookup('/f') },
  { what: 'of a look at what is not there', look: (names) => names.lookup('/gone') },
  { what: 'of a listing', look: (names) => names.list('/') },
  { what: 'of a look at a file that fails', fails: 'headObject', look: (names) => names.confirmFile('/f') },
  { what: 'of a look that fails at the file', fails: 'headObject', look: (names) => names.lookup('/f') },
  { what: 'of a look that fails at the folder', fails: 'listObjects', look: (names) => names.lookup('/f') },
  { what: 'of a listing that fails', fails: 'listObjects', look: (names) => names.list('/') },
];

it.each(CASES)(
  'nothing changed here is kept in mind after the last answer $what',
  async ({ fails, look }) => {
    const { namespace, direct, bucket, faults } = await namesAlone();
    await direct.putObject(bucket, 'f', uploadOf('x'));
    const { known } = namespace;
    const before = known.ask();
    known.forgetQuestion(before);
    if (fails !== undefined) faults.add({ operation: fails, fault: { kind: 'status', status: 403 } });

    const outcome = await look(namespace).then(
      () => undefined,
      () => fails,
    );

    expect(outcome).toBe(fails);
    known.changed('/x', { kind: 'missing' });
    // It would be told of all changes since that are kept. Where one of two requests has failed, the other may still be under way.
    await expect.poll(() => known.isChangedSince(before, '/x')).toBe(false);
  },
);
