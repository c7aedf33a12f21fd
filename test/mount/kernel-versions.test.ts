/** Do the bytes that the kernel keeps ever outlive the file they are of, and are they kept as long as it lives? */
import { open, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uploadOf } from '../support/embedded-service.ts';
import type { ContendedMessage } from '../support/mounted-contended.ts';
import { mountForTest, type MountedDirectory } from '../support/mounted.ts';
import { sharedMount } from '../support/shared-mount.ts';
import { shell } from '../support/shell.ts';

const ONE_HOUR_MS = 3_600_000;

describe('a file on a mount of the kernel driver', () => {
  let mounted: MountedDirectory;
  const inside = (name: string): string => path.join(mounted.path, name);
  const ask = (message: ContendedMessage): Promise<unknown> => mounted.call(message);

  beforeAll(async () => {
    const module = new URL('../support/mounted-contended.ts', import.meta.url);
    mounted = await mountForTest({ module, driver: 'kernel' });
  });
  afterAll(() => mounted.dispose());

  it('is read once, however often it is opened, until it is replaced [kernel/kept]', async () => {
    await ask({ ask: 'replace', path: '/kept', text: 'x'.repeat(300_000) });
    await shell(mounted.path, 'cat kept | wc -c');
    await ask({ ask: 'calls' });
    const again = await shell(
      mounted.path,
      'for i in 1 2 3; do cat kept | wc -c; done; mv kept moved; md5sum < moved | wc -l',
    );
    const calls = (await ask({ ask: 'calls' })) as string[];
    await ask({ ask: 'replace', path: '/moved', text: 'y'.repeat(300_000) });

    expect(again.output).toBe('300000\n300000\n300000\n1\n');
    expect(calls.filter((call) => call.startsWith('read '))).toEqual([]);
    expect(await readFile(inside('moved'), 'utf8')).toBe('y'.repeat(300_000));
  });

  it('is read after it was written here without asking for what was written [kernel/kept]', async () => {
    await writeFile(inside('written'), 'one');
    await shell(mounted.path, 'cat written; echo two >> written; cat written');
    await ask({ ask: 'calls' });
    const again = await shell(mounted.path, 'cat written');
    const calls = (await ask({ ask: 'calls' })) as string[];

    expect(again.output).toBe('onetwo\n');
    expect(calls.filter((call) => call.startsWith('read '))).toEqual([]);
  });

  it('is made anew by who writes to its name after somebody else deleted it, and missed by who reads', async () => {
    await ask({ ask: 'trust', milliseconds: ONE_HOUR_MS });
    await writeFile(inside('deleted'), 'old');
    await ask({ ask: 'remove', path: '/deleted' });
    const appended = await shell(mounted.path, 'echo new >> deleted && cat deleted');
    await ask({ ask: 'remove', path: '/deleted' });
    const read = await shell(mounted.path, 'exec 2>&1; cat deleted');
    await ask({ ask: 'trust', milliseconds: 0 });

    expect(appended.output).toBe('new\n');
    expect(read.output).toContain('No such file or directory');
  });

  it('stays as it was for who has it open, and the name leads to the other [kernel/versions]', async () => {
    await writeFile(inside('file'), 'old');
    const old = await open(inside('file'), 'r');
    await ask({ ask: 'replace', path: '/file', text: 'newer' });

    expect((await old.stat()).size).toBe(3);
    expect((await stat(inside('file'))).size).toBe(5);
    expect(await readFile(inside('file'), 'utf8')).toBe('newer');
    expect(await old.readFile('utf8')).toBe('old');
    expect((await old.stat()).size).toBe(3);
    await old.close();
  });

  // Beside who has the old one open, the call looks again; alone, it goes on with the new one.
  it.each(['alone', 'beside another'])(
    'that is replaced while a program opens it %s has the size of the bytes that are read [kernel/versions]',
    async (how) => {
      const name = `raced ${how}`;
      await ask({ ask: 'trust', milliseconds: ONE_HOUR_MS });
      await ask({ ask: 'replace', path: `/${name}`, text: 'old bytes' });
      await stat(inside(name));
      const old = how === 'beside another' ? await open(inside(name), 'r') : undefined;
      await ask({ ask: 'calls' });
      await ask({ ask: 'hold', operation: 'open', path: `/${name}` });
      const opening = open(inside(name), 'r');
      await expect.poll(() => ask({ ask: 'calls' })).toContain(`open /${name}`);
      await ask({ ask: 'replace', path: `/${name}`, text: 'new' });
      await ask({ ask: 'expire', folder: 1, name });
      await ask({ ask: 'told' });
      await stat(inside(name));
      await ask({ ask: 'let-go' });
      const file = await opening;
      const seen = { size: (await file.stat()).size, text: await file.readFile('utf8') };
      const kept = { size: (await old?.stat())?.size, text: await old?.readFile('utf8') };
      for (const opened of [file, old]) await opened?.close();
      await ask({ ask: 'trust', milliseconds: 0 });

      expect(seen).toEqual({ size: 3, text: 'new' });
      if (old !== undefined) expect(kept).toEqual({ size: 9, text: 'old bytes' });
    },
  );

  it('that was replaced is the other to every call that names it [kernel/versions]', async () => {
    await writeFile(inside('named'), 'old');
    const acts = [
      'stat -c %s named',
      'cat named',
      'echo + >> named; cat named',
      'truncate -s 4 named; cat named',
      'chmod 600 named; stat -c %a named',
      'touch -d @1000 named; stat -c %Y named',
      'cp named copied; cat copied',
      ': > named; cat named; echo done',
    ];
    const seen: string[] = [];
    for (const act of acts) {
      await ask({ ask: 'replace', path: '/named', text: 'other' });
      const { output, errors } = await shell(mounted.path, act);
      seen.push(output.trim() + errors);
    }

    expect(seen).toEqual(['5', 'other', 'other+', 'othe', '600', '1000', 'other', 'done']);
  });
});

