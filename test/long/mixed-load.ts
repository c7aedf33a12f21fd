/** What do the programs do whose mount is looked at from outside? A bit of everything, several at a time, until the time is up. */
import { uploadOf } from '../support/embedded-service.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { shell } from '../support/shell.ts';

const MIB = 1024 * 1024;
const LARGE_FILES = 4;
const LARGE_BYTES = 128 * MIB;
const NEW_FILES = 3;
const NEW_BYTES = 64 * MIB;
const FOLDERS = 40;
const FILES_IN_A_FOLDER = 50;
/** Files that are stored side by side. */
const WIDTH = 16;

/** sh, at the top of the mount, again and again; `$1` is a directory of this machine's disk. */
const PROGRAMS: readonly string[] = [
  'for file in large/*; do cat "$file" & done > /dev/null; wait',
  'for block in $(shuf -i 0-32767 -n 60); do dd if=large/$((block % 4)) of=/dev/null bs=4k count=1 skip=$block status=none; done',
  'find tree | wc -l; ls -lR tree | wc -l; du -s tree',
  'for file in tree/*/*; do cat "$file"; done | wc -c; grep -rc x tree | wc -l; tar c tree | wc -c',
  'mkdir -p work; tar xf "$1/files.tar" -C work; for file in work/files/*; do date > "$file"; done; mv work/files work/moved; grep -r : work | wc -l; rm -rf work',
  'mkdir -p copies; cp "$1/copy" copies/one; cp copies/one copies/other; echo more >> copies/one; mv copies/other copies/third; cmp "$1/copy" copies/third; rm -r copies',
];
const MAKE_LOCAL = `
  mkdir files; for i in $(seq 300); do head -c 5000 /dev/urandom > files/$i; done; tar cf files.tar files; rm -r files
  head -c 20000000 /dev/urandom > copy
`;
const FIRST_ROUND = `
  ls -l . large tree > /dev/null; cat tree/0/0 > /dev/null; head -c 100000 large/0 > /dev/null
  echo small > first; mv first second; rm second
`;

/** Stores what is read, by nobody who is looked at. */
export async function storeFiles({ service, bucket }: ServiceProcess, local: string): Promise<void> {
  const large = patternedBytes(LARGE_BYTES);
  for (let file = 0; file < LARGE_FILES; file += 1) {
    large[0] = file;
    await service.putObject(bucket, `large/${file}`, uploadOf(large));
  }
  const keys = Array.from({ length: FOLDERS * FILES_IN_A_FOLDER }, (_, index) => {
    return `tree/${Math.floor(index / FILES_IN_A_FOLDER)}/${index % FILES_IN_A_FOLDER}`;
  });
  for (let from = 0; from < keys.length; from += WIDTH) {
    await Promise.all(
      keys.slice(from, from + WIDTH).map((key, at) => {
        return service.putObject(bucket, key, uploadOf(large.subarray(0, (500 * (from + at)) % 40_000)));
      }),
    );
  }
  await succeed(local, MAKE_LOCAL);
}

/** Each kind of call once or twice: what a mount needs that is used at all is there afterwards. */
export async function firstRound(mountpoint: string): Promise<void> {
  await succeed(mountpoint, FIRST_ROUND);
}

/** Where everything happens. */
export interface LoadPlaces {
  readonly mountpoint: string;
  readonly local: string;
  readonly elsewhere: ServiceProcess;
  /** `pailfs refresh`. */
  readonly refresh: (path: string) => Promise<void>;
}

/** All programs side by side, each again and again while `isOn`. Resolves with how often each has ended; rejects when one fails. */
export async function mixedLoad(places: LoadPlaces, isOn: () => boolean): Promise<readonly number[]> {
  const again = async (once: (round: number) => Promise<void>): Promise<number> => {
    let rounds = 0;
    for (; isOn(); rounds += 1) await once(rounds);
    return rounds;
  };
  return Promise.all([
    again((round) => readWhatIsNew(places, round)),
    ...PROGRAMS.map((script) => again(() => succeed(places.mountpoint, script, places.local))),
  ]);
}

/** What nobody has read before comes from the service. */
async function readWhatIsNew({ mountpoint, elsewhere, refresh }: LoadPlaces, round: number): Promise<void> {
  const { service, bucket } = elsewhere;
  const bytes = patternedBytes(NEW_BYTES, round + 2);
  for (let file = 0; file < NEW_FILES; file += 1) {
    bytes[0] = file;
    await service.putObject(bucket, `new/${file}`, uploadOf(bytes));
  }
  await refresh(`${mountpoint}/new`);
  await succeed(
    mountpoint,
    'for file in new/*; do cat "$file" & done | wc -c; wait; cat new/* | wc -c; rm -r new',
  );
}

async function succeed(folder: string, script: string, ...parameters: string[]): Promise<void> {
  const { exit, errors } = await shell(folder, `set -e; ${script}`, ...parameters);
  if (exit !== 0 || errors !== '') throw new Error(`${script} ended with ${exit}: ${errors}`);
}
