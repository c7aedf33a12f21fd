/** What is an endpoint of §4? */
import type { IncomingMessage } from 'node:http';
import type { ObjectService } from '../service/object-service.ts';
import { Refusal, type Operation } from '../service/refusal.ts';
import type { Answer, Family } from './answer.ts';
import type { Behaviours } from './behaviours.ts';
import type { PathName, Target } from './raw-path.ts';

/** One request, named and authenticated. */
export interface Call {
  readonly service: ObjectService;
  readonly target: Target;
  /** Fields of the JSON body; empty where the endpoint has none. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly request: IncomingMessage;
  readonly behaviours: Behaviours;
}

/** A row of §4's table. */
export interface Endpoint {
  readonly operation: Operation;
  readonly method: string;
  readonly path: PathName;
  readonly family: Family;
  /** The level that §4's table asks for. */
  readonly access: 'read' | 'read-write';
  /** The field of the JSON body that names the key or folder, when there is a body. */
  readonly named?: string | undefined;
  /** Rejects with a refusal. */
  answer(call: Call): Promise<Answer>;
}

/** A text field of the JSON body; throws a refusal when it is not there. */
export function textField(call: Call, operation: Operation, name: string): string {
  const value = call.fields[name];
  if (typeof value === 'string') return value;
  throw new Refusal('rejected', `${name} is required`, { operation, status: 400 });
}

/** The `limit` and bookmark of a listing (§4.11), the older name of the bookmark included. */
export function pageQuery({ target: { query } }: Call): { limit?: number; page?: string } {
  const limit = query.get('limit');
  const page = query.get('page') ?? query.get('token');
  return {
    // Anything but digits is no number here, whatever Number makes of it.
    ...(limit === null ? {} : { limit: /^\d+$/.test(limit) ? Number(limit) : NaN }),
    ...(page === null ? {} : { page }),
  };
}
