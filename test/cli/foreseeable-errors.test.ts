/** Is every error that can be foreseen one line, with the exit code that the help names, and a stack for who debugs alone? */
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { factsOf, withSubcommands, type CommandFacts } from '../../scripts/command-facts.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { ASKING, openOwnHome, runHere, type OwnHome } from '../support/run-here.ts';

interface Scene extends OwnHome {
  /** Of somebody else's server. */
  readonly takenPort: number;
}

type Words = (scene: Scene) => readonly string[];

interface Case {
  readonly fault: string;
  readonly arrange?: (scene: Scene) => unknown;
  /** What follows each command for which this goes wrong. */
  readonly commands: Readonly<Record<string, Words>>;
  readonly code: number;
  readonly line: RegExp;
}

const everyBucket = (words: readonly string[]): readonly string[] =>
  words.map((word) => word.replace(/^photos/, 'fotos'));

/** Those that name a bucket, one that is not there. */
const MISSING_BUCKET = Object.fromEntries(
  Object.entries(ASKING)
    .filter(([name]) => !['bucket list', 'bucket create'].includes(name))
    .map(([name, words]): [string, Words] => [name, (scene) => everyBucket(words(scene))]),
);

const NO_MOUNT: Readonly<Record<string, Words>> = {
  status: ({ home }) => [home],
  unmount: ({ home }) => [home],
  refresh: ({ home }) => [home],
  link: ({ home }) => [join(home, 'local')],
  publish: ({ home }) => [join(home, 'local')],
  unpublish: ({ home }) => [join(home, 'local')],
};

