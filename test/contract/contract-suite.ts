/** The whole contract of the port, for one way to a service and one setting of its switches after the other. */
import { afterAll, beforeAll, describe } from 'vitest';
import { bucketContract } from './bucket-contract.ts';
import { run, type Running, type Setup, type Way } from './contract-setup.ts';
import { fileContract } from './file-contract.ts';
import { listingContract } from './listing-contract.ts';
import type { Setting } from './switch-settings.ts';
import { visibilityContract } from './visibility-contract.ts';

export function contractSuite(way: Way, settings: readonly Setting[]): void {
  describe.each(settings.map((setting) => ({ setting, title: JSON.stringify(setting) })))(
    `the service ${way}, switched to $title`,
    ({ setting }) => {
      let running: Running;
      beforeAll(async () => {
        running = await run(way, setting);
      });
      afterAll(() => running.close());
      const setup = (): Promise<Setup> => running.setup();

      bucketContract(setup);
      fileContract(setup);
      listingContract(setup);
      visibilityContract(setup);
    },
  );
}
