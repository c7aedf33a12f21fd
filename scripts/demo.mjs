#!/usr/bin/env node
/**
 * `npm run demo`: a storage service with a few files, mounted as a directory, used like one. Every step checks what it shows;
 * the first that fails ends the demo with exit code 1. Nothing stays behind: no mount, no process, no file.
 */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { BUCKET, fillBucket, StorageAccount } from './demo-content.mjs';
import { ensureFuse, ensurePackages, missingPrograms } from './setup.mjs';
import { build, ROOT, runScript, runVisibly, StepFailure } from './steps.mjs';

const PAILFS = path.join(ROOT, 'dist', 'cli', 'main.js');
const NOTE = 'Written by an ordinary program, through the mount.\n';

const askedToEnd = new Promise((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, resolve);
});

await runScript('demo', async () => {
  say('Looking for what is missing, and building.');
  ensurePackages();
  ensureFuse();
  await build();
  const home = await mkdtemp(path.join(tmpdir(), 'pailfs-demo-'));
  try {
    await demonstrate(home);
  } finally {
    await rm(home, { recursive: true });
  }
  say('Done: nothing is mounted, and nothing runs.');
  return 0;
});

async function demonstrate(home) {
  const service = await startService();
  try {
    const account = new StorageAccount(service.environment);
    say(
      `A storage service runs at ${service.environment.PAILFS_BASE_URL}; uploading a few files to its bucket "${BUCKET}".`,
    );
    await fillBucket(account);
    const mountpoint = path.join(home, BUCKET);
    await mkdir(mountpoint);
    const environment = environmentFor(home, service.environment);
    await pailfs(['mount', BUCKET, mountpoint], environment);
    try {
      await useTheMount(account, mountpoint);
      await stay(mountpoint);
    } finally {
      await unmount(mountpoint, environment);
    }
  } finally {
    await service.stop();
  }
}

/** Of a person who has nothing but that home and these credentials: a profile of yours is not there. */
function environmentFor(home, credentials) {
  const plain = Object.entries(process.env).filter(([name]) => !name.startsWith('PAILFS_'));
  return {
    ...Object.fromEntries(plain),
    ...credentials,
    XDG_STATE_HOME: path.join(home, 'state'),
    XDG_CACHE_HOME: path.join(home, 'cache'),
    XDG_CONFIG_HOME: path.join(home, 'config'),
  };
}

async function useTheMount(account, mountpoint) {
  say(`The bucket is now the directory ${mountpoint}:`);
  await show('ls', ['-l', mountpoint, path.join(mountpoint, 'Urlaub in den Bergen')]);

  say('Reading a file through the mount gives the bytes that the service holds:');
  await show('cat', [path.join(mountpoint, 'notes', 'read me first.txt')]);

  say('Writing a file through the mount, and asking the service for it over HTTP:');
  await writeFile(path.join(mountpoint, 'notes', 'new note.txt'), NOTE);
  const stored = await account.download('notes/new note.txt');
  if (stored !== NOTE) throw new StepFailure('the service does not hold what was written through the mount');
  process.stdout.write(`  the service answers: ${stored}`);

  say('A public file has a link that needs no credentials:');
  const link = await publicLink(account, mountpoint);
  const answer = await globalThis.fetch(link);
  const expected = await readFile(path.join(mountpoint, 'public', 'picture.png'));
  const fetched = new Uint8Array(await answer.arrayBuffer());
  if (!answer.ok || !expected.equals(fetched))
    throw new StepFailure(`the link ${link} does not give the file`);
  console.log(`  ${link}\n  fetched without credentials: ${fetched.length} bytes, the same as in the mount`);
}

/** As a person would ask for it, where the program for that is installed. */
async function publicLink(account, mountpoint) {
  const record = await account.visibility('public/picture.png');
  if (missingPrograms(['getfattr']).length === 0) {
    const parameters = ['--only-values', '--absolute-names', '-n', 'user.pailfs.url'];
    await show('getfattr', [...parameters, path.join(mountpoint, 'public', 'picture.png')]);
    console.log();
  }
  return record.url;
}

async function stay(mountpoint) {
  if (!process.stdin.isTTY) return;
  say(`Try it yourself in ${mountpoint}. Ctrl-C ends the demo; leave the directory everywhere else first.`);
  await askedToEnd;
}

/** The service in a process of its own; Ctrl-C must not end it before the mount is gone. */
async function startService() {
  const child = spawn(process.execPath, [PAILFS, 'serve', '--bucket', BUCKET], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  const environment = {};
  for await (const line of createInterface({ input: child.stdout })) {
    const match = /^export (PAILFS_\w+)=(.*)$/.exec(line);
    if (match !== null) environment[match[1]] = match[2];
    if ('PAILFS_SECRET_ACCESS_KEY' in environment) return { environment, stop };
  }
  throw new StepFailure('the storage service did not start: see its line above');
}

/** A shell that was left in the directory must not keep the demo from ending. */
async function unmount(mountpoint, environment) {
  const words = ['unmount', mountpoint, '--timeout', '60'];
  const code = await runPailfs(words, environment);
  if (code !== 0) await pailfs([...words, '--lazy'], environment);
}

async function pailfs(words, environment) {
  const code = await runPailfs(words, environment);
  if (code !== 0) throw new StepFailure(`"pailfs ${words[0]}" failed: see its line above`);
}

function runPailfs(words, environment) {
  console.log(`$ pailfs ${words.join(' ')}`);
  return runVisibly(process.execPath, [PAILFS, ...words], { env: environment, cwd: '/' });
}

async function show(program, parameters) {
  console.log(`$ ${[program, ...parameters.map(quoted)].join(' ')}`);
  const code = await runVisibly(program, parameters, { cwd: '/' });
  if (code !== 0) throw new StepFailure(`${program} failed: see its line above`);
}

function quoted(word) {
  return /^[\w./:=-]+$/.test(word) ? word : `'${word}'`;
}

function say(sentence) {
  console.log(`\n${sentence}`);
}