const CASES: readonly Case[] = [
  {
    fault: 'the service is down',
    arrange: () => vi.stubEnv('PAILFS_BASE_URL', 'http://127.0.0.1:9'),
    commands: ASKING,
    code: 1,
    line: /http:\/\/127\.0\.0\.1:9 cannot be reached: .*--base-url|nothing listens/,
  },
  {
    fault: 'the secret is wrong',
    arrange: () => vi.stubEnv('PAILFS_SECRET_ACCESS_KEY', 'wrong'),
    commands: ASKING,
    code: 1,
    line: /\(401\)/,
  },
  {
    fault: 'every request is denied',
    arrange: ({ server }) => {
      server.faults.add({ times: Infinity, fault: { kind: 'status', status: 403 } });
    },
    commands: ASKING,
    code: 1,
    line: /\(403\)/,
  },
  {
    fault: 'the service answers what is no JSON',
    arrange: ({ server }) => {
      server.faults.add({ operation: 'listBuckets', times: Infinity, fault: { kind: 'corrupt-json' } });
      server.faults.add({ operation: 'createBucket', times: Infinity, fault: { kind: 'corrupt-json' } });
    },
    commands: ASKING,
    code: 1,
    line: /check --base-url/,
  },
  {
    fault: 'the config file is broken',
    arrange: async ({ home }) => {
      const file = join(home, 'config.toml');
      await writeFile(file, 'not = [toml\n', { mode: 0o600 });
      vi.stubEnv('PAILFS_CONFIG', file);
    },
    commands: {
      ...ASKING,
      mount: () => ['photos', '/nowhere'],
      uploads: () => [],
      'uploads retry': () => [],
    },
    code: 2,
    line: /config\.toml is not valid TOML: line 1: /,
  },
  {
    fault: 'there is no such bucket',
    commands: MISSING_BUCKET,
    code: 1,
    line: /there is no bucket fotos at http.*: this account has photos/,
  },
  {
    fault: 'there is no such file',
    commands: {
      ls: () => ['photos:none'],
      get: ({ home }) => ['photos:none', join(home, 'fetched')],
      rm: () => ['photos:none'],
      link: () => ['photos:none'],
      publish: () => ['photos:none'],
      unpublish: () => ['photos:none'],
    },
    code: 1,
    line: /^pailfs: photos:none .*: it does not exist$/m,
  },
  {
    fault: 'what is to be read here is not there',
    commands: { put: ({ home }) => [join(home, 'none'), 'photos:'] },
    code: 1,
    line: /^pailfs: HOME\/none is not stored: no such file or directory$/m,
  },
  {
    fault: 'what is to be read here is a directory',
    commands: { put: ({ home }) => [home, 'photos:'] },
    code: 1,
    line: / is not stored: it is a directory: mount the bucket and use cp -r, or rsync$/m,
  },
  {
    // Its first page is never mapped, not even for root.
    fault: 'what is to be read here cannot be read',
    commands: { put: () => ['/proc/self/mem', 'photos:mem'] },
    code: 1,
    line: /^pailfs: \/proc\/self\/mem is not stored: i\/o error$/m,
  },
  {
    // Not even root may make files there.
    fault: 'nobody may write to the directory',
    arrange: ({ home }) => mkdir(join(home, 'state')),
    commands: { get: () => ['photos:f', '/sys/fetched'], 'uploads export': () => ['/sys/exported'] },
    code: 1,
    line: /^pailfs: (photos:f is not fetched: \/sys\/fetched\S*|nothing can be exported to \/sys\/exported): [a-z][a-z ]+$/m,
  },
  {
    fault: 'nothing is mounted there',
    commands: NO_MOUNT,
    code: 1,
    line: /is no mount of pailfs|nothing is mounted at|is in no mount of pailfs/,
  },
  {
    fault: 'nothing that is not stored is of that mount, or has that name',
    commands: {
      uploads: ({ home }) => [join(home, 'none')],
      'uploads retry': () => ['none'],
      'uploads discard': () => ['none', '--yes'],
    },
    code: 1,
    line: /^pailfs: \S/,
  },
  {
    fault: 'the directory to mount upon is not there',
    commands: { mount: ({ home }) => ['photos', join(home, 'none')] },
    code: 32,
    line: /none does not exist: create it with "mkdir -p/,
  },
  {
    fault: 'the port is taken',
    commands: { serve: ({ takenPort }) => ['--port', String(takenPort)] },
    code: 1,
    line: /the service cannot start \(address already in use\): check --port and --data/,
  },
  {
    fault: 'the directory of the service cannot be made',
    commands: { serve: () => ['--data', '/proc/data'] },
    code: 1,
    line: /^pailfs: the directory \/proc\/data cannot be used \((no file can be kept there|\/proc: permission denied)\): choose another with --data$/m,
  },
  {
    fault: 'the service takes no bucket of that name',
    commands: { serve: () => ['--bucket', 'bb'], 'bucket create': () => ['bb'] },
    code: 1,
    line: /^pailfs: bucket bb is not created: the service answered 400: the name is not valid: (check --bucket|a name has 3 to 40 lowercase letters, .*)$/m,
  },
  {
    fault: 'unsent bytes are to wait where no file can be kept',
    arrange: ({ home }) => mkdir(join(home, 'mnt')),
    commands: { mount: ({ home }) => ['photos', join(home, 'mnt'), '--state-dir', '/proc/state'] },
    code: 1,
    line: /^pailfs: the state directory \/proc\/state cannot be used \((no file can be kept there|\/proc: permission denied)\): choose another with --state-dir$/m,
  },
  {
    fault: 'what is read is to be kept where no file can be kept',
    arrange: ({ home }) => mkdir(join(home, 'mnt')),
    commands: { mount: ({ home }) => ['photos', join(home, 'mnt'), '--cache-dir', '/proc/cache'] },
    code: 1,
    line: /^pailfs: the cache directory \/proc\/cache cannot be used \((no file can be kept there|\/proc: permission denied)\): choose another with --cache-dir$/m,
  },
  {
    fault: 'what is read, and unsent bytes beside it, are to be kept in a file',
    arrange: async ({ home }) => {
      await mkdir(join(home, 'mnt'));
      vi.stubEnv('PAILFS_STATE_DIR', '');
    },
    commands: { mount: ({ home }) => ['photos', join(home, 'mnt'), '--cache-dir', join(home, 'local')] },
    code: 1,
    line: /^pailfs: the cache directory HOME\/local cannot be used \(it is no directory\): choose another with --cache-dir$/m,
  },
  {
    fault: 'only unsent bytes are to be kept below a file that is named for what is read',
    arrange: async ({ home }) => {
      await mkdir(join(home, 'mnt'));
      vi.stubEnv('PAILFS_STATE_DIR', '');
      vi.stubEnv('PAILFS_CACHE_DIR', join(home, 'local'));
    },
    commands: {
      mount: ({ home }) => ['photos', join(home, 'mnt'), '--cache', 'memory'],
      uploads: () => [],
      'uploads retry': () => [],
    },
    code: 1,
    line: /^pailfs: the state directory HOME\/local\/state cannot be used \(not a directory\): choose another with --cache-dir$/m,
  },
  {
    fault: 'the state directory that was named is not there',
    commands: {
      uploads: () => [],
      'uploads retry': () => [],
      'uploads export': ({ home }) => [join(home, 'exported')],
      'uploads discard': () => ['--all'],
    },
    code: 1,
    line: /^pailfs: the state directory HOME\/state does not exist, so .*: see whether its disk is there, or choose another with --state-dir$/m,
  },
  {
    fault: 'the state directory is a file',
    arrange: async ({ home }) => {
      await mkdir(join(home, 'mnt'));
      await writeFile(join(home, 'state'), '');
    },
    commands: {
      mount: ({ home }) => ['photos', join(home, 'mnt')],
      uploads: () => [],
      'uploads retry': () => [],
      'uploads export': ({ home }) => [join(home, 'exported')],
      'uploads discard': () => ['--all'],
    },
    code: 1,
    line: /^pailfs: the state directory HOME\/state cannot be used \((it is no directory|not a directory)\): choose another with --state-dir$/m,
  },
  {
    fault: 'the service speaks no TLS',
    arrange: ({ server }) => {
      vi.stubEnv('PAILFS_BASE_URL', server.baseUrl.replace('http:', 'https:'));
    },
    commands: ASKING,
    code: 1,
    // Nobody knows what became of a bucket that was to be made.
    line: /https:\S+ answers, but speaks no TLS: check whether --base-url begins with http:|\(TLS: wrong version number\)/,
  },
  {
    fault: 'the service cannot be asked by a machine that is looked at',
    arrange: () => vi.stubEnv('PAILFS_BASE_URL', 'http://127.0.0.1:9'),
    commands: { doctor: () => [] },
    code: 1,
    line: /^$/,
  },
];

