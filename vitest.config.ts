import { defineConfig } from 'vitest/config';
import { environmentName, settingNames } from './src/cli/settings/settings-table.ts';

// Who runs the tests may mount with pailfs, and let nobody else read what is new: no test is about that.
for (const name of settingNames) Reflect.deleteProperty(process.env, environmentName(name));
process.umask(0o022);

/**
 * For what comes by and by, and what clears up after a test: long enough for a machine that stands still for a while. Nobody waits
 * that long for what does come. Shorter than any test's limit, so that what did not come is what is reported.
 */
const patient = {
  expect: { poll: { timeout: 50_000 } },
  hookTimeout: 120_000,
  // A program that failed is shown with what it wrote to stderr.
  chaiConfig: { truncateThreshold: 1000 },
};

export default defineConfig({
  test: {
    // One of each processor of a small machine: the default leaves one to a person at the screen.
    maxWorkers: '100%',
    projects: [
      {
        test: {
          ...patient,
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/mount/**', 'test/contract/**', 'test/long/**'],
          testTimeout: 300_000,
        },
      },
      // Only `npm run test:long` asks for these.
      {
        test: {
          ...patient,
          name: 'long',
          include: ['test/long/**/*.test.ts'],
          testTimeout: 3_600_000,
          // What one measures another would disturb.
          fileParallelism: false,
        },
      },
      {
        test: {
          ...patient,
          name: 'contract',
          include: ['test/contract/**/*.test.ts'],
          testTimeout: 300_000,
        },
      },
      {
        test: {
          ...patient,
          name: 'mount',
          include: ['test/mount/**/*.test.ts'],
          testTimeout: 600_000,
          // Each file owns kernel mounts: side by side they would only compete for the two cores.
          fileParallelism: false,
        },
      },
    ],
  },
});
