/** How does a test get a service that takes nothing of its own process's time? */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { HttpService } from '../../src/client/http-service.ts';
import type { ObjectService } from '../../src/service/object-service.ts';
import type { ServiceAddress } from './command-line.ts';

export interface ServiceProcess extends ServiceAddress {
  /** What others do. */
  readonly service: ObjectService;
  /** Identifier of the one bucket, whose name is `photos`. */
  readonly bucket: string;
}

const LOADER = new URL('./typescript-loader.mjs', import.meta.url).href;
const PROGRAM = fileURLToPath(new URL('../server/serving-child.ts', import.meta.url));

/** Keeps its files in `directory`. Ended by itself at the end of the test that calls this. */
export async function startServiceProcess(directory: string): Promise<ServiceProcess> {
  const child = spawn(process.execPath, ['--import', LOADER, PROGRAM, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const address = JSON.parse(line) as ServiceAddress;
  const service = HttpService.open({ ...address, clock: systemClock, log: silentLog });
  onTestFinished(() => service.close());
  const { bucket } = await service.createBucket('photos');
  return { ...address, service, bucket };
}
