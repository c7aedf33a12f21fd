#!/usr/bin/env node
/**
 * What does a file manager run for "Copy link", "Make public" and "Make private"? `action.mjs WHAT FILE...`; without files, those
 * that Nautilus names in the environment. It asks pailfs, puts links into the clipboard, and says what became of it where a person
 * sees it. Exit codes: 0; 1 something failed; 2 wrong usage.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath, URL } from 'node:url';

const PAILFS = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const ACTIONS = {
  'copy-link': { command: 'link', done: 'Link copied', failed: 'No link to copy' },
  publish: { command: 'publish', done: 'Public now', failed: 'Not made public' },
  unpublish: {
    command: 'unpublish',
    done: 'Private now: an old link works for up to about a minute more',
    failed: 'Not made private',
  },
};
/** Each with what it needs to work; the first that works is taken. */
const CLIPBOARDS = [
  { needs: 'WAYLAND_DISPLAY', command: ['wl-copy'] },
  { needs: 'DISPLAY', command: ['xclip', '-in', '-selection', 'clipboard'] },
  { needs: 'DISPLAY', command: ['xsel', '--clipboard', '--input'] },
];
/** More lines would not fit into a notification. */
const MOST_LINES = 10;

const [name = '', ...words] = process.argv.slice(2);
process.exitCode = Object.hasOwn(ACTIONS, name) ? act(ACTIONS[name], selected(words)) : wrongUsage();

/** The exit code. */
function act({ command, done, failed }, files) {
  // Absolute: a name may begin with a dash, or look like BUCKET:KEY.
  const paths = files.map((file) => path.resolve(file));
  const { stdout, stderr } = run([process.execPath, PAILFS, command, '--json', ...paths]);
  const results = resultsOf(stdout);
  const problems = results
    .filter(({ isDone }) => !isDone)
    .map(({ what, reason }) => `${path.basename(what)}: ${reason}`);
  if (results.length === 0) problems.push(files.length === 0 ? 'no file is selected' : stderr.trim());
  const links = command === 'link' ? results.flatMap(({ url }) => url ?? []) : [];
  if (links.length > 0 && !copy(links)) {
    problems.push('nothing here copies to the clipboard: install wl-clipboard, xclip or xsel', ...links);
  }
  if (problems.length > 0) complain(failed, problems);
  else
    notify(
      'normal',
      done,
      results.map(({ what }) => path.basename(what)),
    );
  return problems.length === 0 ? 0 : 1;
}

/** From the file manager: each file is a word (Thunar, Nautilus), or they are in the environment (Nautilus). */
function selected(files) {
  if (files.length > 0) return files;
  const { NAUTILUS_SCRIPT_SELECTED_URIS: uris, NAUTILUS_SCRIPT_SELECTED_FILE_PATHS: paths } = process.env;
  // A name may hold a line feed: addresses tell where it ends.
  const addresses = lines(uris).filter((uri) => uri.startsWith('file:'));
  return addresses.length > 0 ? addresses.map((uri) => fileURLToPath(uri)) : lines(paths);
}

function lines(text = '') {
  return text.split('\n').filter((line) => line !== '');
}

function resultsOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return [];
  }
}

/** Whether a program took them. */
function copy(links) {
  return CLIPBOARDS.some(
    ({ needs, command }) => process.env[needs] && run(command, links.join('\n')).status === 0,
  );
}

/** Where somebody sees it: a notification, else a window; and in the log of the session. */
function complain(title, texts) {
  const isSeen = notify('critical', title, texts);
  if (!isSeen)
    run([
      'zenity',
      '--error',
      '--no-markup',
      '--title=pailfs',
      `--text=${[title, '', ...cut(texts)].join('\n')}`,
    ]);
  process.stderr.write(`${title}: ${texts.join('; ')}\n`);
}

/** Whether it is shown. */
function notify(urgency, title, texts) {
  const options = ['--app-name=pailfs', `--urgency=${urgency}`];
  return run(['notify-send', ...options, '--', title, withoutMarkup(cut(texts).join('\n'))]).status === 0;
}

function cut(texts) {
  const more = texts.length - MOST_LINES;
  return more <= 0 ? texts : [...texts.slice(0, MOST_LINES), `and ${more} more`];
}

function withoutMarkup(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** `status`: null when there is no such program. Who copies goes on in the background, and must not hold our output. */
function run([program, ...parameters], input) {
  const output = input === undefined ? 'pipe' : 'ignore';
  return spawnSync(program, parameters, { input, encoding: 'utf8', stdio: ['pipe', output, output] });
}

function wrongUsage() {
  process.stderr.write(`usage: action.mjs ${Object.keys(ACTIONS).join('|')} FILE...\n`);
  return 2;
}
