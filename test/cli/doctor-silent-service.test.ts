/** What does `pailfs doctor` say of a service that takes the connection, and never answers? */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { CommandLine } from '../support/command-line.ts';
import { startEmbeddedServer } from '../support/embedded-service.ts';

it('says that it has not answered in ten seconds', async () => {
  const at = await CommandLine.open(await startEmbeddedServer());
  const silent = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => {
    silent.close();
  });
  await once(silent, 'listening');
  const baseUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;

  const { code, stdout } = await at.run(['doctor', '--json', '--base-url', baseUrl]);

  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toContainEqual({
    check: 'base URL',
    state: 'broken',
    says: `something listens at ${baseUrl}, but does not answer (not within 10 s): check --base-url`,
  });
});
