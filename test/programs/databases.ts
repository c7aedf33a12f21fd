/** sqlite3, with its journal in each of the ways that it knows. */
import type { Program } from './program.ts';

const insert = (value: number): string => `insert into t values (${value}, 'value');`;
const THREE = [11, 12, 13].map(insert).join(' ');

function database(mode: string, what: string, steps: Program['steps']): Program {
  return {
    name: `sqlite3, ${what}`,
    // What is left of journals that stay is random.
    endsAsOnDisk: mode === 'delete',
    check: `test "$(sqlite3 some.db 'pragma integrity_check; select count(*) from t;')" = "$(printf 'ok\\n4')"`,
    steps,
  };
}

export const databases: readonly Program[] = [
  database('delete', 'rollback journal', [
    {
      what: 'create a table',
      script: 'sqlite3 some.db "create table t(i integer primary key, x text)"',
      costs: { put: 3, head: 1, delete: 1 },
    },
    {
      what: 'a transaction',
      script: `sqlite3 some.db "${insert(1)}"`,
      costs: { put: 3, head: 2, delete: 1 },
    },
    {
      what: 'three transactions',
      script: `sqlite3 some.db "${THREE}"`,
      costs: { put: 9, head: 6, delete: 3 },
    },
    { what: 'a query', script: 'sqlite3 some.db "select count(*) from t" > /dev/null', costs: {} },
  ]),
  database('persist', '`journal_mode=persist`', [
    { script: 'sqlite3 some.db "create table t(i integer primary key, x text)"' },
    {
      what: 'a transaction',
      script: `sqlite3 some.db "pragma journal_mode=persist; ${insert(1)}" > /dev/null`,
      costs: { put: 4, head: 3 },
    },
    {
      what: 'three transactions',
      script: `sqlite3 some.db "pragma journal_mode=persist; ${THREE}" > /dev/null`,
      costs: { put: 12, head: 12 },
    },
  ]),
  database('wal', 'WAL', [
    {
      script:
        'sqlite3 some.db "pragma journal_mode=wal; create table t(i integer primary key, x text)" > /dev/null',
    },
    {
      what: 'a transaction',
      script: `sqlite3 some.db "${insert(1)}"`,
      costs: { put: 3, head: 2, delete: 1 },
    },
    {
      what: 'three transactions in one session',
      script: `sqlite3 some.db "${THREE}"`,
      costs: { put: 5, head: 4, delete: 1 },
    },
    {
      what: 'a query',
      script: 'sqlite3 some.db "select count(*) from t" > /dev/null',
      costs: { put: 1, delete: 1 },
    },
  ]),
];
