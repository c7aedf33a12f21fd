/** Which requests would have been made? Counted in process, without HTTP. */
import type { ObjectService } from '../../src/service/object-service.ts';
import type { RequestLog } from '../../src/server/request-log.ts';
import { InterceptedService } from './intercepted-service.ts';

/** `inner`, with every call entered in `requests` before it is made. */
export function recordingService(inner: ObjectService, requests: RequestLog): ObjectService {
  return new InterceptedService(inner, (call, proceed) => {
    requests.record(call);
    return proceed();
  });
}