describe.each([0, ONE_HOUR_MS])('a bucket whose metadata are trusted for %d ms', (metadataTtl) => {
  const mount = sharedMount({ driver: 'kernel', settings: { metadataTtl } });

  /** Without a word to the mount when it trusts nothing. */
  async function storeElsewhere(key: string, content: string): Promise<void> {
    if (metadataTtl > 0) await mount().foreignWrite(key, content);
    else await mount().direct.putObject(mount().bucket, key, uploadOf(content));
  }

  it('shows of a file that others replace by one of the same size their bytes only [fresh/open] [kernel/versions]', async () => {
    for (const letter of ['a', 'b', 'c', 'd']) {
      await storeElsewhere('same', letter.repeat(10_000));
      const { output } = await mount().run(
        'cat same | tr -s a-z; tail -c 3 same; ls -l same | cut -d" " -f5',
      );
      expect(output).toBe(`${letter}${letter.repeat(3)}10000\n`);
    }
  });

  it('shows of a file that others make longer and shorter all of it, and writes where it ends [fresh/open] [kernel/versions]', async () => {
    const contents = ['short', 'a much longer content', 'x', 'something else'];
    for (const content of contents) {
      await storeElsewhere('sized', content);
      expect((await mount().run('cat sized')).output).toBe(content);
      await storeElsewhere('sized', `${content}${content}`);
      expect((await mount().run('echo + >> sized; cat sized')).output).toBe(`${content}${content}+\n`);
      expect((await mount().stored('sized')).toString()).toBe(`${content}${content}+\n`);
    }
  });

  it('lets a program go on with what it has read of a file that others replaced [fresh/no-mixing] [kernel/versions]', async () => {
    await storeElsewhere('open', 'old bytes');
    const file = await open(`${mount().path}/open`, 'r');
    await file.read(Buffer.alloc(9), 0, 9, 0);
    await storeElsewhere('open', 'new bytes');

    expect((await mount().run('cat open')).output).toBe('new bytes');
    expect(await file.readFile('utf8')).toBe('old bytes');
    await file.close();
  });

  it('stores nothing empty when others replace what a program is about to write anew [write/whole]', async () => {
    await storeElsewhere('anew', 'old');
    await mount().run('cat anew');
    await mount().direct.putObject(mount().bucket, 'anew', uploadOf('foreign'));
    await mount().run('cat anew; echo mine > anew; cat anew');

    expect((await mount().stored('anew')).toString()).toBe('mine\n');
  });
});
