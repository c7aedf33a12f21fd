/** Does the bar fit the terminal? */
import { describe, expect, it } from 'vitest';
import { progressLine } from '../../../src/cli/direct/progress.ts';

function line(what: string, maxWidth: number): string {
  return progressLine(what, { progress: 0.5, value: 5, total: 10, maxWidth }, (amount) => `${amount} MB`);
}

describe('the line that says how far a command is', () => {
  it('has a bar, the share and the amounts', () => {
    expect(line('cat.jpg', 80)).toBe('cat.jpg ==========---------- 50% (5 MB of 10 MB)');
  });

  it.each([20, 30, 40, 60, 80])('fits %s columns with any name, and never loses the share', (width) => {
    const long = line('a-name-that-is-longer-than-any-terminal-is-wide-'.repeat(3), width);

    expect(long.length).toBeLessThan(width);
    expect(long).toContain(' 50% (5');
  });

  it('shows nothing that would move the cursor', () => {
    expect(line('a\u001B[2Jb\n', 80)).toMatch(/^a\?\[2Jb\? =/);
  });
});
