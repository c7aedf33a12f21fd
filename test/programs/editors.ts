/** Editors, run as people run them: with their own settings, on a screen where they want one, and not below /tmp, where they are careless. */
import type { Program } from './program.ts';
import { onScreen } from './screen.ts';

/** Before the old name of a renamed file goes, unless it was stored less than a second ago. */
const LOOKS = [0, 2] as const;
const VIM = 'vim -u NONE -i NONE';
const NUMBERS = 'seq 100 > file; mkdir keep; seq 5 > keep/other';

/** Replaces the `line`th line by `words`, saves, and leaves. */
const vimEdit = (line: number, words: string, settings = ''): string =>
  `${VIM} -es ${settings} file -c '${line}s/.*/${words}/' -c wq`;

const emacsEdit = (words: string, settings = ''): string =>
  `emacs -Q --batch file --eval '(progn ${settings} (goto-char (point-max)) (insert "${words}\\n") (save-buffer))'`;

const WITHOUT_BACKUP = "-c 'set nowritebackup'";

export const editors: readonly Program[] = [
  {
    name: 'vim',
    endsAsOnDisk: true,
    steps: [
      { script: NUMBERS },
      {
        what: 'save; a backup exists meanwhile, as vim comes',
        script: vimEdit(5, 'five'),
        costs: { put: 2, delete: 1 },
      },
      {
        what: 'save with `set nowritebackup`',
        script: vimEdit(6, 'six', WITHOUT_BACKUP),
        costs: { put: 1 },
      },
      { what: 'the same, nothing changed', script: vimEdit(6, 'six', WITHOUT_BACKUP), costs: {} },
      {
        what: 'a new file',
        script: `${VIM} -es new -c 'normal ihello' -c wq`,
        costs: { put: 1 },
      },
      {
        what: 'two saves on a screen, with `set nowritebackup`',
        script: onScreen(`${VIM} -N ${WITHOUT_BACKUP} file`, [
          ['100L', String.raw`ggdd:w\r`],
          ['99L', String.raw`dd:wq\r`],
        ]),
        costs: { put: 2 },
      },
      {
        what: 'save with `set backup backupcopy=no`: the old file becomes the backup',
        script: vimEdit(7, 'seven', `-c 'set backup backupcopy=no'`),
        costs: { put: 2, delete: 1, head: LOOKS },
      },
    ],
  },
  {
    name: 'vim, a file of somebody else',
    endsAsOnDisk: false,
    check: `test "$(sed -n 1p private)" = one && test "$(sed -n 1p public)" = one`,
    stored: {
      private: { content: 'first\nsecond\n' },
      public: { content: 'first\nsecond\n', visibility: 'public' },
    },
    steps: [
      {
        what: 'first save of a private one, with `set nowritebackup`',
        script: vimEdit(1, 'one', WITHOUT_BACKUP).replace(' file ', ' private '),
        costs: { get: 1, visibility: 1, put: 1 },
      },
      {
        what: 'first save of a public one, with `set nowritebackup`',
        script: vimEdit(1, 'one', WITHOUT_BACKUP).replace(' file ', ' public '),
        costs: { get: 1, visibility: 2, put: 1, head: 1 },
      },
    ],
  },
  {
    name: 'nano',
    endsAsOnDisk: true,
    steps: [
      { script: NUMBERS },
      {
        what: 'save, on a screen',
        script: onScreen('nano -I file', [
          ['Read 100', String.raw`hello\017\r`],
          ['Wrote', String.raw`\030`],
        ]),
        costs: { put: 1 },
      },
      {
        what: 'save with lock file and backup',
        script: onScreen('nano -I -G -B file', [
          ['Read 100', String.raw`hello\017\r`],
          ['Wrote', String.raw`\030`],
        ]),
        costs: { put: 2 },
      },
    ],
  },
  {
    name: 'emacs',
    endsAsOnDisk: true,
    steps: [
      { script: NUMBERS },
      {
        what: 'first save of a session: the old file becomes the backup',
        script: emacsEdit('one'),
        costs: { put: 2, delete: 1, head: LOOKS },
      },
      {
        what: 'save with `(setq make-backup-files nil)`',
        script: emacsEdit('two', '(setq make-backup-files nil)'),
        costs: { put: 1 },
      },
      {
        what: 'a new file',
        script: emacsEdit('new').replace(' file ', ' new '),
        costs: { put: 1 },
      },
      {
        what: 'two saves on a screen, auto-saved before, without backup',
        script: onScreen(`emacs -nw -Q --eval '(setq make-backup-files nil)' file`, [
          ['L1', String.raw`hello\033xdo-auto-save\r`],
          ['Auto-saving...done', String.raw`\030\023`],
          ['Wrote', String.raw`more\030\023\030\003`],
        ]),
        costs: { put: 2 },
      },
    ],
  },
  {
    name: 'sed, perl',
    endsAsOnDisk: true,
    steps: [
      { script: NUMBERS },
      { what: 'sed -i', script: "sed -i 's/^5$/five/' file", costs: { put: 1 } },
      { what: 'perl -i', script: "perl -i -pe 's/^6$/six/' file", costs: { put: 1 } },
      {
        what: 'sed -i.bak: the old file becomes the backup',
        script: "sed -i.bak 's/^7$/seven/' file",
        costs: { put: 2, delete: 1, head: LOOKS },
      },
    ],
  },
  {
    name: 'sh',
    endsAsOnDisk: true,
    steps: [
      { what: 'echo > new', script: 'echo new > file', costs: { put: 1 } },
      { what: 'echo > old', script: 'echo old > file', costs: { put: 1 } },
      { what: 'the same again', script: 'echo old > file', costs: {} },
      { what: 'echo >> old', script: 'echo more >> file', costs: { head: 1, put: 1 } },
      { what: ': > new', script: ': > empty', costs: { put: 1 } },
      { what: 'cp over it, other bytes', script: 'cp file empty', costs: { put: 1 } },
      { what: 'mv', script: 'mv empty moved', costs: { put: 1, delete: 1, head: LOOKS } },
      { what: 'touch, chmod', script: 'touch file; chmod 600 file', costs: {} },
    ],
  },
];
