/** SEMANTICS: what a program sees of the other names of a folder after an upload that found nobody to send it to. */
import { expect, it } from 'vitest';
import { uploadOf } from '../support/embedded-service.ts';
import { names, readFile, writeFile } from '../support/open-for-test.ts';
import { openOverHttp } from '../support/open-over-http.ts';
import { errnoOfCall, xattr } from '../support/program-acts.ts';

it.each([
  ['a close', false],
  ['a close that was promised', true],
])(
  'after the upload of %s that found the service down, the folder goes on being listed and takes files [errors/away]',
  async (_what, writeBack) => {
    const { mounted, server, direct, bucket, pass } = await openOverHttp({ writeBack });
    const fs = mounted.operations;
    await direct.putObject(bucket, 'there', uploadOf('stored'));
    await direct.putObject(bucket, 'folder/deep', uploadOf('stored'));
    await names(fs, '/');
    await readFile(fs, '/there');
    await server.close();
    // From then on no connection is left that an upload could be sent over.
    expect(await errnoOfCall(names(fs, '/folder'))).toBe('EIO');

    const closed = await errnoOfCall(writeFile(fs, '/new', 'waits'));
    pass(1000);
    await expect.poll(() => xattr(fs, '/new', 'user.pailfs.state')).toBe('failed');

    expect(closed).toBe(writeBack ? 'none' : 'EIO');
    expect(await names(fs, '/')).toEqual(['folder', 'new', 'there']);
    expect((await readFile(fs, '/there')).toString()).toBe('stored');
    expect(await errnoOfCall(writeFile(fs, '/another', 'waits too'))).toBe(closed);
    expect(await names(fs, '/')).toEqual(['another', 'folder', 'new', 'there']);
  },
);
