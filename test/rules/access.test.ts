/** What may credentials of each level do? (§4, column Access; §5) */
import { describe, expect, it } from 'vitest';
import { CommandLine } from '../support/command-line.ts';
import { STRANGER, uploadOf } from '../support/embedded-service.ts';
import { names, readFile, writeFile } from '../support/open-for-test.ts';
import { errnoOfCall, setXattr, xattr } from '../support/program-acts.ts';
import { openScene, openShell, SERVICES, SHELL_SERVICES, type Scene, type ShellScene } from './scene.ts';

const BYTES = 'twelve bytes';

describe.each(SERVICES)('a mount with credentials that may only read, on %s', (_service, behaviours) => {
  /** With the file `f`, which no listing has told. */
  async function open(): Promise<Scene> {
    const scene = await openScene(behaviours, { access: 'read' });
    await scene.foreignWrite('f', BYTES, 'image/png');
    return scene;
  }

  it('lists files', async () => {
    const { fs } = await open();

    expect(await names(fs, '/')).toEqual(['f']);
  });

  it('reads files', async () => {
    const { fs } = await open();
    await names(fs, '/');

    expect((await readFile(fs, '/f')).toString()).toBe(BYTES);
  });

  it('looks at files', async () => {
    const { fs } = await open();

    expect(await xattr(fs, '/f', 'user.mime_type')).toBe('image/png');
  });

  it('tells who may fetch a file', async () => {
    const { fs } = await open();

    expect(await xattr(fs, '/f', 'user.pailfs.visibility')).toBe('private');
  });

  it('gives links', async () => {
    const { fs } = await open();

    expect(await xattr(fs, '/f', 'user.pailfs.link')).toMatch(/\/private\/\S+\/f\?/);
  });

  it('stores nothing', async () => {
    const { fs, stored } = await open();

    expect(await errnoOfCall(writeFile(fs, '/f', 'other'))).toBe('EACCES');
    expect((await stored('f')).toString()).toBe(BYTES);
  });

  it('deletes nothing', async () => {
    const { fs, stored } = await open();

    expect(await errnoOfCall(fs.unlink('/f'))).toBe('EACCES');
    expect((await stored('f')).toString()).toBe(BYTES);
  });

  it('makes no folder', async () => {
    const { fs, forget } = await open();

    const errno = await errnoOfCall(fs.mkdir('/d', 0o755));
    forget();

    expect(errno).toBe('EACCES');
    expect(await names(fs, '/')).toEqual(['f']);
  });

  it('publishes nothing', async () => {
    const { fs, direct, bucket } = await open();

    expect(await errnoOfCall(setXattr(fs, '/f', 'user.pailfs.visibility', 'public'))).toBe('EACCES');
    expect((await direct.getVisibility(bucket, 'f')).visibility).toBe('private');
  });
});

describe.each(SERVICES)('a mount with credentials that may write, on %s', (_service, behaviours) => {
  it('reads, too', async () => {
    const { fs, foreignWrite } = await openScene(behaviours);
    await foreignWrite('f', BYTES);

    expect(await names(fs, '/')).toEqual(['f']);
    expect((await readFile(fs, '/f')).toString()).toBe(BYTES);
    expect(await xattr(fs, '/f', 'user.pailfs.visibility')).toBe('private');
    expect(await xattr(fs, '/f', 'user.pailfs.link')).toMatch(/\/f\?/);
  });

  it('is let in by the access key id and the secret, in this order', async () => {
    const { fs, foreignWrite } = await openScene(behaviours);
    await foreignWrite('f', BYTES);

    expect(await names(fs, '/')).toEqual(['f']);
  });
});

describe.each(SHELL_SERVICES)(
  'a shell with credentials that may only read, on %s',
  (_service, behaviours) => {
    async function open(): Promise<ShellScene> {
      const { server } = await openShell(behaviours);
      await server.direct.putObject(server.bucket, 'f', uploadOf(BYTES));
      return { server, at: await CommandLine.open({ ...server, credentials: server.readOnlyCredentials }) };
    }

    it('lists buckets', async () => {
      const { at } = await open();

      expect((await at.run(['bucket', 'list'])).stdout).toMatch(/^photos /m);
    });

    it('shows a bucket', async () => {
      const { at } = await open();

      expect((await at.run(['bucket', 'info', 'photos'])).stdout).toMatch(/^name +photos$/m);
    });

    it('creates no bucket', async () => {
      const { server, at } = await open();

      const { code, stderr } = await at.run(['bucket', 'create', 'music']);

      expect(code).toBe(1);
      expect(stderr).toMatch(/^pailfs: bucket music is not created: these credentials may not do that/);
      expect((await server.direct.listBuckets()).summary.bucketCount).toBe(1);
    });

    it('deletes no bucket', async () => {
      const { server, at } = await open();

      const { code, stderr } = await at.run(['bucket', 'delete', 'photos', '--yes']);

      expect(code).toBe(1);
      expect(stderr).toMatch(/^pailfs: bucket photos is not deleted: these credentials may not do that/);
      expect((await server.direct.listBuckets()).summary.bucketCount).toBe(1);
    });
  },
);

describe.each(SHELL_SERVICES)(
  'a shell with credentials of another account, on %s',
  (_service, behaviours) => {
    it('lists none of the buckets', async () => {
      const { server } = await openShell(behaviours);
      const at = await CommandLine.open({ ...server, credentials: STRANGER });

      const { code, stdout } = await at.run(['bucket', 'list']);

      expect(code).toBe(0);
      expect(stdout).toMatch(/^0 of 50 buckets/);
    });
  },
);
