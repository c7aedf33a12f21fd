import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // One of each processor of a small machine: the default leaves one to a person at the screen.
    maxWorkers: '100%',
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/mount/**', 'test/contract/**', 'test/long/**'],
          testTimeout: 60_000,
        },
      },
      // Only `npm run test:long` asks for these.
      {
        test: {
          name: 'long',
          include: ['test/long/**/*.test.ts'],
          testTimeout: 3_600_000,
          // What one measures another would disturb.
          fileParallelism: false,
        },
      },
      { test: { name: 'contract', include: ['test/contract/**/*.test.ts'], testTimeout: 120_000 } },
      {
        test: {
          name: 'mount',
          include: ['test/mount/**/*.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 120_000,
          // Each file owns kernel mounts: side by side they would only compete for the two cores.
          fileParallelism: false,
        },
      },
    ],
  },
});
