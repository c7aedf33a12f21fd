/** Which bucket is a path of the mount in, and what is it called there? */

export interface BucketPath {
  /** Of the bucket. */
  readonly name: string;
  /** In the bucket; `/` for its top. */
  readonly path: string;
}

/** Null for the directory that holds all buckets. */
export function bucketPathOf(path: string): BucketPath | null {
  if (path === '/') return null;
  const slash = path.indexOf('/', 1);
  return slash < 0
    ? { name: path.slice(1), path: '/' }
    : { name: path.slice(1, slash), path: path.slice(slash) };
}

/** What `path` of the bucket `name` is called in the mount. */
export function pathInMount(name: string, path: string): string {
  return path === '/' ? `/${name}` : `/${name}${path}`;
}
