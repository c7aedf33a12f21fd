import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfigFile } from '../../src/cli/settings/config-file.ts';
import { settingNames, settingRow, snakeName } from '../../src/cli/settings/settings-table.ts';
import { withSettingsTable } from './settings-page.ts';

const PAGE = new URL('../../docs/CONFIGURATION.md', import.meta.url);

it('CONFIGURATION.md shows the settings that there are', async () => {
  const page = await readFile(PAGE, 'utf8');

  expect(page, 'scripts/settings-page.ts writes it anew').toBe(withSettingsTable(page));
});

describe('the config file in CONFIGURATION.md', () => {
  it.each(['default', 'work'])('has a profile %s of valid settings', async (profile) => {
    const [, example = ''] = /```toml\n(.*?)```/s.exec(await readFile(PAGE, 'utf8')) ?? [];
    const directory = await mkdtemp(join(tmpdir(), 'pailfs-page-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const path = join(directory, 'config.toml');
    await writeFile(path, example, { mode: 0o600 });

    const { settings: given } = await readConfigFile({ path, required: true, profile });

    expect(Object.keys(given).length).toBeGreaterThan(3);
    for (const name of settingNames) {
      const { schema } = settingRow(name);
      expect(schema.safeParse(given[name]?.value)).toMatchObject({ success: true });
    }
  });
});

describe('the default that is shown', () => {
  const shown = settingNames.filter((name) => {
    const { schema, placeholder } = settingRow(name);
    return placeholder !== undefined && schema.parse(undefined) !== undefined;
  });

  it.each(shown)('of %s is the one that holds', (name) => {
    const { schema, fallback } = settingRow(name);

    expect(schema.parse(fallback), snakeName(name)).toBe(schema.parse(undefined));
  });

  it('of a switch without a value is off', () => {
    const switches = settingNames.filter(
      (name) => settingRow(name).placeholder === undefined && settingRow(name).credential !== true,
    );

    expect(switches.map((name) => settingRow(name).schema.parse(undefined))).toEqual(
      switches.map(() => false),
    );
  });
});
