/** Where does a command find the settings that it was given? */
import type { SettingSources } from './settings.ts';
import { userDirectories } from './user-directories.ts';

/** `flags`: as the argument parser gives them, `-o` among them. */
export function sourcesOf(flags: Readonly<Record<string, unknown>>): SettingSources {
  return {
    flags,
    mountOptions: (flags['o'] ?? []) as readonly string[],
    environment: process.env,
    ...userDirectories(),
    uid: process.getuid?.() ?? 0,
    gid: process.getgid?.() ?? 0,
  };
}
