/** Where are this user's configuration, state and cache, whatever the environment says? */
import { homedir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { xdgCache, xdgConfig, xdgState } from 'xdg-basedir';

export interface UserDirectories {
  /** Absolute, as all here: the process that serves a mount has another working directory than its caller. */
  readonly configHome: string;
  readonly stateHome: string;
  readonly cacheHome: string;
}

/** By the XDG rules, which ignore a path that is not absolute. */
export function userDirectories(): UserDirectories {
  const home = isAbsolute(homedir()) ? homedir() : userInfo().homedir;
  return {
    configHome: absolute(xdgConfig) ?? join(home, '.config'),
    stateHome: absolute(xdgState) ?? join(home, '.local', 'state'),
    cacheHome: absolute(xdgCache) ?? join(home, '.cache'),
  };
}

function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}
