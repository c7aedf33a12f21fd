/** What developers do in a folder: git, npm. */
import type { Program } from './program.ts';

/** Nobody's settings, and always the same objects. */
const GIT = `
  export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_OPTIONAL_LOCKS=1
  export GIT_AUTHOR_NAME=Somebody GIT_AUTHOR_EMAIL=somebody@example.org GIT_AUTHOR_DATE='2001-02-03T04:05:06Z'
  export GIT_COMMITTER_NAME=Somebody GIT_COMMITTER_EMAIL=somebody@example.org GIT_COMMITTER_DATE='2001-02-03T04:05:06Z'`;
/** `others`, and what a slow machine adds: two for each rename of a file that was stored more than a second ago. */
const looks = (renames: number, others = 0): readonly [number, number] => [others, others + 2 * renames];
const ORIGIN = `
  git init -q -b main "$1/origin"; cd "$1/origin"
  for i in $(seq 20); do mkdir -p d$i; echo "content $i" > d$i/file; done; git add .; git commit -qm one
  echo more >> d1/file; git commit -qam two; ln -s d1/file link; git add link; git commit -qm link`;

const NPM = 'npm --offline --no-audit --no-fund --no-update-notifier --loglevel=error';
const PACKAGES = `
  pack() { tar -C "$1/packages/$2" --transform 's,^[.],package,' --sort=name --mtime=@0 --owner=0 --group=0 -c . | gzip -n > "$1/packages/$2-1.0.0.tgz"; }
  for name in alpha beta gamma; do
    mkdir -p "$1/packages/$name/lib"; echo "{\\"name\\":\\"$name\\",\\"version\\":\\"1.0.0\\",\\"main\\":\\"lib/index.js\\"}" > "$1/packages/$name/package.json"
    for i in 1 2 3; do echo "module.exports = '$name $i'" > "$1/packages/$name/lib/part-$i.js"; done
    echo "module.exports = '$name'" > "$1/packages/$name/lib/index.js"; pack "$1" $name
  done
  mkdir -p "$1/packages/tool"; echo '{"name":"tool","version":"1.0.0","bin":"tool.js"}' > "$1/packages/tool/package.json"
  printf '#!/usr/bin/env node\\nconsole.log("runs")\\n' > "$1/packages/tool/tool.js"; pack "$1" tool`;
const project = (...packages: string[]): string => {
  const dependencies = packages.map((name) => `\\"${name}\\":\\"file:${name}-1.0.0.tgz\\"`).join(',');
  return `cp "$1"/packages/*.tgz .; echo "{\\"name\\":\\"project\\",\\"version\\":\\"1.0.0\\",\\"dependencies\\":{${dependencies}}}" > package.json`;
};

export const projects: readonly Program[] = [
  {
    name: 'git',
    version: { command: 'git --version', counted: 'git version 2.39.' },
    endsAsOnDisk: false,
    check:
      'git -C clone fsck --full --strict && test -z "$(git -C clone status --porcelain)" && test "$(git -C clone log --oneline | wc -l)" = 4 && test "$(cat clone/link)" = d1/file',
    steps: [
      { script: `${GIT}; ${ORIGIN}` },
      {
        what: 'clone of 21 files in 20 folders, one of them a symbolic link',
        script: `${GIT}; git clone -q "file://$1/origin" clone`,
        costs: { put: 79, delete: 22, folder: 38, head: looks(22) },
      },
      {
        what: 'status',
        script: `${GIT}; cd clone; git status --porcelain`,
        costs: { put: [1, 2], delete: 1, head: looks(1) },
      },
      {
        what: 'status with `GIT_OPTIONAL_LOCKS=0`',
        script: `${GIT}; cd clone; GIT_OPTIONAL_LOCKS=0 git status --porcelain`,
        costs: {},
      },
      {
        what: 'commit of one changed file',
        script: `${GIT}; cd clone; echo again >> d1/file; git commit -qam four`,
        costs: { put: 14, delete: 4, folder: 4, head: looks(4, 3) },
      },
      {
        what: 'gc',
        script: `${GIT}; cd clone; git gc -q`,
        costs: { put: 23, delete: 25, list: 4, folder: 1, head: looks(10) },
      },
    ],
  },
  {
    name: 'npm',
    endsAsOnDisk: true,
    check: `test "$(node -p 'require("alpha") + require("beta")')" = alphabeta`,
    steps: [
      { script: `${PACKAGES}; ${project('alpha', 'beta', 'gamma')}` },
      {
        what: 'install of three packages, 15 files',
        script: `${NPM} install`,
        costs: { put: 17, folder: 7 },
      },
      { what: 'install again', script: `${NPM} install`, costs: {} },
    ],
  },
  {
    name: 'npm, links',
    endsAsOnDisk: false,
    check: 'test "$(node node_modules/tool/tool.js)" = runs && test -f node_modules/local/package.json',
    steps: [
      {
        script: `${PACKAGES}; ${project('tool')}; mkdir local; echo '{"name":"local","version":"1.0.0"}' > local/package.json
          if ${NPM} install 2> "$1/complaint"; then exit 1; fi; grep -q 'EPERM: operation not permitted, symlink' "$1/complaint"`,
      },
      { script: `npm config set bin-links false --location=project; ${NPM} install` },
      { script: `${NPM} install --install-links ./local` },
    ],
  },
  {
    name: 'npm, a package with a command',
    endsAsOnDisk: true,
    check: 'test "$(node node_modules/tool/tool.js)" = runs',
    steps: [
      { script: `${PACKAGES}; ${project('alpha', 'tool')}` },
      {
        what: 'install --no-bin-links',
        script: `${NPM} install --no-bin-links`,
        costs: { put: 9, folder: 4 },
      },
    ],
  },
];
