/** Do programs with a lot to do come through on a mounted bucket: large trees, large files, a large repository? */
import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashOf, hashOfKey, heldByDirectory, heldByService } from '../support/held-files.ts';
import { MountedBucket } from '../support/mounted-bucket.ts';
import { shell } from '../support/shell.ts';

const HOUR_MS = 3_600_000;
const MAKE_LARGE_TREE = String.raw`
  mkdir large && cd large
  for i in $(seq 40); do mkdir -p "dir $i/sub"; for j in $(seq 25); do echo "$i $j" > "dir $i/sub/file $j"; done; done
  mkdir flat; for i in $(seq 1500); do echo "$i" > "flat/entry-$i"; done
`;

describe('on a mounted bucket, with a lot to do', () => {
  let mount: MountedBucket;
  let outside: string;
  beforeAll(async () => {
    outside = await mkdtemp(path.join(tmpdir(), 'pailfs-long-'));
    mount = await MountedBucket.open({ lifetime: HOUR_MS });
    await shell(outside, MAKE_LARGE_TREE);
  }, HOUR_MS);
  afterAll(async () => {
    await mount.close();
    await rm(outside, { recursive: true });
  });

  const succeed = async (script: string): Promise<string> => {
    const result = await mount.run(`set -e; export HOME="$1"; ${script}`, outside);
    expect(result.exit, result.errors).toBe(0);
    return result.output;
  };

  it('cp, rsync, find, mv and rm manage thousands of files', async () => {
    const tree = await heldByDirectory(`${outside}/large`);

    const output = await succeed(
      'cp -r "$1/large" copied; find copied -type f | wc -l; rsync -a copied/ synced/; rm -rf copied; mv synced moved; diff -r "$1/large" moved; ls moved/flat | wc -l',
    );

    expect(output).toBe('2500\n1500\n');
    expect(await heldByService(mount.direct, mount.bucket, 'moved')).toEqual(tree);
    await succeed('rm -rf moved; ls');
    expect(await heldByService(mount.direct, mount.bucket, '')).toEqual({});
  });

  it('git keeps a repository of thousands of files', async () => {
    const output = await succeed(`
      git() { command git -c user.name=Somebody -c user.email=somebody@example.org -c init.defaultBranch=main "$@"; }
      cp -r "$1/large" repo; cd repo; git init -q; git add .; git commit -q -m all; git gc -q; git fsck --full
      for i in 1 2 3; do echo $i > "dir $i/changed"; git add .; git commit -q -m "change $i"; done
      cd ..; git clone -q --no-local repo clone; git -C clone fsck --full; git -C clone ls-files | wc -l; git -C clone status --porcelain
    `);

    expect(output).toBe('2503\n');
  });
});

describe('on a mounted bucket of a service that keeps its files on disk', () => {
  it('cp brings 1.5 GiB in and out again', async () => {
    const outside = await mkdtemp(path.join(tmpdir(), 'pailfs-long-'));
    const directory = path.join(outside, 'service');
    const mount = await MountedBucket.open({ store: { directory }, lifetime: HOUR_MS });
    try {
      const script = 'head -c 1610612736 /dev/urandom > "$1/huge" && cp "$1/huge" huge && cmp "$1/huge" huge';
      expect(await mount.run(script, outside)).toMatchObject({ errors: '', exit: 0 });
      const wanted = await hashOf(createReadStream(`${outside}/huge`));
      expect(await hashOfKey(mount.direct, mount.bucket, 'huge')).toBe(wanted);
    } finally {
      await mount.close();
      await rm(outside, { recursive: true });
    }
  });
});
