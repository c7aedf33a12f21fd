/**
 * What runs in the process that mounts for a test? It opens the file system that the test names, mounts it, answers the test's
 * messages, and unmounts when told, when the test's process goes, or dies when its time is up.
 */
import { Worker } from 'node:worker_threads';
import { systemClock, type Clock } from '../../src/base/clock.ts';
import type { Log, LogFields } from '../../src/base/log.ts';
import { keepGarbageLow } from '../../src/cli/serving/memory-return.ts';
import type { Driver, Mounted } from '../../src/fuse/driver.ts';
import { createKernelDriver } from '../../src/fuse/kernel/kernel-driver.ts';
import { KernelMount } from '../../src/fuse/kernel/kernel-mount.ts';
import { createNativeDriver } from '../../src/fuse/native/native-driver.ts';
import type { ChildReply, ChildRequest, MountedModule, MountOrder } from './mounted.ts';

/** Works also when the main thread waits for ever. */
function dieAfter(milliseconds: number): void {
  const program = `setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${String(milliseconds)})`;
  new Worker(program, { eval: true }).unref();
}

function reply(message: ChildReply): void {
  if (process.connected) process.send?.(message);
}

/** Errors cannot be sent: what a test may want to know of one. */
function asFailure(error: unknown): { readonly message: string; readonly kind: string | undefined } {
  const message = error instanceof Error ? error.message : String(error);
  return { message, kind: error instanceof Error && 'kind' in error ? String(error.kind) : undefined };
}

function logToTest(): Log {
  const line =
    (level: string) =>
    (message: string, fields?: LogFields): void => {
      reply({ type: 'log', level, message, fields: JSON.stringify(fields ?? {}) });
    };
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
}

function driverFor({ driver, slowness }: MountOrder): Driver {
  const clock = slowed(slowness);
  return driver === 'native' ? createNativeDriver(clock) : createKernelDriver(clock);
}

function slowed(slowness: number): Clock {
  return {
    now: () => systemClock.now(),
    monotonic: () => systemClock.monotonic() / slowness,
    sleep: (milliseconds, signal) => systemClock.sleep(milliseconds * slowness, signal),
    after: (milliseconds, action) => systemClock.after(milliseconds * slowness, action),
  };
}

async function serve(order: MountOrder): Promise<void> {
  dieAfter(order.lifetime);
  // As every mount does.
  keepGarbageLow();
  const module = (await import(order.module)) as MountedModule;
  const operations = await module.openFileSystem(order.options);
  const { path: mountpoint, source, readOnly, allowOther } = order;
  const options = { mountpoint, source, readOnly, allowOther, log: logToTest() };
  const mounted = await driverFor(order).mount(operations, options);
  const abandon = (): void => {
    void mounted.unmount({ lazy: true }).finally(() => process.exit(1));
  };
  process.once('disconnect', abandon);
  void mounted.closed.then(() => {
    process.off('disconnect', abandon);
    reply({ type: 'closed' });
  });
  process.on('message', (request: ChildRequest) => {
    void answer(module, mounted, request);
  });
  reply({ type: 'ready' });
}

async function answer(module: MountedModule, mounted: Mounted, request: ChildRequest): Promise<void> {
  const { id } = request;
  try {
    if (request.type === 'unmount') {
      await mounted.unmount({ lazy: request.lazy });
      reply({ type: 'answer', id, value: undefined });
    } else if (request.type === 'count-nodes') {
      reply({ type: 'answer', id, value: mounted instanceof KernelMount ? mounted.nodeCount : undefined });
    } else {
      const value = await module.answer?.(request.message);
      if (isRefresh(request.message)) await mounted.refresh?.();
      reply({ type: 'answer', id, value });
    }
  } catch (error) {
    reply({ type: 'refusal', id, ...asFailure(error) });
  }
}

/** As a person's SIGUSR1 does, this concerns the file system and the kernel alike. */
function isRefresh(message: unknown): boolean {
  return message instanceof Object && 'ask' in message && message.ask === 'refresh';
}

process.once('message', (order: MountOrder) => {
  serve(order).catch((error: unknown) => {
    reply({ type: 'failed', ...asFailure(error) });
    // Let the message out before the end.
    process.disconnect();
    process.exitCode = 1;
  });
});
