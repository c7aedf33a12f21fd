/** How is the embedded server made to break one rule, without a line of it being changed? By wrapping what it answers. */
import { AccountService } from '../../src/server/account-service.ts';
import type { Answer } from '../../src/server/answer.ts';
import { bucketEndpoints } from '../../src/server/bucket-endpoints.ts';
import type { Call } from '../../src/server/endpoint.ts';
import { fileEndpoints } from '../../src/server/file-endpoints.ts';
import type { ObjectService } from '../../src/service/object-service.ts';
import type { Bucket } from '../../src/service/records.ts';
import { isRefusal, type Operation, type Refusal, type RefusalKind } from '../../src/service/refusal.ts';

/** Each breaks one rule, for as long as the process lasts; its name says how, as a sentence about the server. */
export type Mutants = Readonly<Record<string, () => void>>;

export type JsonObject = Readonly<Record<string, unknown>>;
type AnyMethod = (...given: readonly unknown[]) => unknown;

/** From now on every account's `operation` is what `broken` makes of it. `service` is the account, mutants included. The result undoes it. */
export function breakOperation<Name extends Operation>(
  operation: Name,
  broken: (whole: ObjectService[Name], service: ObjectService) => ObjectService[Name],
): () => void {
  const whole = Reflect.get(AccountService.prototype, operation) as unknown as AnyMethod;
  const replacement = function (this: AccountService, ...given: readonly unknown[]): unknown {
    const bound = whole.bind(this) as unknown as ObjectService[Name];
    return (broken(bound, this) as AnyMethod)(...given);
  };
  Object.assign(AccountService.prototype, { [operation]: replacement });
  return () => Object.assign(AccountService.prototype, { [operation]: whole });
}

/** Instead of refusing so, every account does what `instead` does. */
export function breakPortRefusal<Name extends Operation>(
  operation: Name,
  kind: RefusalKind,
  instead: (given: Parameters<ObjectService[Name]>, refusal: Refusal) => ReturnType<ObjectService[Name]>,
): void {
  breakOperation(operation, (whole) => {
    const broken = async (...given: Parameters<ObjectService[Name]>): Promise<unknown> => {
      try {
        return await (whole as AnyMethod)(...given);
      } catch (error) {
        if (!isRefusal(error, kind)) throw error;
        return instead(given, error);
      }
    };
    return broken as unknown as ObjectService[Name];
  });
}

/** From now on the HTTP endpoint of `operation` answers as `broken` does. */
export function breakAnswer(
  operation: Operation,
  broken: (ask: (changed?: Call) => Promise<Answer>, call: Call) => Promise<Answer>,
): void {
  const endpoint = [...bucketEndpoints, ...fileEndpoints].find((each) => each.operation === operation);
  if (endpoint === undefined) throw new Error(`there is no endpoint of ${operation}`);
  const whole = endpoint.answer.bind(endpoint);
  endpoint.answer = (call) => broken((changed = call) => whole(changed), call);
}

/** Only the JSON document of a success is changed. */
export function breakDocument(operation: Operation, broken: (document: JsonObject) => JsonObject): void {
  breakAnswer(operation, async (ask) => {
    const answer = await ask();
    if (typeof answer.body !== 'string') return answer;
    return { ...answer, body: JSON.stringify(broken(JSON.parse(answer.body) as JsonObject)) };
  });
}

/** Only the `data` of an envelope is changed. */
export function breakData(operation: Operation, broken: (data: JsonObject) => JsonObject): void {
  breakDocument(operation, ({ data, ...document }) => ({ ...document, data: broken(data as JsonObject) }));
}

/** Instead of telling a refusal of this kind as §7 says, the endpoint answers `instead`. */
export function breakRefusal(
  operation: Operation,
  kind: RefusalKind,
  instead: (refusal: Refusal) => Answer,
): void {
  breakAnswer(operation, async (ask) => {
    try {
      return await ask();
    } catch (error) {
      if (!isRefusal(error, kind)) throw error;
      return instead(error);
    }
  });
}

/** A body whose first byte is another. */
export async function* withWrongByte(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const piece of body) {
    const copy = Buffer.from(piece);
    if (isFirst && copy.length > 0) copy.writeUInt8(copy.readUInt8(0) ^ 1, 0);
    isFirst = false;
    yield copy;
  }
}

/** What an account may seem to have. */
export function bucketOf(name: string): Bucket {
  return {
    bucket: `${name}-0`,
    publicId: '00000000-0000-4000-8000-000000000000',
    name,
    region: 'local-1',
    status: 'ACTIVE',
    statusMessage: null,
    sizeBytes: 0,
    objectCount: 0,
    usageSyncedAt: new Date(0),
    createdAt: new Date(0),
  };
}
