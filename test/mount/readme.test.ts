/** A newcomer types what the README and SEMANTICS.md say, block by block: each line must work as it stands. */
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { CommandLine } from '../support/command-line.ts';
import { startEmbeddedServer, uploadOf, type EmbeddedServer } from '../support/embedded-service.ts';

const README = fileURLToPath(new URL('../../README.md', import.meta.url));
const SEMANTICS = fileURLToPath(new URL('../../docs/SEMANTICS.md', import.meta.url));
/** A person at the screen: looks until there is something to see, presses Ctrl-C, and sees how it ends. */
const LOOK_AND_END = [
  'pailfs status ~/photos --watch > ~/screen &',
  'until test -s ~/screen || ! kill -0 $!; do sleep 0.1; done; kill -INT $!; wait $!',
].join(' ');

/** What is done with the block that begins like this. */
interface Rule {
  readonly begins: string;
  /** Why it is not run here. */
  readonly elsewhere?: string;
  /** What a reader puts in the place of an example. */
  readonly replaced?: readonly (readonly [string, string])[];
  /** What the reader has done before. */
  readonly given?: string;
}

const RULES: readonly Rule[] = [
  { begins: 'npm run demo', elsewhere: 'these are what runs this test' },
  { begins: 'npm ci', elsewhere: 'package.test.ts packs and installs' },
  {
    begins: 'export PAILFS_BASE_URL',
    replaced: [
      ['https://storage.example.com', '"$SERVICE_URL"'],
      ['PAILFS_ACCESS_KEY_ID=...', 'PAILFS_ACCESS_KEY_ID="$SERVICE_KEY"'],
      ['PAILFS_SECRET_ACCESS_KEY=...', 'PAILFS_SECRET_ACCESS_KEY="$SERVICE_SECRET"'],
    ],
  },
  { begins: '[default]', elsewhere: 'a file, no commands: below' },
  { begins: '[work]', elsewhere: 'a file, no commands: below' },
  {
    begins: 'mkdir -p ~/photos',
    replaced: [['pailfs status ~/photos --watch', LOOK_AND_END]],
  },
  { begins: 'photos  /mnt/photos', elsewhere: 'a line of fstab: mount-helper.test.ts' },
  { begins: 'mkdir -p ~/.config/systemd', elsewhere: 'needs a running systemd' },
  { begins: 'sudo cp', elsewhere: 'needs a running systemd' },
  { begins: 'pailfs link', given: 'pailfs mount photos ~/photos' },
  { begins: 'setfattr' },
  {
    begins: 'pailfs bucket list',
    // There is nobody to be asked.
    replaced: [['pailfs bucket delete holiday-2026', 'pailfs bucket delete holiday-2026 --yes']],
  },
  { begins: 'pailfs ls' },
  {
    begins: 'pailfs uploads',
    // Of this reader alone: who runs this test may have mounts, and bytes that wait in them.
    replaced: [
      ['uploads retry', 'uploads retry --mount ~/photos'],
      ['uploads export ~/rescued', 'uploads export ~/rescued --mount ~/photos'],
      ['discard 3f2a91c0', 'discard --all --yes --mount ~/photos'],
    ],
  },
];

/** Who has come this far in SEMANTICS.md has a mount. */
const SEMANTICS_RULES: readonly Rule[] = [
  { begins: 'pailfs refresh' },
  { begins: "find ~/photos -name '*(conflict" },
  {
    begins: 'pailfs uploads ~/photos',
    replaced: [
      ['uploads export ~/rescued', 'uploads export ~/rescued --mount ~/photos'],
      ['uploads retry', 'uploads retry --mount ~/photos'],
    ],
  },
  { begins: 'pailfs publish' },
  { begins: 'getfattr -d' },
];

it('what stands in the README works, line by line', async () => {
  const at = await homeOfAReader(await startEmbeddedServer());

  await typeBlocks(at, blocksOf(await readFile(README, 'utf8')), RULES);
});

it('what stands in SEMANTICS.md works, line by line', async () => {
  const server = await startEmbeddedServer();
  const at = await homeOfAReader(server);
  for (const key of ['notes.txt', 'notes (conflict desk 2026-11-21 14.05.33 3f2a).txt'])
    await server.direct.putObject(server.bucket, key, uploadOf('the same notes'));
  await at.type(
    [
      'export PAILFS_BASE_URL="$SERVICE_URL"',
      'export PAILFS_ACCESS_KEY_ID="$SERVICE_KEY"',
      'export PAILFS_SECRET_ACCESS_KEY="$SERVICE_SECRET"',
      'mkdir ~/photos && pailfs mount photos ~/photos',
    ].join('\n'),
  );

  await typeBlocks(at, blocksOf(await readFile(SEMANTICS, 'utf8')), SEMANTICS_RULES);
});

