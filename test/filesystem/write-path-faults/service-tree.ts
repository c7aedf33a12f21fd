/** What does the service hold below one folder, as the write paths describe it? */
import type { ObjectService } from '../../../src/service/object-service.ts';
import { bytesOf, uploadOf } from '../../support/embedded-service.ts';
import { namesBelow } from '../../model/service-contents.ts';
import type { StoredFile, Tree } from './write-paths.ts';

export class ServiceTree {
  readonly #service: ObjectService;
  readonly #bucket: string;

  constructor(service: ObjectService, bucket: string) {
    this.#service = service;
    this.#bucket = bucket;
  }

  async fill(folder: string, tree: Tree): Promise<void> {
    for (const [name, file] of Object.entries(tree)) {
      const key = `${folder}/${name}`;
      if (file === null) {
        await this.#service.createFolder(this.#bucket, key.slice(0, -1));
        continue;
      }
      await this.#service.putObject(this.#bucket, key, uploadOf(file.text, file.type));
      if (file.isPublic === true) await this.#service.setVisibility(this.#bucket, key, 'public');
    }
  }

  async read(folder: string): Promise<Tree> {
    const { files, folders } = await namesBelow(this.#service, this.#bucket, folder);
    const tree: Record<string, StoredFile | null> = {};
    for (const key of folders) tree[key.slice(folder.length + 1)] = null;
    for (const key of files) tree[key.slice(folder.length + 1)] = await this.#file(key);
    return tree;
  }

  async #file(key: string): Promise<StoredFile> {
    const { head, body } = await this.#service.getObject(this.#bucket, key);
    const { visibility } = await this.#service.getVisibility(this.#bucket, key);
    return {
      text: (await bytesOf(body)).toString(),
      isPublic: visibility === 'public',
      type: head.contentType ?? '',
    };
  }
}

/** In what `found` is not as `wanted`; empty when it is. Types count only where they are said. */
export function differences(found: Tree, wanted: Tree): string[] {
  const names = new Set([...Object.keys(found), ...Object.keys(wanted)]);
  return [...names].flatMap((name) => {
    const [is, should] = [found[name], wanted[name]];
    if (is === undefined) return [`${name} is missing`];
    if (should === undefined) return [`${name} should not be there`];
    if (is === null || should === null) return is === should ? [] : [`${name} is of the wrong kind`];
    const isPublic = should.isPublic ?? false;
    return [
      ...(is.text === should.text ? [] : [`${name} holds "${is.text}"`]),
      ...(is.isPublic === isPublic ? [] : [`${name} is ${isPublic ? 'not ' : ''}public`]),
      ...(should.type === undefined || is.type === should.type ? [] : [`${name} is ${is.type ?? ''}`]),
    ];
  });
}
