/**
 * What outlives the process? One kind of record a table; each is validated when it is read, since the disk may have lost or
 * turned bytes, and another version of pailfs may have written it.
 *
 * Times are milliseconds since 1970. A `sequence` orders what waits for the same key: higher is later.
 */
import { z } from 'zod';
import { draftFacts, localAttributes, versionFacts } from '../draft-facts.ts';

const time = z.number();
const count = z.int().nonnegative();
const id = z.string().regex(/^[\w-]+$/);
const visibility = z.enum(['private', 'public']);

const failure = z.strictObject({
  at: time,
  /** An error's name, `EIO`. */
  code: z.string(),
  message: z.string(),
});

const attempts = { attempts: count, lastFailure: failure.nullable() };

/**
 * Where a draft is on its way: `open` is written to; `sealed` is whole, and its program waits for the service; `queued` waits
 * here; `end unknown` may be on the service though nobody said so; `failed` is tried again; `set aside` is not, unless a person
 * says so; `stored` is on the service, and the record waits for its link to be restored or to be removed.
 */
const draftState = z.enum([
  'open',
  'sealed',
  'queued',
  'uploading',
  'end unknown',
  'failed',
  'set aside',
  'stored',
]);

const draft = z.strictObject({
  id,
  sequence: count,
  state: draftState,
  /** It went to the disk beside the draft's bytes: when the machine stopped then, the disk may not have them, and nobody was promised anything. */
  isAhead: z.boolean().default(false),
  facts: draftFacts,
  /** Why it is set aside; else null. */
  reason: z.string().nullable(),
  /** What PUTs without a known end tried to store: the service may have any of them. */
  unconfirmed: z.array(versionFacts).readonly(),
  /** Of the object before the first of those PUTs, which may have made it private. */
  visibilityBefore: visibility.nullable(),
  /** State `stored`: the version that shall be made public again; else null. */
  publish: versionFacts.nullable(),
  /** The copy that a failed rename has left on the service under the name; absent: none, as in nearly all. */
  leftCopy: versionFacts.optional(),
  ...attempts,
});

/** A DELETE that is owed. */
const deletion = z.strictObject({
  sequence: count,
  key: z.string(),
  /** Only these versions are meant: several where nobody knows which upload of ours has arrived. */
  versions: z.array(versionFacts).readonly(),
  /** `dropped`: somebody else's version was found, and it stays; kept to be listed. */
  state: z.enum(['queued', 'end unknown', 'failed', 'dropped']),
  requestedAt: time,
  ...attempts,
});

const rename = z.strictObject({
  id,
  sequence: count,
  kind: z.enum(['file', 'folder']),
  /** Keys; those of folders end with a slash. */
  from: z.string(),
  to: z.string(),
  startedAt: time,
});

/** One file of a rename. */
const renameStep = z.strictObject({
  rename: id,
  index: count,
  from: z.string(),
  to: z.string(),
  /** `copying`: how far that has come the service tells. */
  state: z.enum(['planned', 'copying']),
  /** Null: the service had nothing of it, only the shelf. */
  source: versionFacts.nullable(),
  /** What was or is being stored under the new key. */
  copy: versionFacts.nullable(),
  /** What was under the new key before; null: the name was free. */
  replaced: versionFacts.nullable(),
  /** Of the source, for the copy; null: not known yet. */
  visibility: visibility.nullable(),
  /** Drafts whose bytes the copy holds or replaces: nobody wants them any more once it is stored. */
  drafts: z.array(id).readonly().default([]),
});

/** A file under a scratch name: only here. Its bytes are a draft. */
const shelved = z.strictObject({
  /** The draft's. */
  id,
  path: z.string(),
  kind: z.enum(['swap', 'lock', 'appledouble', 'folder settings', 'transfer', 'git']),
  createdAt: time,
  local: localAttributes,
  /** What its upload shall do, when it has another name: null, when nobody has set that. */
  contentType: z.string().nullable().default(null),
  visibility: visibility.nullable().default(null),
});

/** A journal of a mount that died, all of which is in this one: what is left of it means nothing any more. */
const absorbed = z.strictObject({ journal: id, at: time });

export type DraftRecord = Readonly<z.infer<typeof draft>>;
export type DeletionRecord = Readonly<z.infer<typeof deletion>>;
export type RenameRecord = Readonly<z.infer<typeof rename>>;
export type RenameStepRecord = Readonly<z.infer<typeof renameStep>>;
export type ShelvedRecord = Readonly<z.infer<typeof shelved>>;
export type AbsorbedRecord = Readonly<z.infer<typeof absorbed>>;

export interface TableRecords {
  readonly draft: DraftRecord;
  readonly deletion: DeletionRecord;
  readonly rename: RenameRecord;
  readonly 'rename-step': RenameStepRecord;
  readonly shelved: ShelvedRecord;
  readonly absorbed: AbsorbedRecord;
}

export type TableName = keyof TableRecords;

interface Table<Row> {
  readonly schema: z.ZodType<Row>;
  /** Unique in the table. */
  readonly nameOf: (record: Row) => string;
}

const DIGITS = 16;
/** Sorts as the number does. */
const padded = (value: number): string => String(value).padStart(DIGITS, '0');

export const tables: { readonly [Name in TableName]: Table<TableRecords[Name]> } = {
  draft: { schema: draft, nameOf: (record) => record.id },
  deletion: { schema: deletion, nameOf: (record) => padded(record.sequence) },
  rename: { schema: rename, nameOf: (record) => record.id },
  'rename-step': { schema: renameStep, nameOf: (record) => `${record.rename}.${padded(record.index)}` },
  shelved: { schema: shelved, nameOf: (record) => record.id },
  absorbed: { schema: absorbed, nameOf: (record) => record.journal },
};

/** The name of `record` among the rows of all tables. */
export function rowName<Name extends TableName>(table: Name, record: TableRecords[Name]): string {
  return `${table}/${tables[table].nameOf(record)}`;
}
