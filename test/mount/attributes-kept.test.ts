/** SEMANTICS: modes and times that programs set are there at the next mount, so that tools which compare them find nothing to do. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CommandLine, goneProcess } from '../support/command-line.ts';
import { startEmbeddedServer, uploadOf, type EmbeddedServer } from '../support/embedded-service.ts';
import { shell } from '../support/shell.ts';

/** `$1`: where. */
const MAKE_TREE = String.raw`
  mkdir -p "$1/folder/deep" "$1/closed" && cd "$1"
  echo plain > plain.txt; : > empty; head -c 300000 /dev/urandom > folder/binary; echo run > folder/deep/run
  for i in $(seq 30); do echo "number $i" > "folder/file-$i"; done
  chmod 640 plain.txt; chmod 600 empty; chmod 755 folder/deep/run; chmod 700 closed
  touch -d '2001-02-03 04:05:06' plain.txt folder/file-7; touch -d '2020-01-01' folder/deep closed
`;

class Scene {
  readonly server: EmbeddedServer;
  readonly at: CommandLine;

  private constructor(server: EmbeddedServer, at: CommandLine) {
    this.server = server;
    this.at = at;
  }

  /** With a tree beside the mount, and a folder in it that nobody has listed. */
  static async open(): Promise<Scene> {
    const server = await startEmbeddedServer();
    await server.direct.putObject(server.bucket, 'elsewhere/file', uploadOf('x'));
    const at = await CommandLine.open(server);
    await mkdir(join(at.home, 'tree'));
    await shell(at.home, MAKE_TREE, join(at.home, 'tree'));
    const scene = new Scene(server, at);
    await scene.mount();
    return scene;
  }

  /** Runs a script that must succeed at the top of the mount; `$1` is the home. Returns what it printed. */
  async run(script: string): Promise<string> {
    const result = await shell(this.at.mountpoint, `set -e; ${script}`, this.at.home);
    expect(result).toMatchObject({ errors: '', exit: 0 });
    return result.output;
  }

  async mount(): Promise<void> {
    expect(await this.at.run(['mount', 'photos', this.at.mountpoint])).toMatchObject({ code: 0 });
  }

  async unmount(): Promise<void> {
    expect(await this.at.run(['unmount', this.at.mountpoint])).toMatchObject({ code: 0 });
  }

  async kill(): Promise<void> {
    // What is listed for the first time waits for what was set before.
    await this.run('ls elsewhere');
    const pid = await this.at.servingProcess();
    process.kill(pid, 'SIGKILL');
    await goneProcess(pid);
  }
}

describe('after a remount', () => {
  it('rsync -a finds nothing to do, and transfers nothing [attributes/remount]', async () => {
    const scene = await Scene.open();
    const sync =
      'rsync -ai --stats "$1/tree/" synced/ | grep -E "^[<>ch.*]|files transferred: [1-9]" || true';
    expect(await scene.run(sync)).toContain('>f+++++++++ plain.txt');
    await scene.unmount();
    await scene.mount();
    const stored = scene.server.requests.count('putObject');

    expect(await scene.run(sync)).toBe('');

    expect(scene.server.requests.count('putObject')).toBe(stored);
  });

  it('what tar -xp and cp -p have made has the modes and times of the archive and of the original [attributes/remount]', async () => {
    const scene = await Scene.open();
    const list = 'find . -exec stat -c "%n %a %u %g %Y" {} + | sort';
    await scene.run(
      `tar -C "$1/tree" -cf "$1/tree.tar" .; mkdir untarred; tar -C untarred -xpf "$1/tree.tar"`,
    );
    await scene.run('cp -rp "$1/tree" copied');
    const original = await scene.run(`cd "$1/tree"; ${list}`);
    await scene.unmount();
    await scene.mount();

    expect(await scene.run(`cd untarred; ${list}`)).toBe(original);
    expect(await scene.run(`cd copied; ${list}`)).toBe(original);
  });
});

it('after a kill rsync -a finds nothing to do either [attributes/remount]', async () => {
  const scene = await Scene.open();
  const sync = 'rsync -ai "$1/tree/" synced/';
  await scene.run(sync);
  await scene.kill();
  await scene.mount();

  expect(await scene.run(sync)).toBe('');
});
