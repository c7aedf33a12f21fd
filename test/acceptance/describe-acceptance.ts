/**
 * Does the file system do what programs expect of one? One suite for every way to reach it; a setup says how. After each case
 * what the service holds is compared by bytes.
 */
import { describe } from 'vitest';
import { attributeCases, unstoredAttributeCases } from './attribute-cases.ts';
import { concurrencyCases, replacementCases } from './concurrency-cases.ts';
import { contentCases } from './content-cases.ts';
import { folderCases } from './folder-cases.ts';
import { folderRenameCases } from './folder-rename-cases.ts';
import { nameCases } from './name-cases.ts';
import { openFlagCases } from './open-flag-cases.ts';
import { readOnlyCases } from './read-only-cases.ts';
import { noReplaceCases, renameCases } from './rename-cases.ts';
import type { OpenSubject } from './subject.ts';

/** `openSubject` is called in each test, and sees to the end itself. */
export function describeAcceptance(name: string, openSubject: OpenSubject): void {
  describe(`a file ${name}`, () => {
    contentCases(openSubject);
  });
  describe(`a name ${name}`, () => {
    nameCases(openSubject);
  });
  describe(`a folder ${name}`, () => {
    folderCases(openSubject);
  });
  describe(`renaming and deleting ${name}`, () => {
    renameCases(openSubject);
    folderRenameCases(openSubject);
  });
  describe(`attributes ${name}`, () => {
    attributeCases(openSubject);
  });
  describe(`open(2) ${name}`, () => {
    openFlagCases(openSubject);
  });
  describe(`programs side by side ${name}`, () => {
    concurrencyCases(openSubject);
  });
}

/** What the native driver cannot offer, or a test not see, on a real mount; each case says why. */
export function describeBeyondNative(name: string, openSubject: OpenSubject): void {
  describe(`beyond what the native driver can, ${name}`, () => {
    noReplaceCases(openSubject);
    replacementCases(openSubject);
    unstoredAttributeCases(openSubject);
  });
}

/** The subjects must be opened read-only, or with credentials that may only read; `code`: how a change is refused. */
export function describeReadOnly(
  name: string,
  openSubject: OpenSubject,
  code: 'EROFS' | 'EACCES' = 'EROFS',
): void {
  describe(`a mount that may not change ${name}`, () => {
    readOnlyCases(openSubject, code);
  });
}
