/** How does every command get the service that its settings name? */
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { HttpService } from '../../client/http-service.ts';
import { CONNECTIONS_FOR_ALL_GATES } from '../../store/gates.ts';
import { checkReachable } from './reachable.ts';
import { credentialReader } from '../settings/credential-source.ts';
import type { MountSettings } from '../settings/settings.ts';
import { readTlsTerms } from '../settings/tls-files.ts';

/** Somebody listens there. The caller closes it. Rejects with a `CommandError`. */
export async function openService(
  settings: MountSettings,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<HttpService> {
  const { accessKeyId, secretAccessKey, baseUrl, proxy } = settings;
  const tls = await readTlsTerms(settings);
  await checkReachable(settings, clock);
  if (proxy !== undefined) log.info('Requests go through a proxy', { proxy: new URL(proxy).host });
  return HttpService.open({
    baseUrl,
    credentials: { accessKeyId, secretAccessKey },
    rereadCredentials: credentialReader(settings),
    tls,
    proxy,
    connections: CONNECTIONS_FOR_ALL_GATES,
    clock,
    log,
  });
}
