/** How does a test look at what is so while a request is under way, however fast or slow the machine is? */
import type { ObjectService } from '../../src/service/object-service.ts';
import { signal } from './signal.ts';

export interface HeldRequest {
  /** Resolves when it is made. */
  readonly begun: Promise<void>;
  /** It goes on. */
  readonly letGo: () => void;
}

type Method = (...given: readonly unknown[]) => Promise<unknown>;

/** The next `operation` waits for `letGo`; those after it do not. */
export function holdNext(
  service: ObjectService,
  operation: 'getObject' | 'headObject' | 'putObject' | 'deleteObject' | 'listObjects' | 'setVisibility',
): HeldRequest {
  const [begun, held] = [signal(), signal()];
  const method = Reflect.get(service, operation) as Method;
  let isNext = true;
  const waiting: Method = async (...given) => {
    if (isNext) {
      isNext = false;
      begun.give();
      await held.given;
    }
    return Reflect.apply(method, service, given);
  };
  Reflect.set(service, operation, waiting);
  return { begun: begun.given, letGo: held.give };
}
