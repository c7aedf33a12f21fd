/** Who waits when a program removes or renames a file whose upload does not end? */
import { expect, it, onTestFinished } from 'vitest';
import { MountedBucket } from '../support/mounted-bucket.ts';
import { stickUploads, type StuckUploads } from '../support/stuck-uploads.ts';

it.each([true, false])(
  'neither it nor others in the folder wait for the upload: write-back %s [write/stopped]',
  async (writeBack) => {
    const uploads: StuckUploads[] = [];
    const mount = await MountedBucket.open({
      // libfuse lets nobody remove or rename a file whose close it is still waiting for.
      driver: 'kernel',
      settings: { writeBack },
      between: (service) => {
        uploads.push(stickUploads(service));
        return service;
      },
    });
    onTestFinished(() => mount.close());
    mount.startTimer();
    const writing = mount.run('head -c 40000000 /dev/urandom > gone; echo closed');
    await expect.poll(() => uploads[0]?.stuck.has('gone'), { timeout: 60_000 }).toBe(true);

    const removed = await mount.run('rm gone; ls; (echo small > other) 2> /dev/null > /dev/null & ls gone');

    expect(removed.output).toBe('');
    expect(removed.errors).toMatch(/^ls: .*gone.*No such file/);
    expect(await writing).toMatchObject({ output: 'closed\n', errors: '' });
    uploads[0]?.letGo();
    // The shell has not waited for who writes it.
    const kept = { output: 'small\nother\n', errors: '' };
    await expect.poll(() => mount.run('cat other; ls'), { timeout: 60_000 }).toMatchObject(kept);
    mount.stopTimer();
  },
);
