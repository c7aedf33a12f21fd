/** SEMANTICS: what is forgotten when a path is refreshed, and what is not? */
import { describe, expect, it } from 'vitest';
import { InterceptedService } from '../support/intercepted-service.ts';
import { names, openForTest, readFile, writeFile } from '../support/open-for-test.ts';
import { xattr } from '../support/program-acts.ts';

describe('after a refresh of a folder', () => {
  it('the service is asked for it and for what is below it, and for nothing else [fresh/refresh]', async () => {
    const { fs, foreignWrite, mounted, asked, clock } = await openForTest();
    for (const key of ['d/e/f', 'd/g', 'dd/h', 'i']) await foreignWrite(key, 'x');
    for (const folder of ['/', '/d', '/d/e', '/dd']) await names(fs, folder);
    asked();

    mounted.refresh('/d');
    await names(fs, '/dd');
    await fs.getAttributes('/i');
    const elsewhere = asked();
    clock.advance(1);
    await names(fs, '/d');
    await names(fs, '/d/e');
    const inside = asked();
    await names(fs, '/d/e');

    expect(elsewhere).toEqual([]);
    expect(inside).toEqual(['listObjects', 'listObjects d', 'listObjects d/e']);
    expect(asked()).toEqual([]);
  });

  it('its names may not be trusted by the kernel, others may', async () => {
    const { fs, foreignWrite, mounted } = await openForTest();
    await foreignWrite('d/f', 'x');
    await foreignWrite('g', 'x');
    for (const path of ['/', '/d']) await names(fs, path);

    mounted.refresh('/d');

    expect((await fs.getAttributes('/g')).validFor).toBeGreaterThan(0);
    await foreignWrite('d/f', 'longer');
    expect((await fs.getAttributes('/d/f')).size).toBe(6);
  });

  it('what was written here and is not stored yet stays', async () => {
    const { fs, mounted, faults } = await openForTest();
    faults.add({ operation: 'putObject', fault: { kind: 'status', status: 402 } });
    await expect(writeFile(fs, '/d', 'mine')).rejects.toMatchObject({ code: 'EDQUOT' });

    mounted.refresh('/');

    expect((await readFile(fs, '/d')).toString()).toBe('mine');
  });
});

describe('after a refresh of a file', () => {
  it('its visibility and links are asked for again', async () => {
    const { fs, foreignWrite, mounted, direct, bucket } = await openForTest();
    await foreignWrite('f', 'x');
    expect(await xattr(fs, '/f', 'user.pailfs.visibility')).toBe('private');
    await direct.setVisibility(bucket, 'f', 'public');
    expect(await xattr(fs, '/f', 'user.pailfs.visibility')).toBe('private');

    mounted.refresh('/f');

    expect(await xattr(fs, '/f', 'user.pailfs.visibility')).toBe('public');
  });

  it('an answer that was under way is not believed, and nobody who looks afterwards waits for it', async () => {
    let arrive = (): void => undefined;
    let release = (): void => undefined;
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    const released = new Promise<void>((resolve) => (release = resolve));
    let isHeld = true;
    const { fs, foreignWrite, mounted } = await openForTest({
      between: (service) =>
        new InterceptedService(service, async (call, proceed) => {
          const answer = await proceed();
          if (call.operation !== 'listObjects' || !isHeld) return answer;
          isHeld = false;
          arrive();
          await released;
          return answer;
        }),
    });
    await foreignWrite('old', 'x');
    const before = names(fs, '/');
    await arrived;
    await foreignWrite('new', 'x');

    mounted.refresh('/new');
    const listed = await names(fs, '/');
    const found = await fs.getAttributes('/new');
    release();
    await before;

    expect(listed).toEqual(['new', 'old']);
    expect(found.size).toBe(1);
    expect((await fs.getAttributes('/new')).size).toBe(1);
  });
});
