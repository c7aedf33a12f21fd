/** As vitest.config.ts, on an embedded server that breaks the rule that PAILFS_MUTANT names: for test/mutants/run-rows.ts alone. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/mutants/break-server.ts'],
    testTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
