/**
 * Where is what a file manager has put into the bin? `gio trash` is the call of Nautilus, Thunar and all others that are built on GIO,
 * without their windows.
 */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CommandLine } from '../support/command-line.ts';
import { startEmbeddedServer, uploadOf } from '../support/embedded-service.ts';
import { shell } from '../support/shell.ts';

const BIN = `.Trash-${process.getuid?.() ?? 0}`;

it('in the bucket, in a folder at its top, and as public as it was', async () => {
  const { server, at } = await arrange(['mount', 'photos']);

  const { exit, errors } = await shell(at.mountpoint, 'gio trash d/public.txt d/private.txt; ls -A d');

  expect({ exit, errors }).toEqual({ exit: 0, errors: '' });
  const visibility = async (name: string): Promise<string> =>
    (await server.direct.getVisibility(server.bucket, `${BIN}/files/${name}`)).visibility;
  expect(await visibility('public.txt')).toBe('public');
  expect(await visibility('private.txt')).toBe('private');
  const { objects } = await server.direct.listObjects(server.bucket, { folder: `${BIN}/info/` });
  expect(objects.map(({ key }) => key)).toEqual(
    ['private.txt', 'public.txt'].map((name) => `${BIN}/info/${name}.trashinfo`),
  );
});

it('nowhere with all buckets: beside them nothing can be made, so the file stays', async () => {
  const { at } = await arrange(['mount', '--all-buckets']);
  const top = join(at.mountpoint, 'photos');

  const { exit, output, errors } = await shell(top, 'gio trash d/public.txt; ls d; ls -A ..');

  expect(errors).toContain('Unable to find or create trash directory');
  expect({ exit, output }).toEqual({ exit: 0, output: 'private.txt\npublic.txt\nphotos\n' });
});

async function arrange(mount: readonly string[]) {
  const server = await startEmbeddedServer();
  for (const name of ['public', 'private'] as const) {
    await server.direct.putObject(server.bucket, `d/${name}.txt`, uploadOf(name));
    await server.direct.setVisibility(server.bucket, `d/${name}.txt`, name);
  }
  const at = await CommandLine.open(server);
  expect(await at.run([...mount, at.mountpoint])).toMatchObject({ code: 0 });
  return { server, at };
}
