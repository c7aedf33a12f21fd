/** Where may credentials come from, and what is said when they do not come? */
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { runCredentialCommand } from '../../src/cli/settings/credential-command.ts';
import { readCredentialsFile } from '../../src/cli/settings/credentials-file.ts';
import type { MountSettings, SettingSources } from '../../src/cli/settings/settings.ts';
import { resolveSettings } from '../../src/cli/settings/settings.ts';
import { goneProcess } from '../support/command-line.ts';

const UID = process.geteuid?.() ?? 0;
const WHOLE = 'access_key_id = "filed"\nsecret_access_key = "hush"\n';
const FILED = { accessKeyId: 'filed', secretAccessKey: 'hush' };
const BASE_URL = { PAILFS_BASE_URL: 'https://storage.example.com' };

async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'pailfs-credentials-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

async function fileOf(text: string, mode = 0o600): Promise<string> {
  const file = join(await temporaryDirectory(), 'credentials');
  await writeFile(file, text);
  await chmod(file, mode);
  return file;
}

function resolve(sources: Partial<SettingSources>): Promise<MountSettings> {
  return resolveSettings({
    flags: {},
    mountOptions: [],
    environment: BASE_URL,
    configHome: '/nonexistent',
    stateHome: '/state-home',
    cacheHome: '/cache-home',
    uid: 1000,
    gid: 100,
    ...sources,
  });
}

const failing = (exitCode: number, text: string): Error =>
  expect.objectContaining({ exitCode, message: expect.stringContaining(text) as string }) as Error;

describe('a credentials file', () => {
  it('gives what it holds', async () => {
    expect(await readCredentialsFile(await fileOf(WHOLE), UID)).toEqual(FILED);
    expect(await readCredentialsFile(await fileOf(WHOLE, 0o400), UID)).toEqual(FILED);
  });

  it.each([0o640, 0o604, 0o644, 0o620, 0o601])('is refused with the mode %o', async (mode) => {
    const file = await fileOf(WHOLE, mode);

    await expect(readCredentialsFile(file, UID)).rejects.toThrow(failing(2, `run chmod 600 ${file}`));
  });

  it('of another user is refused', async () => {
    const file = await fileOf(WHOLE);

    await expect(readCredentialsFile(file, UID + 1)).rejects.toThrow(
      failing(2, `credentials file ${file} belongs to another user (${UID}): run chown ${UID + 1} ${file}`),
    );
  });

  it.each([
    ['access_key_id = "a"\n', 'secret_access_key is missing'],
    ['access_key_id = ""\nsecret_access_key = "hush"\n', 'access_key_id must not be empty'],
    ['access_key_id = "a:b"\nsecret_access_key = "hush"\n', 'access_key_id must not contain a colon'],
    ['access_key_id = 5\nsecret_access_key = "hush"\n', 'access_key_id must be text'],
    ['access_key_id = "a"\nsecret_access_key = ["hush"]\n', 'secret_access_key must be text'],
    [`${WHOLE}base_url = "hush"\n`, 'there is no key base_url'],
    ['access_key_id = "a"\nsecret_access_key = "hush\n', 'is not valid TOML'],
    ['', 'access_key_id is missing'],
    ['x'.repeat(100_000), 'is too large'],
  ])('%j is refused by name, and nothing of it is repeated', async (text, complaint) => {
    const file = await fileOf(text);

    const outcome = readCredentialsFile(file, UID);

    await expect(outcome).rejects.toThrow(failing(2, `credentials file ${file}`));
    await expect(outcome).rejects.toThrow(complaint);
    await expect(outcome).rejects.not.toThrow(/hush|\n/);
  });

  it('that is missing, or a directory, is refused', async () => {
    const directory = await temporaryDirectory();

    await expect(readCredentialsFile(join(directory, 'none'), UID)).rejects.toThrow(
      failing(2, 'check --credentials-file'),
    );
    await expect(readCredentialsFile(directory, UID)).rejects.toThrow(failing(2, 'is not a file'));
  });
});

