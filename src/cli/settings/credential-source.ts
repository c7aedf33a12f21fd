/** Where do the credentials come from? From one place: given as settings, from a file of their own, or from a command. */
import { systemClock } from '../../base/clock.ts';
import { RunningClock } from '../../base/running-clock.ts';
import type { Credentials } from '../../client/credentials.ts';
import { usageError } from '../command-error.ts';
import { runCredentialCommand } from './credential-command.ts';
import { readCredentialsFile } from './credentials-file.ts';
import type { RawSettings } from './mount-options.ts';
import type { SettingName, SettingValues } from './settings-table.ts';

/** The settings that name a place, together. */
const PLACES: readonly (readonly SettingName[])[] = [
  ['accessKeyId', 'secretAccessKey'],
  ['credentialsFile'],
  ['credentialCommand'],
];

/** `upper` over `lower`. Who names one place for credentials means no other that is named further below. */
export function layered(lower: RawSettings, upper: RawSettings): RawSettings {
  const isNamed = (place: readonly SettingName[]): boolean => place.some((name) => upper[name] !== undefined);
  const beaten: readonly string[] = PLACES.some(isNamed)
    ? PLACES.filter((place) => !isNamed(place)).flat()
    : [];
  const kept = Object.fromEntries(Object.entries(lower).filter(([name]) => !beaten.includes(name)));
  return { ...kept, ...upper };
}

/** Throws a usage error when more than one place is named at once. */
export function refuseSeveralPlaces(given: RawSettings): void {
  const origins = PLACES.flatMap((place) => {
    const named = place.map((name) => given[name]).find((value) => value !== undefined);
    return named === undefined ? [] : [named.origin];
  });
  if (origins.length > 1) {
    throw usageError(`credentials are given more than once: keep one of ${origins.join('; ')}`);
  }
}

/** How they are read, first and again; undefined when they are settings, which do not change. */
export function credentialReader(
  settings: Pick<SettingValues, 'credentialsFile' | 'credentialCommand'>,
): (() => Promise<Credentials>) | undefined {
  const { credentialsFile, credentialCommand } = settings;
  if (credentialsFile !== undefined) {
    return () => readCredentialsFile(credentialsFile, process.geteuid?.() ?? 0);
  }
  if (credentialCommand === undefined) return undefined;
  return () => runCredentialCommand(credentialCommand, RunningClock.of(systemClock));
}
