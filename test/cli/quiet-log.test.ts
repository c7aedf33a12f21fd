import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/base/clock.ts';
import { systemClock } from '../../src/base/clock.ts';
import type { Log } from '../../src/base/log.ts';
import { QuietLog } from '../../src/cli/logging/quiet-log.ts';

interface Recorded {
  readonly lines: string[];
  readonly log: QuietLog;
  /** As if the window had passed. */
  readonly passWindow: () => void;
}

function recordedLog(): Recorded {
  const lines: string[] = [];
  const write =
    (level: string) =>
    (message: string, fields: object = {}): void => {
      lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
    };
  const log: Log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  const timers = new Set<() => void>();
  const clock: Clock = {
    ...systemClock,
    after: (_milliseconds, action) => {
      timers.add(action);
      return () => timers.delete(action);
    },
  };
  const passWindow = (): void => {
    for (const action of [...timers]) {
      timers.delete(action);
      action();
    }
  };
  return { lines, log: new QuietLog(log, clock), passWindow };
}

describe('the log', () => {
  it('shows a few of 300 equal failures and counts the others', () => {
    const { lines, log, passWindow } = recordedLog();

    for (let call = 0; call < 300; call += 1) log.error('A call failed', { call });
    passWindow();

    expect(lines).toHaveLength(6);
    expect(lines[0]).toBe('error A call failed {"call":0}');
    expect(lines[5]).toBe('error A call failed {"repeated":295}');
  });

  it('has each cause of one failure, though one program fails all the time', () => {
    const { lines, log, passWindow } = recordedLog();
    const fail = (path: string, cause: string): void => {
      log.warn('an operation failed', { path, cause });
    };

    for (let call = 0; call < 300; call += 1) fail('/busy', 'answered 403');
    fail('/other', 'answered 507');
    passWindow();

    expect(lines).toContain('warn an operation failed {"path":"/other","cause":"answered 507"}');
    expect(lines.at(-1)).toBe('warn an operation failed {"repeated":295,"about":["/busy"]}');
  });

  it('stays below 100 lines when each of 300 failures has a cause of its own, and names the files', () => {
    const { lines, log, passWindow } = recordedLog();

    for (let call = 0; call < 300; call += 1)
      log.warn('an operation failed', { path: `/f${call}`, cause: `${call} bytes are missing` });
    passWindow();

    expect(lines.length).toBeLessThan(100);
    expect(lines.join('\n')).toContain('"/f299"');
  });

  it('has another failure, though two fail for many causes', () => {
    const { lines, log } = recordedLog();
    for (let call = 0; call < 100; call += 1)
      for (const message of ['an operation failed', 'it was not stored'])
        log.warn(message, { cause: `${call % 12}` });

    log.error('another failure');

    expect(lines.at(-1)).toBe('error another failure {}');
    expect(lines.length).toBeLessThan(40);
  });

  it('names the files of the lines that it leaves out [conflict/keep-both]', () => {
    const { lines, log, passWindow } = recordedLog();

    for (let file = 0; file < 250; file += 1)
      log.warn('both are kept', { theirs: `f${file}`, ours: `f${file} (conflict)` });
    passWindow();

    for (let file = 0; file < 250; file += 1) expect(lines.join('\n')).toContain(`"f${file} (conflict)"`);
    expect(lines.length).toBeLessThan(10);
  });

  it('names the buckets of the files of the lines that it leaves out', () => {
    const { lines, log, passWindow } = recordedLog();

    for (const bucket of ['one', 'two'])
      for (let file = 0; file < 10; file += 1) log.warn('it failed', { bucket, path: `/f${file}` });
    passWindow();

    expect(lines.at(-1)).toContain('"/one/f9"');
    expect(lines.at(-1)).toContain('"/two/f9"');
  });

  it('stays below 100 lines when 300 failures are all different', () => {
    const { lines, log, passWindow } = recordedLog();

    for (let call = 0; call < 300; call += 1) log.error(`Call ${call} failed`);
    passWindow();

    expect(lines.length).toBeLessThan(100);
    expect(lines.at(-1)).toMatch(/More lines of other kinds were left out/);
  });

  it('stays below 100 lines when 300 failures take their time, and then forgets them', () => {
    const { lines, log, passWindow } = recordedLog();

    for (let call = 0; call < 300; call += 1) {
      log.warn('A call failed', { call });
      log.error('A file failed', { call });
      if (call % 15 === 14) passWindow();
    }
    passWindow();
    passWindow();
    const storm = lines.length;
    for (let call = 0; call < 5; call += 1) log.warn('A call failed', { call });

    expect(storm).toBeLessThan(100);
    expect(lines.length - storm).toBe(5);
  });

  it('writes every line that is not repeated, and repeats again in the next window', () => {
    const { lines, log, passWindow } = recordedLog();

    log.info('Mounted');
    log.warn('Slow');
    passWindow();
    log.info('Mounted');

    expect(lines).toEqual(['info Mounted {}', 'warn Slow {}', 'info Mounted {}']);
  });

  it('writes the count of withheld lines when the process ends before the window does', () => {
    const { lines, log } = recordedLog();

    for (let call = 0; call < 7; call += 1) log.warn('Again');
    log.summarise();

    expect(lines.at(-1)).toBe('warn Again {"repeated":2}');
  });

  it('withholds nothing from who asked for every line', () => {
    const { lines, log } = recordedLog();

    for (let call = 0; call < 300; call += 1) log.debug('Detail');

    expect(lines).toHaveLength(300);
  });
});
