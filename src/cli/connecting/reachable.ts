/** Does anybody listen where the service is said to be? "No" is one line that names the remedy. */
import { createConnection } from 'node:net';
import { systemClock, type Clock } from '../../base/clock.ts';
import { systemErrorCode } from '../../base/errors.ts';
import { RunningClock } from '../../base/running-clock.ts';
import { hostOf, portOf } from '../../base/url-end.ts';
import { faultWords } from '../../client/refusals.ts';
import { authorityOf, openTunnel } from '../../client/tunnel.ts';
import { CommandError, exitCodes } from '../command-error.ts';

/** Of time in which this process could run: no answer reaches one that a person has stopped. */
const CONNECT_DEADLINE_MS = 5000;

/** A service, and the proxy before it, if any. */
export interface Address {
  readonly baseUrl: string;
  readonly proxy: string | undefined;
}

/** Rejects with a `CommandError` when nobody listens there: at once, where a request would be repeated for a while. */
export async function checkReachable({ baseUrl, proxy }: Address, clock: Clock = systemClock): Promise<void> {
  if (proxy === undefined) await checkListening(baseUrl, clock);
  else await checkTunnel({ baseUrl, proxy }, clock);
}

async function checkTunnel(
  { baseUrl, proxy }: Address & { readonly proxy: string },
  clock: Clock,
): Promise<void> {
  const late = new AbortController();
  const cancel = RunningClock.of(clock).after(CONNECT_DEADLINE_MS, () => {
    late.abort();
  });
  try {
    const socket = await openTunnel(proxy, authorityOf(new URL(baseUrl)), late.signal);
    socket.destroy();
  } catch (error) {
    const line = `the service at ${baseUrl} cannot be reached: ${faultWords(error)}; check --proxy, or go without by --proxy off`;
    throw new CommandError(exitCodes.failed, line, { cause: error });
  } finally {
    cancel();
  }
}

async function checkListening(baseUrl: string, clock: Clock): Promise<void> {
  const url = new URL(baseUrl);
  const [host, port] = [hostOf(url), portOf(url)];
  await new Promise<void>((resolve, reject) => {
    const socket = createConnection({ host, port });
    const end = (): void => {
      cancel();
      socket.destroy();
    };
    const refuse = (why: string, remedy: string, cause?: unknown): void => {
      end();
      const line = `the service at ${baseUrl} cannot be reached: ${why}; ${remedy}`;
      reject(new CommandError(exitCodes.failed, line, { cause }));
    };
    const cancel = RunningClock.of(clock).after(CONNECT_DEADLINE_MS, () => {
      refuse(`${host} does not answer`, 'check the network and --base-url');
    });
    socket.on('connect', () => {
      end();
      resolve();
    });
    socket.on('error', (error) => {
      refuse(...reasonOf(error, host, port), error);
    });
  });
}

function reasonOf(error: Error, host: string, port: number): [why: string, remedy: string] {
  const code = systemErrorCode(error);
  if (code === 'ECONNREFUSED') {
    return [`nothing listens at ${host} port ${port}`, 'start the service, or check --base-url'];
  }
  if (code === 'ENOTFOUND') return [`there is no host ${host}`, 'check --base-url'];
  if (code === 'EAI_AGAIN')
    return [`the name ${host} cannot be looked up`, 'check the network and --base-url'];
  return [faultWords(error), 'check the network and --base-url'];
}
