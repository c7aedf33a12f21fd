/** How are the settings shown to people? The table is made from the one that the program reads. */
import {
  environmentName,
  flagName,
  settingNames,
  settingRow,
  snakeName,
  type SettingName,
} from '../../src/cli/settings/settings-table.ts';

const BEGIN = '<!-- settings: made by scripts/settings-page.ts -->';
const END = '<!-- end of settings -->';
const HEADS = ['flag', '`-o`', 'environment', 'config file', 'default', 'what it is'];
/** Where a setting cannot stand. */
const NOWHERE = '';

/** `page` with the table as it has to be between its two marks. Throws when they are not there. */
export function withSettingsTable(page: string): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin) throw new Error('the page has no place for the table of settings');
  return `${page.slice(0, begin)}${BEGIN}\n\n${settingsRows()}\n\n${page.slice(end)}`;
}

function settingsRows(): string {
  return [HEADS, HEADS.map(() => '---'), ...settingNames.map(cellsOf)]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

function cellsOf(name: SettingName): readonly string[] {
  const {
    short,
    placeholder,
    aliases = [],
    credential,
    notInConfigFile,
    fallback,
    description,
  } = settingRow(name);
  const value = placeholder === undefined ? '' : ` ${placeholder}`;
  const flags = [...(short === undefined ? [] : [`-${short}`]), `${flagName(name)}${value}`];
  const options = [snakeName(name), ...aliases].map((option) =>
    placeholder === undefined ? option : `${option}=${placeholder}`,
  );
  const isSwitch = placeholder === undefined && credential !== true;
  return [
    credential === true ? NOWHERE : flags.map(code).join(', '),
    credential === true ? NOWHERE : options.map(code).join(', '),
    code(environmentName(name)),
    notInConfigFile === true ? NOWHERE : code(snakeName(name)),
    fallback ?? (isSwitch ? 'off' : ''),
    description,
  ].map((cell) => cell.replaceAll('|', '\\|'));
}

function code(text: string): string {
  return `\`${text}\``;
}
