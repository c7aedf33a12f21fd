/** A service is away for days, and each upload is tried again and again, its end unknown: what of that must be remembered? */
import { expect, it } from 'vitest';
import { OpenFile } from '../../src/filesystem/open-file.ts';
import { Version } from '../../src/store/version.ts';

/** What a try may have stored. */
function attempt(content: number, at: number): Version {
  const own = { size: content, md5: String(content), storedWithin: null, contentType: 'text/plain' };
  return Version.uploaded(own, new Date(at));
}

it('the same bytes, tried a thousand times, are one that may have come', () => {
  const file = new OpenFile('/f', null);
  file.doubts.add(attempt(1, 0));

  for (let at = 1; at <= 1000; at += 1) file.doubts.add(attempt(2, at));

  expect(file.doubts.versions.map(({ size, lastModified }) => [size, lastModified.getTime()])).toEqual([
    [1, 0],
    [2, 1000],
  ]);
});

it('one of which the service has told stays beside another try of it', () => {
  const file = new OpenFile('/f', null);
  const told = attempt(1, 0);
  told.etag = 'told';
  file.doubts.add(told);

  file.doubts.add(attempt(1, 1));

  expect(file.doubts.versions).toHaveLength(2);
});

it('of what a program saves anew each minute the latest hundred contents are known', () => {
  const file = new OpenFile('/f', null);

  for (let content = 1; content <= 1440; content += 1) file.doubts.add(attempt(content, content));

  expect(file.doubts.versions.map(({ size }) => size)).toEqual(
    Array.from({ length: 100 }, (_, index) => 1341 + index),
  );
});
