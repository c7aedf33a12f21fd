#!/usr/bin/env node
/**
 * What is missing on this machine, and can it be installed? Plain JavaScript without packages: it runs before node_modules
 * exists. Each function returns when what it names is there, and throws a `StepFailure` that says what a person must do.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { ROOT, runScript, StepFailure } from './steps.mjs';

/** The Debian packages of each program that pailfs or its tests run. */
const DEBIAN_PACKAGES = {
  curl: 'curl',
  'dbus-daemon': 'dbus-daemon',
  emacs: 'emacs-nox',
  find: 'findutils',
  fish: 'fish',
  fusermount3: 'fuse3',
  getfattr: 'attr',
  gio: 'libglib2.0-bin',
  git: 'git',
  groff: 'groff-base',
  ip: 'iproute2',
  nano: 'nano',
  openbox: 'openbox',
  rsync: 'rsync',
  script: 'bsdutils',
  setfattr: 'attr',
  soffice: 'libreoffice-writer-nogui',
  sqlite3: 'sqlite3',
  'systemd-analyze': 'systemd',
  tar: 'tar',
  // Its thumbnailer is in no search path.
  thunar: ['thunar', 'tumbler', 'adwaita-icon-theme'],
  unzip: 'unzip',
  vim: 'vim',
  xclip: 'xclip',
  xdotool: 'xdotool',
  xprop: 'x11-utils',
  Xvfb: 'xvfb',
  zip: 'zip',
  zsh: 'zsh',
};

/** What the tests on a real mount run, besides what any system has. */
export const TEST_PROGRAMS = [
  ...['fusermount3', 'getfattr', 'setfattr', 'rsync', 'git', 'sqlite3'],
  ...['vim', 'nano', 'emacs', 'script', 'zip', 'unzip', 'curl', 'tar', 'find', 'ip'],
];
/** What the long tests run besides. */
export const LONG_TEST_PROGRAMS = [
  ...['soffice', 'fish', 'groff', 'systemd-analyze', 'zsh'],
  ...['Xvfb', 'openbox', 'dbus-daemon', 'xprop', 'xdotool', 'xclip', 'thunar', 'gio'],
];

/** The packages of package-lock.json are in node_modules, in those versions. */
export function ensurePackages() {
  if (packagesAreCurrent()) return;
  say('installing npm packages');
  // Under `npm run` this is the npm that runs us.
  const npm = process.env.npm_execpath;
  const command = npm?.endsWith('.js') ? [process.execPath, npm] : ['npm'];
  const [program, ...parameters] = [...command, 'ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync(program, parameters, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new StepFailure('npm ci failed: see its lines above');
}

/** Whether what npm last installed is what the lock file asks for; absent optional packages are for other machines. */
function packagesAreCurrent() {
  const installed = readPackages(path.join(ROOT, 'node_modules', '.package-lock.json'));
  if (installed === undefined) return false;
  const wanted = readPackages(path.join(ROOT, 'package-lock.json')) ?? {};
  return Object.entries(wanted).every(([folder, { version, optional, devOptional }]) => {
    if (folder === '') return true;
    const found = installed[folder];
    if (found === undefined) return optional === true || devOptional === true;
    return found.version === version;
  });
}

/** Each program of `names` (keys of the package list) can be run; missing ones are installed where that is allowed. */
export function ensureSystemPrograms(names) {
  const missing = missingPrograms(names);
  if (missing.length === 0) return;
  const packages = [...new Set(missing.flatMap((name) => DEBIAN_PACKAGES[name] ?? name))];
  install(packages);
  const still = missingPrograms(names);
  if (still.length > 0) throw new StepFailure(`still missing after the installation: ${still.join(', ')}`);
}

/** The programs of `names` that are in no directory of the search path nor of the system. */
export function missingPrograms(names) {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/bin', '/usr/sbin', '/bin', '/sbin'];
  return names.filter((name) => !folders.some((folder) => isExecutable(path.join(folder, name))));
}

/** FUSE file systems can be mounted: the helper program is installed and the kernel offers its device. */
export function ensureFuse() {
  if (process.platform !== 'linux') {
    if (existsSync('/Library/Filesystems/macfuse.fs')) return;
    throw new StepFailure('macFUSE is missing: install it from https://macfuse.io');
  }
  ensureSystemPrograms(['fusermount3']);
  if (!existsSync('/dev/fuse')) {
    throw new StepFailure(
      '/dev/fuse is missing: run "sudo modprobe fuse", or start the container with "--device /dev/fuse --cap-add SYS_ADMIN"',
    );
  }
  try {
    accessSync('/dev/fuse', constants.R_OK | constants.W_OK);
  } catch {
    throw new StepFailure('/dev/fuse may not be opened by you: run as root, or "sudo chmod 666 /dev/fuse"');
  }
}

function install(packages) {
  const prefix = aptPrefix();
  if (prefix === undefined) {
    throw new StepFailure(
      `please install: ${packages.join(' ')} (e.g. "sudo apt-get install ${packages.join(' ')}")`,
    );
  }
  say(`installing ${packages.join(' ')}`);
  if (aptGet(prefix, ['install', ...packages]).status === 0) return;
  // The lists may be missing or old.
  aptGet(prefix, ['update']);
  const { status, stderr } = aptGet(prefix, ['install', ...packages]);
  if (status === 0) return;
  const reason = stderr.trim().split('\n').at(-1);
  throw new StepFailure(`apt-get could not install ${packages.join(' ')}: ${reason}`);
}

function aptGet(prefix, [action, ...packages]) {
  const settings = ['DEBIAN_FRONTEND=noninteractive', 'LC_ALL=C'];
  const options = action === 'install' ? ['-y', '--no-install-recommends'] : [];
  const [program, ...parameters] = [
    ...prefix,
    'env',
    ...settings,
    'apt-get',
    '-qq',
    action,
    ...options,
    ...packages,
  ];
  return spawnSync(program, parameters, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** How to become root for apt-get: nothing to do, sudo without a password, or undefined: not at all. */
function aptPrefix() {
  if (missingPrograms(['apt-get']).length > 0) return undefined;
  if (process.getuid?.() === 0) return [];
  if (missingPrograms(['sudo']).length > 0) return undefined;
  return spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0 ? ['sudo', '-n'] : undefined;
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function say(line) {
  console.error(`setup: ${line}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runScript('setup', () => {
    ensurePackages();
    ensureFuse();
    ensureSystemPrograms(TEST_PROGRAMS);
    say('everything is there');
    return 0;
  });
}
