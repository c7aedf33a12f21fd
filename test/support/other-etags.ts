/** A service whose answers about one file do not agree. */
import type { ObjectService } from '../../src/service/object-service.ts';

/** As `service`, but the bytes of a file come with another ETag than everything else tells. */
export function withOtherEtags(service: ObjectService): ObjectService {
  return new Proxy(service, {
    get(target, name) {
      if (name !== 'getObject') return (target[name as keyof ObjectService] as () => unknown).bind(target);
      return async (...request: Parameters<ObjectService['getObject']>) => {
        const download = await target.getObject(...request);
        return { ...download, head: { ...download.head, etag: 'another' } };
      };
    },
  });
}
