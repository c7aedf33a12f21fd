#!/usr/bin/env node
/**
 * How do "Copy link", "Make public" and "Make private" get into the menus of Thunar and Nautilus? `install.mjs` puts them into this
 * user's home, `install.mjs --remove` takes them out again; both may be run again. What else is there stays.
 */
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath, URL } from 'node:url';

const ACTION = fileURLToPath(new URL('action.mjs', import.meta.url));
const ENTRIES = [
  { name: 'copy-link', title: 'Copy link', icon: 'edit-copy' },
  { name: 'publish', title: 'Make public', icon: 'emblem-shared' },
  { name: 'unpublish', title: 'Make private', icon: 'emblem-readonly' },
];
/** Of a Thunar that nobody has set up; its own entries would be gone otherwise. */
const THUNAR_DEFAULTS = '/etc/xdg/Thunar/uca.xml';
const THUNAR_EMPTY = '<?xml version="1.0" encoding="UTF-8"?>\n<actions>\n</actions>\n';
const OURS = /[ \t]*<action>(?:(?!<\/action>)[^])*<unique-id>pailfs-[a-z-]+<\/unique-id>[^]*?<\/action>\n?/g;

const isRemoval = process.argv.includes('--remove');
const { XDG_CONFIG_HOME: configHome, XDG_DATA_HOME: dataHome } = process.env;
await changeThunar(path.join(configHome || path.join(homedir(), '.config'), 'Thunar', 'uca.xml'));
await changeNautilus(path.join(dataHome || path.join(homedir(), '.local', 'share'), 'nautilus', 'scripts'));

async function changeThunar(file) {
  const before =
    (await textOf(file)) ?? (isRemoval ? undefined : ((await textOf(THUNAR_DEFAULTS)) ?? THUNAR_EMPTY));
  if (before === undefined) return;
  const end = before.lastIndexOf('</actions>');
  if (end < 0) throw new Error(`${file} has no </actions>: is it of Thunar?`);
  const entries = isRemoval ? '' : ENTRIES.map(thunarEntry).join('');
  const after = `${before.slice(0, end).replace(OURS, '')}${entries}${before.slice(end)}`;
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, after);
  console.log(`${file}: ${isRemoval ? 'removed' : 'installed'}; "thunar -q" lets Thunar read it`);
}

async function changeNautilus(folder) {
  if (!isRemoval) await mkdir(folder, { recursive: true });
  for (const { name, title } of ENTRIES) {
    const file = path.join(folder, title);
    if (isRemoval) await rm(file, { force: true });
    else {
      await writeFile(
        file,
        `#!/bin/sh\nexec ${[process.execPath, ACTION, name].map(quoted).join(' ')} "$@"\n`,
      );
      await chmod(file, 0o755);
    }
  }
  console.log(`${folder}: ${isRemoval ? 'removed' : 'installed'}`);
}

/** For files, not for folders. The session's search path need have neither node nor pailfs. */
function thunarEntry({ name, title, icon }) {
  const command = [process.execPath, ACTION, name].map(quoted).join(' ');
  const kinds = ['audio', 'image', 'other', 'text', 'video'].map((kind) => `<${kind}-files/>`).join('');
  return `<action>
  <icon>${icon}</icon>
  <name>${title}</name>
  <unique-id>pailfs-${name}</unique-id>
  <command>${escaped(command.replaceAll('%', '%%'))} %F</command>
  <description>Of a file in a mount of pailfs</description>
  <patterns>*</patterns>
  ${kinds}
</action>
`;
}

/** For sh, and for Thunar, which quotes alike. */
function quoted(word) {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

async function textOf(file) {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}
