/** How does a test let something happen between two tries of one call, as the client makes them? */
import type { CallOptions, ObjectService, UploadBody } from '../../src/service/object-service.ts';
import type * as records from '../../src/service/records.ts';
import { Refusal, type Operation } from '../../src/service/refusal.ts';
import { InterceptedService } from './intercepted-service.ts';

/** How the first try ends: it was not done, it was not even sent, or it was done and nobody hears of it. */
export type FirstTry = 'refused' | 'never sent' | 'done';

export interface BetweenTries {
  readonly operation: 'putObject' | 'deleteObject' | 'setVisibility';
  readonly key: string;
  readonly first: FirstTry;
  readonly meanwhile: () => Promise<void>;
}

/** The next call that `next` is about has two tries. */
export class TriedTwice extends InterceptedService {
  next: BetweenTries | null = null;

  constructor(inner: ObjectService) {
    super(inner, (_call, proceed) => proceed());
  }

  override putObject(
    bucket: string,
    key: string,
    body: UploadBody,
    options?: CallOptions,
  ): Promise<records.StoredObject> {
    return this.#twice('putObject', key, options, () => super.putObject(bucket, key, body, options));
  }

  override deleteObject(bucket: string, key: string, options?: CallOptions): Promise<records.DeletedObject> {
    return this.#twice('deleteObject', key, options, () => super.deleteObject(bucket, key, options));
  }

  override setVisibility(
    bucket: string,
    key: string,
    visibility: records.Visibility,
    options?: CallOptions,
  ): Promise<records.VisibilityRecord> {
    return this.#twice('setVisibility', key, options, () =>
      super.setVisibility(bucket, key, visibility, options),
    );
  }

  async #twice<Answer>(
    operation: Operation,
    key: string,
    options: CallOptions | undefined,
    attempt: () => Promise<Answer>,
  ): Promise<Answer> {
    const { next } = this;
    if (next?.operation !== operation || next.key !== key) return attempt();
    this.next = null;
    if (next.first === 'done') await attempt();
    await next.meanwhile();
    const isMeant = await (options?.isStillMeant?.() ?? Promise.resolve(true)).catch(() => false);
    if (isMeant) return attempt();
    const neverSent = next.first === 'never sent';
    throw new Refusal('unavailable', 'not now', { operation, subject: key, neverSent });
  }
}
