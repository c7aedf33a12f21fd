/** How does a version of a file outlive the process? By what is known of it; its identity, and what hangs on it, ends. */
import { Version } from '../store/version.ts';
import type { VersionRecord } from './draft-facts.ts';

export function factsOf(version: Version): VersionRecord {
  const { size, etag, lastModified, own, contentType } = version;
  return {
    size,
    etag,
    // Of bytes that were here: an ETag that only looks like an MD5 would be taken for theirs (etag-kind.ts).
    md5: own?.md5 ?? null,
    lastModified: lastModified.getTime(),
    storedWithin: own?.storedWithin ?? null,
    contentType: contentType ?? null,
  };
}

export function versionOf(facts: VersionRecord): Version {
  const { size, etag, md5, storedWithin, contentType } = facts;
  const lastModified = new Date(facts.lastModified);
  const type = contentType === null ? {} : { contentType };
  if (md5 === null) return Version.told({ size, etag: etag ?? '', lastModified, ...type });
  const version = Version.uploaded({ size, md5, storedWithin, contentType: contentType ?? '' }, lastModified);
  version.etag = etag;
  version.contentType = contentType ?? undefined;
  return version;
}
