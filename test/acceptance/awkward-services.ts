/** Services that take every liberty where the spec is silent, and on which programs shall see no difference. */
import type { Behaviours } from '../../src/server/behaviours.ts';

export const AWKWARD: Partial<Behaviours> = {
  range: 'short',
  folders: 'vanishing',
  missingFolder: 'missing',
  headFolder: 'found',
  folderEntries: 'listed',
  pages: 'nasty',
  order: 'scattered',
  etagStyle: 'weak',
  date: 'missing',
  missingVisibility: 400,
  etag: 'hex',
  existingFolder: 'refused',
  excessiveLimit: 'refused',
};

export const WITHOUT_RANGES: Partial<Behaviours> = {
  range: 'ignored',
  folders: 'lasting',
  pages: 'nasty',
  order: 'scattered',
  etag: 'random',
  etagStyle: 'quoted',
};
