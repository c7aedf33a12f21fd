/** How do the endpoints of buckets, folders, visibility and links answer? (§4.2 to §4.6, §4.12 to §4.14) */
import { Refusal } from '../service/refusal.ts';
import { envelope } from './answer.ts';
import { encodeBucket, encodeBucketPage, encodeLink, encodeVisibility } from './encode.ts';
import { pageQuery, textField, type Endpoint } from './endpoint.ts';

const listBuckets: Endpoint = {
  operation: 'listBuckets',
  method: 'GET',
  path: 'buckets',
  family: 'management',
  access: 'read',
  answer: async (call) => {
    const page = await call.service.listBuckets(pageQuery(call));
    return envelope(200, 'Buckets fetched.', encodeBucketPage(page));
  },
};

const createBucket: Endpoint = {
  operation: 'createBucket',
  method: 'POST',
  path: 'buckets',
  family: 'management',
  access: 'read-write',
  named: 'name',
  answer: async (call) => {
    const bucket = await call.service.createBucket(textField(call, 'createBucket', 'name'));
    return envelope(201, 'Bucket created.', encodeBucket(bucket));
  },
};

const getBucket: Endpoint = {
  operation: 'getBucket',
  method: 'GET',
  path: 'bucket',
  family: 'management',
  access: 'read',
  answer: async ({ service, target }) =>
    envelope(200, 'Bucket fetched.', encodeBucket(await service.getBucket(target.bucket))),
};

const deleteBucket: Endpoint = {
  operation: 'deleteBucket',
  method: 'DELETE',
  path: 'bucket',
  family: 'management',
  access: 'read-write',
  answer: async ({ service, target }) => {
    await service.deleteBucket(target.bucket);
    return envelope(200, 'Bucket deleted.');
  },
};

const createFolder: Endpoint = {
  operation: 'createFolder',
  method: 'POST',
  path: 'folders',
  family: 'management',
  access: 'read-write',
  named: 'folder_path',
  answer: async (call) => {
    const folder = textField(call, 'createFolder', 'folder_path').replace(/^\/+|\/+$/g, '');
    await call.service.createFolder(call.target.bucket, folder);
    return envelope(201, `Folder ${folder}/ created.`);
  },
};

const getVisibility: Endpoint = {
  operation: 'getVisibility',
  method: 'GET',
  path: 'visibility',
  family: 'management',
  access: 'read',
  answer: async ({ service, target }) => {
    const key = target.query.get('key');
    if (key === null)
      throw new Refusal('rejected', 'key is required', { operation: 'getVisibility', status: 400 });
    const record = await service.getVisibility(target.bucket, key);
    return envelope(200, 'Visibility fetched.', encodeVisibility(record));
  },
};

const setVisibility: Endpoint = {
  operation: 'setVisibility',
  method: 'PUT',
  path: 'visibility',
  family: 'management',
  access: 'read-write',
  named: 'object_key',
  answer: async (call) => {
    const key = textField(call, 'setVisibility', 'object_key');
    const visibility = textField(call, 'setVisibility', 'visibility');
    if (visibility !== 'public' && visibility !== 'private') {
      const details = { operation: 'setVisibility', status: 400 } as const;
      throw new Refusal('rejected', 'visibility must be public or private', details);
    }
    const record = await call.service.setVisibility(call.target.bucket, key, visibility);
    return envelope(200, `The file is now ${visibility}.`, encodeVisibility(record));
  },
};

const getLink: Endpoint = {
  operation: 'getLink',
  method: 'POST',
  path: 'url',
  family: 'management',
  access: 'read',
  named: 'object_key',
  answer: async (call) => {
    const link = await call.service.getLink(call.target.bucket, textField(call, 'getLink', 'object_key'));
    return envelope(200, 'Link created.', encodeLink(link));
  },
};

/** All but those of files. */
export const bucketEndpoints: readonly Endpoint[] = [
  listBuckets,
  createBucket,
  getBucket,
  deleteBucket,
  createFolder,
  getVisibility,
  setVisibility,
  getLink,
];