async function openScene(): Promise<Scene> {
  const own = await openOwnHome();
  const other = createServer().listen(0, '127.0.0.1');
  await expect.poll(() => other.listening).toBe(true);
  onTestFinished(() => void other.close());
  return { ...own, takenPort: (other.address() as AddressInfo).port };
}

const commands = withSubcommands(factsOf(buildProgram('0', () => undefined))).filter(
  // Beside having commands below it, this one is one.
  (facts) => facts.subcommands.length === 0 || nameOf(facts) === 'uploads',
);

function nameOf({ names }: CommandFacts): string {
  return names.slice(1).join(' ');
}

/** As the help of the command says, or that of the one above it. */
function documentedCodes(name: string): readonly number[] {
  const all = withSubcommands(factsOf(buildProgram('0', () => undefined)));
  const paths = [name, name.split(' ')[0] ?? ''];
  const notes = paths.flatMap((path) => all.find((facts) => nameOf(facts) === path)?.notes ?? []);
  const [, said = ''] =
    /^Exit codes: (.*)/.exec(notes.find((text) => text.includes('Exit codes')) ?? '') ?? [];
  return [...said.matchAll(/(?:^|[;,] )(\d+)\b/g)].map(([, code]) => Number(code));
}

const RUNS = CASES.flatMap(({ commands: each, ...theCase }) =>
  Object.entries(each).map(([name, words]) => ({ ...theCase, name, words })),
);

describe('each command', () => {
  it('has an error here that can be foreseen', () => {
    const tried = new Set(RUNS.map(({ name }) => name));

    expect(commands.map(nameOf).filter((name) => !tried.has(name))).toEqual([]);
  });

  it.each(commands.map(nameOf))('%s says which exit codes it has, and takes --debug', (name) => {
    const facts = commands.find((each) => nameOf(each) === name);

    expect(documentedCodes(name)).toEqual(expect.arrayContaining([0, 1]));
    expect(facts?.options.map(({ long }) => long)).toContain('--debug');
  });
});

describe.each(RUNS)('pailfs $name, when $fault,', ({ name, words, arrange, code, line }) => {
  it('says so in one line, a stack only with --debug, and ends as documented', async () => {
    const scene = await openScene();
    await arrange?.(scene);
    const command = [...name.split(' '), ...words(scene)];

    const plain = await runHere(command);
    const debugged = await runHere([...command, '--debug']);

    expect([plain.code, debugged.code]).toEqual([code, code]);
    expect(plain.stderr.replaceAll(scene.home, 'HOME')).toMatch(line);
    expect(plain.stderr).toMatch(/^(pailfs: [^\n]*\S\n)*$/);
    expect(documentedCodes(name)).toContain(code);
    // What a doctor finds is a line of the report, not an error.
    if (name !== 'doctor') expect(debugged.stderr).toMatch(/^ {4}at .*\.ts:\d+/m);
  });
});
