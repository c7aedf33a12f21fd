/** How are the rules broken that say who may ask for what? (§4, §5) */
import { errorAnswer } from '../../src/server/answer.ts';
import { bucketEndpoints } from '../../src/server/bucket-endpoints.ts';
import { fileEndpoints } from '../../src/server/file-endpoints.ts';
import type { Operation } from '../../src/service/refusal.ts';
import { bucketOf, breakAnswer, breakOperation, type Mutants } from './breaking.ts';

const ENDPOINTS = [...bucketEndpoints, ...fileEndpoints];

export const accessMutants: Mutants = {
  'wants Read & write of who lists buckets': () => {
    turnAccess('listBuckets');
  },
  'wants Read of who creates a bucket': () => {
    turnAccess('createBucket');
  },
  'wants Read & write of who looks at a bucket': () => {
    turnAccess('getBucket');
  },
  'wants Read of who deletes a bucket': () => {
    turnAccess('deleteBucket');
  },
  'wants Read of who creates a folder': () => {
    turnAccess('createFolder');
  },
  'wants Read of who uploads': () => {
    turnAccess('putObject');
  },
  'wants Read & write of who downloads': () => {
    turnAccess('getObject');
  },
  'wants Read & write of who asks with HEAD': () => {
    turnAccess('headObject');
  },
  'wants Read of who deletes a file': () => {
    turnAccess('deleteObject');
  },
  'wants Read & write of who lists files': () => {
    turnAccess('listObjects');
  },
  'wants Read & write of who asks for a visibility': () => {
    turnAccess('getVisibility');
  },
  'wants Read of who sets a visibility': () => {
    turnAccess('setVisibility');
  },
  'wants Read & write of who asks for a link': () => {
    turnAccess('getLink');
  },
  'lets only Read read': () => {
    const readers = ENDPOINTS.filter(({ access }) => access === 'read').map(({ operation }) => operation);
    letIn(readers, (user) => user === 'READKEY', 403);
  },
  'wants the secret as the user name': () => {
    const all = ENDPOINTS.map(({ operation }) => operation);
    letIn(all, (user, password) => password === 'TESTKEY' && user === 'test:secret', 401);
  },
  'lists the buckets of other accounts': () => {
    breakOperation('listBuckets', (whole) => async (query) => {
      const page = await whole(query);
      if (page.buckets.length > 0) return page;
      const buckets = [bucketOf('photos')];
      return { ...page, buckets, summary: { ...page.summary, bucketCount: 1 } };
    });
  },
};

/** The endpoint asks for the other level. */
function turnAccess(operation: Operation): void {
  const endpoint = ENDPOINTS.find((each) => each.operation === operation);
  if (endpoint === undefined) throw new Error(`there is no endpoint of ${operation}`);
  Object.assign(endpoint, { access: endpoint.access === 'read' ? 'read-write' : 'read' });
}

/** Whoever is not let in is answered with `status`. */
function letIn(
  operations: readonly Operation[],
  isLetIn: (user: string, password: string) => boolean,
  status: number,
): void {
  for (const operation of operations) {
    breakAnswer(operation, (ask, { request }) => {
      const [, encoded = ''] = (request.headers.authorization ?? '').split(' ');
      const [user = '', ...password] = Buffer.from(encoded, 'base64').toString().split(':');
      return isLetIn(user, password.join(':')) ? ask() : Promise.resolve(errorAnswer('file', status, 'no'));
    });
  }
}
