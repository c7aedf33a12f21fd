/**
 * How do the tests of a group share what takes long to make? It is made before the first of them and ends after the last. What is
 * returned here tells it to tests and hooks while they run; while tests are collected there is none yet.
 */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { MountedBucket, type BucketMountOptions } from './mounted-bucket.ts';
import { removeDirectory } from './remove-directory.ts';

type Options = BucketMountOptions | (() => BucketMountOptions);

/**
 * A mount on which each test has its time: then it dies, and what waits for it ends. `options` are a function when they name what is
 * made before the first test, too.
 */
export function sharedMount(options: Options = {}): () => MountedBucket {
  const mount = shared(
    () => MountedBucket.open(typeof options === 'function' ? options() : options),
    (opened) => opened.close(),
  );
  beforeEach(() => {
    mount().startTimer();
  });
  afterEach(() => {
    mount().stopTimer();
  });
  return mount;
}

/** An empty directory outside of all mounts, below `parent`. */
export function sharedDirectory(parent = tmpdir()): () => string {
  return shared(() => mkdtemp(join(parent, 'pailfs-shared-')), removeDirectory);
}

function shared<T>(make: () => Promise<T>, end: (made: T) => Promise<void>): () => T {
  const made: T[] = [];
  beforeAll(async () => {
    made.push(await make());
  });
  afterAll(async () => {
    for (const one of made.splice(0)) await end(one);
  });
  return () => {
    const [one] = made;
    if (one === undefined) throw new Error('it is made before the first test, not while tests are collected');
    return one;
  };
}
