/** How does a test look at what is so while a request is under way, however fast or slow the machine is? */
import type { ObjectService } from '../../src/service/object-service.ts';

export interface HeldRequest {
  /** Resolves when it is made. */
  readonly begun: Promise<void>;
  /** It goes on. */
  readonly letGo: () => void;
}

/** The next `operation` waits for `letGo`; those after it do not. */
export function holdNext(
  service: ObjectService,
  operation: 'getObject' | 'headObject' | 'putObject' | 'deleteObject' | 'listObjects' | 'setVisibility',
): HeldRequest {
  let begin: () => void = () => undefined;
  let letGo: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let isNext = true;
  const wait = async (): Promise<void> => {
    if (!isNext) return;
    isNext = false;
    begin();
    await held;
  };
  if (operation === 'getObject') {
    const get = service.getObject.bind(service);
    service.getObject = (...call) => wait().then(() => get(...call));
  } else if (operation === 'headObject') {
    const head = service.headObject.bind(service);
    service.headObject = (...call) => wait().then(() => head(...call));
  } else if (operation === 'listObjects') {
    const list = service.listObjects.bind(service);
    service.listObjects = (...call) => wait().then(() => list(...call));
  } else if (operation === 'deleteObject') {
    const remove = service.deleteObject.bind(service);
    service.deleteObject = (...call) => wait().then(() => remove(...call));
  } else if (operation === 'setVisibility') {
    const set = service.setVisibility.bind(service);
    service.setVisibility = (...call) => wait().then(() => set(...call));
  } else {
    const put = service.putObject.bind(service);
    service.putObject = (...call) => wait().then(() => put(...call));
  }
  return {
    begun,
    letGo: () => {
      letGo();
    },
  };
}
