/** What does a program see of a folder whose later pages are still to come, on a real mount? */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { beforeAll, describe, expect, it } from 'vitest';
import { uploadOf } from '../support/embedded-service.ts';
import { HeldPages } from '../support/held-pages.ts';
import { sharedMount } from '../support/shared-mount.ts';

const FILES = 250;
const PAGE = 100;
/** Says when it has a name, then how many different ones there are in all. */
const READ_ALL = String.raw`
  $| = 1;
  opendir D, "huge" or die $!;
  my %seen; $seen{scalar readdir D}++ for 1 .. 10;
  print "begun\n";
  while (defined(my $name = readdir D)) { $seen{$name}++ }
  print scalar(keys %seen), " ", scalar(grep { $_ > 1 } values %seen), "\n";
`;

describe('programs that read a folder of several pages', () => {
  let pages: HeldPages | undefined;
  const mount = sharedMount({
    driver: 'kernel',
    between: (service) => {
      pages = new HeldPages(service, PAGE);
      return pages;
    },
  });
  beforeAll(async () => {
    for (let index = 0; index < FILES; index += 1)
      await mount().direct.putObject(mount().bucket, `huge/file-${index}`, uploadOf('x'));
  });

  it('have its first names before the second page arrives, and each name once [list/as-pages-arrive]', async () => {
    const reader = spawn('sh', ['-c', 'exec perl -e "$0"', READ_ALL], {
      cwd: mount().path,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const said: string[] = [];
    for await (const line of createInterface(reader.stdout)) {
      said.push(line);
      if (line === 'begun') pages?.letPass();
    }

    expect(said).toEqual(['begun', `${FILES + 2} 0`]);
  });

  it('list, stat and delete it all', async () => {
    pages?.letPass();
    const listed = await mount().run('ls -l huge | grep -c file-; find huge -type f -size -2 | wc -l');
    const removed = await mount().run('rm -r huge; ls huge');

    expect(listed).toMatchObject({ errors: '', output: `${FILES}\n${FILES}\n` });
    expect(removed.exit).not.toBe(0);
    expect((await mount().direct.listObjects(mount().bucket, { folder: 'huge' })).objects).toEqual([]);
  });
});
