import { describe, expect, it } from 'vitest';
import { parseMountOptions, withoutUnknownOptions } from '../../src/cli/settings/mount-options.ts';
import { settingNames, settingRow, snakeName } from '../../src/cli/settings/settings-table.ts';

const ALL_BUT_CREDENTIALS = settingNames.filter((name) => settingRow(name).credential !== true);
/** One of these is right for every setting. */
const VALUES = ['1', 'https://a.example', 'memory', 'private', 'fail', 'native'];

describe('-o', () => {
  it('takes settings by name, switches without a value, and aliases', () => {
    const settings = parseMountOptions(['ro,metadata_ttl=2', 'uid=1000']);

    expect(settings).toEqual({
      readOnly: { value: true, origin: '-o ro' },
      metadataTtl: { value: '2', origin: '-o metadata_ttl' },
      uid: { value: '1000', origin: '-o uid' },
    });
  });

  it.each(ALL_BUT_CREDENTIALS)('takes %s as a flag does', (name) => {
    const { schema, placeholder } = settingRow(name);
    const value = VALUES.find((candidate) => schema.safeParse(candidate).success);

    const key = snakeName(name);
    expect(parseMountOptions([`ro,${key}=${value ?? ''}`])[name]).toEqual({ value, origin: `-o ${key}` });
    if (placeholder === undefined) expect(parseMountOptions([key])[name]?.value).toBe(true);
    else expect(() => parseMountOptions([key])).toThrow(`-o ${key} needs a value: -o ${key}=${placeholder}`);
  });

  it('takes noexec, which exec after it ends', () => {
    expect(parseMountOptions(['user,noexec,nosuid'])).toEqual({
      noexec: { value: true, origin: '-o noexec' },
    });
    expect(parseMountOptions(['noexec,exec'])).toEqual({});
  });

  it('ignores what mount(8), systemd and fstab add for everybody', () => {
    const standard =
      'rw,defaults,_netdev,nofail,noauto,user,users,x-systemd.automount,X-mount.mkdir,exec,suid,dev,nosuid,relatime';

    expect(parseMountOptions([standard])).toEqual({});
  });

  it('can do without what nobody knows, and keeps the rest as it was', () => {
    const known = String.raw`ro,state_dir=/a\,b,_netdev,x-mine=1`;

    expect(withoutUnknownOptions(`bogus,${known},dmask=0`)).toBe(known);
    expect(parseMountOptions([withoutUnknownOptions(known)]).stateDir?.value).toBe('/a,b');
    expect(withoutUnknownOptions('bogus')).toBe('');
  });

  it('lets the last of ro and rw count', () => {
    expect(parseMountOptions(['ro,rw'])).toEqual({});
    expect(parseMountOptions(['rw,ro']).readOnly?.value).toBe(true);
  });

  it('reads an escaped comma as part of the value', () => {
    expect(parseMountOptions(['state_dir=/a\\,b,ro']).stateDir?.value).toBe('/a,b');
  });

  it('keeps equals signs within a value', () => {
    expect(parseMountOptions(['base_url=http://localhost/a=b']).baseUrl?.value).toBe('http://localhost/a=b');
  });

  it.each(['write_bakc', 'metadata-ttl=3', 'READ_ONLY'])('refuses %s by name as wrong usage', (option) => {
    const attempt = (): unknown => parseMountOptions([`ro,${option}`]);

    expect(attempt).toThrow(expect.objectContaining({ exitCode: 2 }) as Error);
    expect(attempt).toThrow(`unknown option -o ${option.split('=', 1)[0] ?? ''}`);
  });

  it('refuses to change a mount that is there, whatever mount(8) adds of that', () => {
    const attempt = (): unknown => parseMountOptions(['rw,nosuid,user_id=0,group_id=0,remount,ro']);

    expect(attempt).toThrow(expect.objectContaining({ exitCode: 2 }) as Error);
    expect(attempt).toThrow(/^the options of a mount cannot be changed: unmount it, and mount it again/);
  });

  it('refuses a setting without the value that it needs', () => {
    expect(() => parseMountOptions(['uid'])).toThrow('-o uid needs a value');
  });

  it.each(['secret_access_key', 'access_key_id'])('refuses %s without repeating it', (name) => {
    const attempt = (): unknown => parseMountOptions([`${name}=hush`]);

    expect(attempt).toThrow('PAILFS_SECRET_ACCESS_KEY in the environment');
    expect(attempt).not.toThrow('hush');
  });
});