async function typeBlocks(at: Reader, blocks: readonly string[], rules: readonly Rule[]): Promise<void> {
  const used = new Set<Rule>();
  // Also when a line fails: a home that is removed with a bucket in it takes that along.
  onTestFinished(() => at.type('if mountpoint -q ~/photos; then pailfs unmount --lazy ~/photos; fi'));
  for (const block of blocks) {
    const rule = rules.find(({ begins }) => block.startsWith(begins));
    if (rule === undefined) throw new Error(`there is no rule for the block that begins: ${block}`);
    used.add(rule);
    if (rule.elsewhere !== undefined) continue;
    await at.type(rule.given ?? '');
    await at.type(asTyped(block, rule));
  }

  // None is about a block that is gone.
  expect(rules.filter((rule) => !used.has(rule))).toEqual([]);
}

it('the config file of the README is one', async () => {
  const server = await startEmbeddedServer();
  const at = await CommandLine.open(server);
  const blocks = blocksOf(await readFile(README, 'utf8'));
  const { accessKeyId, secretAccessKey } = server.credentials;
  const text = blocks
    .filter((block) => block.startsWith('['))
    .join('\n')
    .replaceAll(/https:[^"]*/g, server.baseUrl)
    .replaceAll('access_key_id = "..."', `access_key_id = "${accessKeyId}"`)
    .replaceAll('secret_access_key = "..."', `secret_access_key = "${secretAccessKey}"`);
  const folder = join(at.home, 'config/pailfs');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'config.toml'), text, { mode: 0o600 });

  for (const profile of ['default', 'work']) {
    const outcome = await at.shell(`${COMMAND} bucket list --profile ${profile}`);
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    expect(outcome.stdout).toContain('photos');
  }
});

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const COMMAND = CommandLine.words.map(quoted).join(' ');

interface Reader {
  type(lines: string): Promise<void>;
}

/** A home with pictures in it, a bucket with more, and `pailfs` on the PATH. */
async function homeOfAReader(server: EmbeddedServer): Promise<Reader> {
  const at = await CommandLine.open(server);
  const { direct, bucket, credentials } = server;
  for (const key of ['cat.jpg', 'other.jpg', 'holiday/cat.jpg', 'a.txt', 'b.txt'])
    await direct.putObject(bucket, key, uploadOf(`picture ${key}`));
  await mkdir(join(at.home, 'holiday'));
  await mkdir(join(at.home, 'bin'));
  for (const name of ['beach.jpg', 'holiday/beach.jpg']) await writeFile(join(at.home, name), 'the beach');
  const program = join(at.home, 'bin/pailfs');
  await writeFile(program, `#!/bin/sh\nexec ${COMMAND} "$@"\n`);
  await chmod(program, 0o755);
  const before = [
    'PATH="$HOME/bin:$PATH"',
    `SERVICE_URL=${quoted(server.baseUrl)}`,
    `SERVICE_KEY=${quoted(credentials.accessKeyId)}`,
    `SERVICE_SECRET=${quoted(credentials.secretAccessKey)}`,
  ];
  return {
    type: async (lines) => {
      for (const line of lines.split('\n')) {
        const outcome = await at.shell([...before, line].join('\n'));
        expect(outcome.code, `"${line}" said "${outcome.stderr}", and its exit code`).toBe(0);
        // As in one shell: what was exported stays so.
        if (line.startsWith('export ')) before.push(line);
      }
    },
  };
}

/** Indented lines that stand together. */
function blocksOf(markdown: string): string[] {
  const blocks: string[] = [];
  let block: string[] = [];
  for (const line of [...markdown.split('\n'), '']) {
    if (line.startsWith('    ')) block.push(line.slice(4));
    else if (block.length > 0) {
      blocks.push(block.join('\n'));
      block = [];
    }
  }
  return blocks;
}

function asTyped(block: string, rule: Rule): string {
  return (rule.replaced ?? []).reduce((text, [from, to]) => {
    expect(text).toContain(from);
    return text.replaceAll(from, to);
  }, block);
}
