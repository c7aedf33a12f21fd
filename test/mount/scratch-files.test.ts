/** How many requests do programs cost that work with scratch files: editors, rsync? */
import { describe, expect, it } from 'vitest';
import { RequestLog } from '../../src/server/request-log.ts';
import { heldByDirectory, heldByService } from '../support/held-files.ts';
import { recordingService } from '../support/recording-service.ts';
import { sharedDirectory, sharedMount } from '../support/shared-mount.ts';

describe('on a mounted bucket', () => {
  const requests = new RequestLog();
  const mount = sharedMount({
    between: (service) => recordingService(service, requests),
    // Names are asked for once; what counts here is what a program stores and removes.
    settings: { metadataTtl: 3_600_000 },
  });
  const outside = sharedDirectory();

  /** Runs a script that must succeed; `$1` is a directory outside of the mount. Returns what it changed on the service. */
  const changesOf = async (script: string): Promise<string[]> => {
    requests.reset();
    const result = await mount().run(`set -e; export HOME="$1"; ${script}`, outside());
    expect(result, script).toMatchObject({ exit: 0 });
    return requests.all
      .filter(({ operation }) => ['putObject', 'deleteObject', 'createFolder'].includes(operation))
      .map(({ operation, key, folder }) => `${operation} ${key ?? folder ?? ''}`);
  };
  const vim = (...args: string[]): string => `vim -es -u NONE -i NONE ${args.join(' ')}`;

  it('vim saves a file, new or old, with one PUT [scratch/local]', async () => {
    await changesOf('seq 100 > file; ls -a');

    expect(await changesOf(vim('file', `-c '%s/^5$/five/'`, '-c wq'))).toEqual(['putObject file']);
    expect(await changesOf(vim('new', `-c 'normal ihello'`, '-c wq'))).toEqual(['putObject new']);
    expect((await mount().stored('file')).toString().split('\n')[4]).toBe('five');
    expect((await mount().stored('new')).toString()).toBe('hello\n');
  });

  it('rsync stores each file with one PUT, and then has nothing to do [scratch/rename]', async () => {
    await changesOf(
      'mkdir -p "$1/tree/deep"; for i in 1 2 3 4 5; do seq $i > "$1/tree/deep/$i"; done; mkdir tree; ls tree',
    );
    const sync = 'rsync -a --stats "$1/tree/" tree/ > "$1/stats"';

    const first = await changesOf(sync);
    const second = await changesOf(`${sync}; grep -q "^Number of regular files transferred: 0$" "$1/stats"`);
    const third = await changesOf(`echo more >> "$1/tree/deep/3"; ${sync}`);

    expect(first.sort()).toEqual([
      'createFolder tree/deep',
      ...['1', '2', '3', '4', '5'].map((name) => `putObject tree/deep/${name}`),
    ]);
    expect(second).toEqual([]);
    expect(third).toEqual(['putObject tree/deep/3']);
    expect(await heldByService(mount().direct, mount().bucket, 'tree')).toEqual(
      await heldByDirectory(`${outside()}/tree`),
    );
  });

  it('leaves nothing unsent', async () => {
    expect(await mount().ask('close')).toEqual([]);
  });
});