describe('a credential command', () => {
  it.each<[string, string | readonly string[]]>([
    ['two lines', "printf 'filed\\nhush\\n'"],
    ['two lines without the last end', "printf 'filed\\nhush'"],
    ['two lines of DOS', "printf 'filed\\r\\nhush\\r\\n'"],
    ['JSON', `echo '{"access_key_id":"filed","secret_access_key":"hush","expires":5}'`],
    ['words, which no shell expands', ['printf', '%s\n', 'filed', 'hush']],
    ['noise on stderr', 'echo unlocking >&2; echo filed; echo hush'],
  ])('may print %s', async (_title, command) => {
    expect(await runCredentialCommand(command, systemClock)).toEqual(FILED);
  });

  it('that is given as words keeps them apart', async () => {
    const words = ['sh', '-c', 'printf "%s\\n" "$1" "$2"', 'name', 'a b', '$HOME; *'];

    expect(await runCredentialCommand(words, systemClock)).toEqual({
      accessKeyId: 'a b',
      secretAccessKey: '$HOME; *',
    });
  });

  it.each<[string, string]>([
    [
      'echo hush; echo the vault is sealed >&2; exit 3',
      'ended with exit code 3; it says: the vault is sealed',
    ],
    ['kill -9 $$', 'ended by SIGKILL'],
    ['/nonexistent/program', 'ended with exit code 127; it says: '],
    ['echo hush', 'printed no credentials: it must be a JSON object'],
    ['echo a; echo hush; echo c', 'printed no credentials: it must be a JSON object'],
    [`echo '{"hush'`, 'printed no credentials: not valid JSON'],
    [`echo '{"access_key_id":"hush"}'`, 'printed no credentials: secret_access_key is missing'],
    ["printf 'a:hush\\nhush\\n'", 'printed no credentials: access_key_id must not contain a colon'],
    ["printf '\\nhush\\n'", 'printed no credentials: access_key_id must not be empty'],
    ["printf 'a\\033[2Jb\\nc' >&2; exit 1", 'it says: a [2Jb c'],
  ])('%j fails in one line, and its output is not repeated', async (command, complaint) => {
    const outcome = runCredentialCommand(command, systemClock);

    await expect(outcome).rejects.toThrow(failing(1, 'the credential command'));
    await expect(outcome).rejects.toThrow(complaint);
    await expect(outcome).rejects.not.toThrow(/hush|\n/);
  });

  it('that takes too long is ended, with all that it has started', async () => {
    const file = join(await temporaryDirectory(), 'pid');
    let expire = (): void => undefined;
    const clock = {
      after: (_milliseconds: number, action: () => void) => {
        expire = action;
        return () => undefined;
      },
    };
    const command = `echo waiting for a touch >&2; sleep 1000 & echo $! > ${file}; wait`;

    const outcome = runCredentialCommand(command, clock).catch((error: unknown) => error);
    const pid = await numberIn(file);
    expire();

    expect(await outcome).toMatchObject({
      exitCode: 1,
      message: 'the credential command gave no answer within 15 s; it says: waiting for a touch',
    });
    await goneProcess(pid);
  });

  it('that takes too long is not waited for any longer because it has started something that goes on', async () => {
    const file = join(await temporaryDirectory(), 'pid');
    const waits: (() => void)[] = [];
    const clock = {
      after: (_milliseconds: number, action: () => void) => {
        waits.push(action);
        return () => undefined;
      },
    };
    const command = `setsid sh -c 'echo $$ > ${file}; exec sleep 1000' & wait`;

    const outcome = runCredentialCommand(command, clock).catch((error: unknown) => error);
    const pid = await numberIn(file);
    onTestFinished(() => {
      process.kill(pid, 'SIGKILL');
    });
    for (const wait of waits) wait();

    expect(await outcome).toMatchObject({ message: 'the credential command gave no answer within 15 s' });
  });

  it('runs in /, and has no terminal to ask at', async () => {
    const command = 'pwd; if read line; then echo asked; else echo alone; fi';

    expect(await runCredentialCommand(command, systemClock)).toEqual({
      accessKeyId: '/',
      secretAccessKey: 'alone',
    });
  });

  it('is not told our own settings', async () => {
    process.env['PAILFS_SECRET_ACCESS_KEY'] = 'leaked';
    onTestFinished(() => {
      delete process.env['PAILFS_SECRET_ACCESS_KEY'];
    });

    const { secretAccessKey } = await runCredentialCommand(
      'echo a; echo "<$PAILFS_SECRET_ACCESS_KEY>"',
      systemClock,
    );

    expect(secretAccessKey).toBe('<>');
  });
});

describe('credentials of a mount', () => {
  it('come from the file or the command that a setting names', async () => {
    const credentialsFile = await fileOf(WHOLE);

    expect(await resolve({ flags: { credentialsFile } })).toMatchObject(FILED);
    expect(await resolve({ mountOptions: [`credentials_file=${credentialsFile}`] })).toMatchObject(FILED);
    expect(await resolve({ flags: { credentialCommand: 'echo filed; echo hush' } })).toMatchObject(FILED);
    const environment = { ...BASE_URL, PAILFS_CREDENTIAL_COMMAND: 'echo filed; echo hush' };
    expect(await resolve({ environment })).toMatchObject(FILED);
  });

  it('come from the place that is named nearest, whatever is named further away', async () => {
    const credentialsFile = await fileOf(WHOLE);
    const environment = { ...BASE_URL, PAILFS_ACCESS_KEY_ID: 'e', PAILFS_SECRET_ACCESS_KEY: 'e' };

    expect(await resolve({ environment, flags: { credentialsFile } })).toMatchObject(FILED);
    const config = await fileOf('[default]\ncredential_command = ["false"]\n');
    expect(await resolve({ environment, flags: { config } })).toMatchObject({
      accessKeyId: 'e',
      credentialCommand: undefined,
    });
  });

  it('are refused when two places are named side by side', async () => {
    const flags = { credentialsFile: await fileOf(WHOLE), credentialCommand: 'false' };

    await expect(resolve({ flags })).rejects.toThrow(
      failing(2, 'given more than once: keep one of --credentials-file; --credential-command'),
    );
  });

  it('may be printed by a program that the config file names by its words', async () => {
    const config = await fileOf('[default]\ncredential_command = ["printf", "%s\\n", "filed", "hush"]\n');

    expect(await resolve({ flags: { config } })).toMatchObject(FILED);
  });

  it.each(['[]', '[""]', '""', '" "', '5', '[1]'])('cannot be printed by %s', async (command) => {
    const config = await fileOf(`[default]\ncredential_command = ${command}\n`);

    await expect(resolve({ flags: { config } })).rejects.toThrow(
      failing(2, 'credential_command must be a command, or a list of its words'),
    );
  });
});

/** Once it is there. */
async function numberIn(file: string): Promise<number> {
  for (;;) {
    const text = await readFile(file, 'utf8').catch(() => '');
    if (text.endsWith('\n')) return Number(text);
    await pause(5);
  }
}
