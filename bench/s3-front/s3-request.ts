/** What does a request to an S3 server ask for? (path-style addresses) */
import type { IncomingMessage } from 'node:http';

/** Which request it is; also the name under which it is counted. */
export type S3Operation =
  | 'ListBuckets'
  | 'HeadBucket'
  | 'CreateBucket'
  | 'GetBucketLocation'
  | 'ListObjects'
  | 'DeleteObjects'
  | 'HeadObject'
  | 'GetObject'
  | 'PutObject'
  | 'CopyObject'
  | 'DeleteObject'
  | 'CreateMultipartUpload'
  | 'UploadPart'
  | 'UploadPartCopy'
  | 'CompleteMultipartUpload'
  | 'AbortMultipartUpload'
  | 'Unknown';

export interface S3Request {
  readonly operation: S3Operation;
  readonly bucket: string;
  /** Empty when the request is about the bucket. */
  readonly key: string;
  readonly query: URLSearchParams;
  readonly message: IncomingMessage;
}

/** Never throws because of an operation that it does not know. */
export function readRequest(message: IncomingMessage): S3Request {
  const [path = '', search = ''] = (message.url ?? '/').split('?', 2);
  const [bucket = '', ...segments] = path.slice(1).split('/').map(decodeURIComponent);
  const key = segments.join('/');
  const query = new URLSearchParams(search);
  const parts = { bucket, key, query, message };
  return { ...parts, operation: operationOf(parts) };
}

function operationOf({ bucket, key, query, message }: Omit<S3Request, 'operation'>): S3Operation {
  const { method } = message;
  if (bucket === '') return method === 'GET' ? 'ListBuckets' : 'Unknown';
  if (key === '') return bucketOperation(method, query);
  const isCopy = message.headers['x-amz-copy-source'] !== undefined;
  if (query.has('uploads')) return method === 'POST' ? 'CreateMultipartUpload' : 'Unknown';
  if (query.has('uploadId')) return uploadOperation(method, isCopy);
  if (method === 'HEAD') return 'HeadObject';
  if (method === 'GET') return query.has('acl') ? 'Unknown' : 'GetObject';
  if (method === 'PUT') return isCopy ? 'CopyObject' : 'PutObject';
  return method === 'DELETE' ? 'DeleteObject' : 'Unknown';
}

function bucketOperation(method: string | undefined, query: URLSearchParams): S3Operation {
  if (method === 'HEAD') return 'HeadBucket';
  if (method === 'PUT') return 'CreateBucket';
  if (method === 'POST') return query.has('delete') ? 'DeleteObjects' : 'Unknown';
  if (method !== 'GET' || query.has('uploads')) return 'Unknown';
  return query.has('location') ? 'GetBucketLocation' : 'ListObjects';
}

function uploadOperation(method: string | undefined, isCopy: boolean): S3Operation {
  if (method === 'PUT') return isCopy ? 'UploadPartCopy' : 'UploadPart';
  if (method === 'POST') return 'CompleteMultipartUpload';
  return method === 'DELETE' ? 'AbortMultipartUpload' : 'Unknown';
}
