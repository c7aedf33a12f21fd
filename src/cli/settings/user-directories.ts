/** Where are this user's configuration, state and cache, whatever the environment says? */
import { userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { systemErrorCode } from '../../base/errors.ts';
import { usageError } from '../command-error.ts';

export interface UserDirectories {
  /** Absolute, as all here: the process that serves a mount has another working directory than its caller. */
  readonly configHome: string;
  readonly stateHome: string;
  readonly cacheHome: string;
}

/** By the XDG rules, which ignore a path that is not absolute. Throws a usage error when a home directory is needed, and there is none. */
export function userDirectories(): UserDirectories {
  const { env } = process;
  return {
    configHome: absolute(env['XDG_CONFIG_HOME']) ?? join(homeDirectory(), '.config'),
    stateHome: absolute(env['XDG_STATE_HOME']) ?? join(homeDirectory(), '.local', 'state'),
    cacheHome: absolute(env['XDG_CACHE_HOME']) ?? join(homeDirectory(), '.cache'),
  };
}

/** Throws a usage error when neither HOME nor the system names one: a container may run as a user that it does not know. */
export function homeDirectory(): string {
  const home = absolute(process.env['HOME']);
  if (home !== undefined) return home;
  try {
    return userInfo().homedir;
  } catch (error) {
    // Node wraps what the system has answered.
    if (systemErrorCode(error) === undefined) throw error;
    throw usageError(
      `HOME is not set, and the system knows no home directory of user ${process.getuid?.() ?? '?'}: set HOME to a directory of that user`,
      { cause: error },
    );
  }
}

function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}
