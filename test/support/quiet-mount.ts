/** What a mount says of itself that has done nothing yet. */
import type { StatusDocument } from '../../src/cli/control/control-documents.ts';

export const quietMount: Pick<StatusDocument, 'traffic' | 'cache' | 'hiddenKeys' | 'problems'> = {
  traffic: {
    requests: 0,
    failed: 0,
    bytesReceived: 0,
    bytesSent: 0,
    perSecond: { requests: 0, bytesReceived: 0, bytesSent: 0 },
    offlineSince: null,
    silentSince: null,
  },
  cache: { served: { memory: 0, disk: 0, service: 0 }, inMemory: 0, onDisk: null },
  hiddenKeys: 0,
  problems: [],
};
