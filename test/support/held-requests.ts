/** How does a test look at what is so while a request is under way? Those of one kind wait, before they are made, until they are let go. */
import type { ObjectService } from '../../src/service/object-service.ts';
import type { RequestRecord } from '../../src/server/request-log.ts';
import { InterceptedService } from './intercepted-service.ts';
import { signal } from './signal.ts';

export interface HeldRequests {
  /** Stands between the mount and its service. */
  readonly between: (inner: ObjectService) => ObjectService;
  /** Resolves when the first is about to be made. */
  readonly begun: Promise<void>;
  /** They go on, and none waits any more. */
  readonly letGo: () => void;
}

/** `key`: of all keys, when absent. */
export function heldRequests(operation: RequestRecord['operation'], key?: string): HeldRequests {
  const [begun, goOn] = [signal(), signal()];
  const between = (inner: ObjectService): ObjectService =>
    new InterceptedService(inner, async (call, proceed) => {
      if (call.operation === operation && (key === undefined || call.key === key)) {
        begun.give();
        await goOn.given;
      }
      return proceed();
    });
  return { between, begun: begun.given, letGo: goOn.give };
}
