/** What stands there while mounts are measured? A store and a network, each in a process of its own, and a bucket a turn. */
import type { StoredFile } from '../contents/contents.ts';
import type { PatternedFile } from '../contents/pattern.ts';
import { ServedProcess } from '../frame/served-process.ts';
import type { NetworkAnswers } from '../network/network-process.ts';
import type { LinkTraffic } from '../network/network-model.ts';
import type { BucketAddress } from '../mounts/subjects.ts';
import type { ExpectedFile } from '../store/held-files.ts';
import type { Served, StoreAddress, StoreAnswers } from '../store/store-process.ts';
import type { Profile } from './profiles.ts';

/** What went over the network. */
export interface Traffic extends Served {
  /** Bytes, headers included. */
  readonly up: number;
  readonly down: number;
  /** How long nobody waited for an answer, each time, from an answer to the next request: milliseconds. */
  readonly pauses: readonly number[];
}

interface Links {
  readonly servicePort: number;
  readonly s3Port: number;
}

const FILES_A_CALL = 500;

/** It goes when everything is undone. */
export class Testbed {
  readonly #store: ServedProcess<StoreAnswers>;
  readonly #network: ServedProcess<NetworkAnswers>;
  readonly #address: StoreAddress;
  readonly #links = new Map<Profile, Links>();
  #buckets = 0;

  private constructor(
    store: ServedProcess<StoreAnswers>,
    network: ServedProcess<NetworkAnswers>,
    address: StoreAddress,
  ) {
    this.#store = store;
    this.#network = network;
    this.#address = address;
  }

  static async open(profiles: readonly Profile[]): Promise<Testbed> {
    const store = await ServedProcess.start<StoreAnswers>(
      new URL('../store/store-process.ts', import.meta.url),
    );
    const network = await ServedProcess.start<NetworkAnswers>(
      new URL('../network/network-process.ts', import.meta.url),
    );
    const testbed = new Testbed(store, network, await store.call('address'));
    for (const profile of profiles) {
      testbed.#links.set(profile, {
        servicePort: await network.call('open', testbed.#address.servicePort, profile),
        s3Port: await network.call('open', testbed.#address.s3Port, profile),
      });
    }
    return testbed;
  }

  /** Of the service, past the network. */
  get directPort(): number {
    return this.#address.servicePort;
  }

  /** A new bucket. */
  async createBucket(): Promise<string> {
    this.#buckets += 1;
    return this.#store.call('createBucket', `bench-${this.#buckets}`);
  }

  /** As it is reached over that network. */
  addressOf(bucket: string, profile: Profile): BucketAddress {
    const { accessKeyId, secretAccessKey } = this.#address;
    return { ...this.#linksOf(profile), accessKeyId, secretAccessKey, bucket };
  }

  async deleteBucket(bucket: string): Promise<void> {
    await this.#store.call('deleteBucket', bucket);
  }

  /** At once, not over the network. */
  async putObjects(bucket: string, files: readonly StoredFile[]): Promise<void> {
    for (let first = 0; first < files.length; first += FILES_A_CALL)
      await this.#store.call('putObjects', bucket, files.slice(first, first + FILES_A_CALL));
  }

  /** They are all that the bucket, which nobody changes, ever holds. */
  async fillWithPatterned(bucket: string, files: readonly PatternedFile[]): Promise<void> {
    await this.#store.call('fillWithPatterned', bucket, files);
  }

  /** Whether the bucket holds these files and nothing else. */
  async holds(bucket: string, files: readonly ExpectedFile[]): Promise<boolean> {
    // Without their bytes, which would keep the store from answering whoever it is that still stores some.
    const told = files.map(({ key, size, etag }) => ({ key, size, etag }));
    return (await this.#store.call('difference', bucket, told)) === 0;
  }

  /** Since the last call. */
  async takeTraffic(profile: Profile): Promise<Traffic> {
    const { servicePort, s3Port } = this.#linksOf(profile);
    const served = await this.#store.call('takeServed');
    const took: LinkTraffic[] = [];
    for (const port of [servicePort, s3Port]) took.push(await this.#network.call('takeTraffic', port));
    const sum = (of: (traffic: LinkTraffic) => number): number =>
      took.reduce((total, one) => total + of(one), 0);
    const pauses = took.flatMap((traffic) => traffic.pauses);
    return { ...served, up: sum(({ up }) => up), down: sum(({ down }) => down), pauses };
  }

  #linksOf(profile: Profile): Links {
    const links = this.#links.get(profile);
    if (links === undefined) throw new Error(`there is no network ${profile.name}`);
    return links;
  }
}
