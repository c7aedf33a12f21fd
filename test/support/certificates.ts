/** Which certificates does a test have? Made for it by openssl, and gone with it: no private key is kept anywhere. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

const run = promisify(execFile);
const CURVE = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** Files, all PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

export class Authority {
  /** Holds the files. */
  readonly directory: string;
  readonly #own: KeyPair;

  private constructor(directory: string) {
    this.directory = directory;
    this.#own = { cert: join(directory, 'ca.pem'), key: join(directory, 'ca-key.pem') };
  }

  static async make(): Promise<Authority> {
    const directory = await mkdtemp(join(tmpdir(), 'pailfs-tls-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const authority = new Authority(directory);
    const { cert, key } = authority.#own;
    await openssl(
      'req',
      '-x509',
      ...CURVE,
      '-keyout',
      key,
      '-out',
      cert,
      '-days',
      '2',
      '-subj',
      '/CN=Throwaway',
    );
    return authority;
  }

  get file(): string {
    return this.#own.cert;
  }

  /** For `names` as a certificate lists them, such as `IP:127.0.0.1`. */
  async issue(name: string, names: string): Promise<KeyPair> {
    const at = (what: string): string => join(this.directory, `${name}${what}.pem`);
    const pair = { cert: at(''), key: at('-key') };
    await writeFile(at('-names'), `subjectAltName=${names}\n`);
    await openssl('req', ...CURVE, '-keyout', pair.key, '-out', at('-request'), '-subj', `/CN=${name}`);
    const { cert, key } = this.#own;
    const signing = ['-CA', cert, '-CAkey', key, '-CAcreateserial', '-days', '2', '-extfile', at('-names')];
    await openssl('x509', '-req', '-in', at('-request'), '-out', pair.cert, ...signing);
    return pair;
  }
}

async function openssl(...parameters: readonly string[]): Promise<void> {
  await run('openssl', parameters);
}
