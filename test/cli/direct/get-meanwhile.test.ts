/** What does `pailfs get` say when the bytes that come are not those of the file that it asked about? */
import { expect, it, onTestFinished, vi } from 'vitest';
import { startServer } from '../../../src/server/start-server.ts';
import type { ObjectService } from '../../../src/service/object-service.ts';
import { openEmbeddedService, uploadOf } from '../../support/embedded-service.ts';
import { withOtherEtags } from '../../support/other-etags.ts';
import { openOwnHome, runHere } from '../../support/run-here.ts';

/** What stderr has of a `get` of a file at what `between` makes of a service. */
async function saidOf(
  between: (service: ObjectService, replace: () => Promise<unknown>) => ObjectService,
): Promise<string> {
  await openOwnHome();
  const { direct, bucket } = await openEmbeddedService();
  await direct.putObject(bucket, 'f', uploadOf('bytes'));
  const source = between(direct, () => direct.putObject(bucket, 'f', uploadOf('other bytes')));
  const server = await startServer({ source });
  onTestFinished(() => server.close());
  vi.stubEnv('PAILFS_BASE_URL', server.baseUrl);
  vi.stubEnv('PAILFS_ACCESS_KEY_ID', server.credentials.accessKeyId);
  vi.stubEnv('PAILFS_SECRET_ACCESS_KEY', server.credentials.secretAccessKey);

  const { code, stderr } = await runHere(['get', 'photos:f', '-']);

  expect(code).toBe(1);
  return stderr;
}

/** As `service`; the file is replaced between what is told of it and its bytes. */
function replacedMeanwhile(service: ObjectService, replace: () => Promise<unknown>): ObjectService {
  return new Proxy(service, {
    get(target, name) {
      if (name !== 'getObject') return (target[name as keyof ObjectService] as () => unknown).bind(target);
      return async (...request: Parameters<ObjectService['getObject']>) => {
        await replace();
        return target.getObject(...request);
      };
    },
  });
}

it('a file whose bytes come with another ETag than HEAD has told is not said to be replaced', async () => {
  expect(await saidOf(withOtherEtags)).toBe(
    'pailfs: photos:f is not fetched: it has another ETag where its bytes come from, of the same size and time: it was replaced within that second, or answers do not agree; try again\n',
  );
});

it('one that somebody replaces meanwhile is', async () => {
  expect(await saidOf(replacedMeanwhile)).toBe(
    'pailfs: photos:f is not fetched: somebody replaced it meanwhile; try again\n',
  );
});
