import { expect, test } from 'vitest';
import type { SqlResult } from '../../../src/domain/hosting/records.ts';
import { availableStores, calledHosting } from '../../support/called-hosting.ts';
import { WORKSPACES } from '../../support/hosting-world.ts';
import { proves } from '../../support/proves.ts';

const ALPHA = WORKSPACES[0].id;

/** Remembers the statements that reach a database. */
function listening(answer: SqlResult = { columns: [], rows: [] }) {
  const heard: string[] = [];
  return {
    heard,
    sql: async (text: string) => {
      heard.push(text);
      return answer;
    },
  };
}

test('a Postgres is created, listed and read', async () => {
  proves('H2.t7', 'H4.postgres.t2', 'H4.postgres.t3', 'H4.postgres.t4.c1', 'H4.postgres.t4.c2');
  proves('H4.postgres.t4.c3', 'H4.postgres.t4.c4', 'H4.postgres.t4.c5');
  const hosting = calledHosting();
  const made = await hosting.call('create_postgres', { name: 'books', plan: 'basic_1gb' });
  const { id } = made.value.postgres;
  expect(made.line).toBe(`Created Postgres 18 books (${id}); it is creating.`);
  expect(made.value.postgres).toMatchObject({ region: 'oregon', version: '18', diskSizeGB: 15 });
  const other = await hosting.call('create_postgres', {
    name: 'more',
    plan: 'pro_4gb',
    region: 'ohio',
    version: 15,
    diskSizeGb: 20,
  });
  expect(other.value.postgres).toMatchObject({ region: 'ohio', version: '15', diskSizeGB: 20 });
  const free = await hosting.call('create_postgres', { name: 'free', plan: 'free', diskSizeGb: 1 });
  expect(free.value.postgres).toMatchObject({ diskSizeGB: 1 });
  await hosting.clock.advance(60_000);
  const read = await hosting.call('get_postgres', { postgresId: id });
  expect(read.line).toBe(`books (${id}), Postgres 18, is available.`);
  const listed = await hosting.call('list_postgres_instances');
  expect(listed.line).toBe(`3 Postgres instances of ${ALPHA}.`);
});

test('the newest major that the host has is the default; one that it lacks is refused', async () => {
  const hosting = calledHosting({
    abilities: {
      postgres: {
        16: { able: true, version: '16.2' },
        18: { able: false, why: 'Postgres 18 is not on this machine.' },
      },
    },
  });
  const made = await hosting.call('create_postgres', { name: 'a', plan: 'free' });
  expect(made.value.postgres.version).toBe('16');
  const { value, text } = await hosting.call('create_postgres', {
    name: 'b',
    plan: 'free',
    version: 18,
  });
  expect(value.error).toBe('NOT_CONFIGURED');
  expect(text).toContain('Postgres 18 is not on this machine.');
});

test('a Key Value instance is created, listed and read', async () => {
  proves('H2.t8', 'H4.key-value.t1', 'H4.key-value.t2', 'H4.key-value.t3.c1', 'H4.key-value.t3.c2');
  proves('H4.key-value.t3.c3', 'H4.key-value.t3.c4', 'H4.key-value.t3.c5');
  const hosting = calledHosting();
  const free = await hosting.call('create_key_value', { name: 'cache', plan: 'free' });
  expect(free.value.keyValue).toMatchObject({
    region: 'oregon',
    options: { maxmemoryPolicy: 'allkeys_lru', persistenceMode: 'off' },
  });
  const paid = await hosting.call('create_key_value', { name: 'kept', plan: 'starter' });
  expect(paid.value.keyValue.options.persistenceMode).toBe('journal_snapshot');
  const options = { maxmemoryPolicy: 'volatile_ttl', persistenceMode: 'snapshot' };
  const own = await hosting.call('create_key_value', {
    name: 'own',
    plan: 'pro',
    region: 'virginia',
    ...options,
  });
  expect(own.value.keyValue).toMatchObject({ region: 'virginia', options });
  const listed = await hosting.call('list_key_value', { limit: 2 });
  expect(listed.value).toMatchObject({ hasMore: true });
  const keyValueId = own.value.keyValue.id;
  const read = await hosting.call('get_key_value', { keyValueId });
  expect(read.value.keyValue).toEqual(own.value.keyValue);
});

test('a statement that reads is run, and the answer keeps order, types and equal names', async () => {
  proves('H4.postgres.t1.c1', 'H4.postgres.t1.c2');
  const answer: SqlResult = {
    columns: [
      { name: 'a', type: 'int4' },
      { name: 'a', type: 'text' },
    ],
    rows: [
      [1, 'x'],
      [null, 'two\nlines'],
    ],
  };
  const { heard, sql } = listening(answer);
  const hosting = calledHosting({ sql });
  const { postgresId } = await availableStores(hosting);
  for (const text of [
    'select 1',
    'WITH t AS (SELECT 1) SELECT * FROM t',
    '(select 1) union (select 2)',
    '-- why\n /* not /* so */ deep */ values (1)',
    'EXPLAIN select 1',
    'show server_version',
    'table pg_class',
  ]) {
    const { value, line } = await hosting.call('query_hosted_postgres', { postgresId, sql: text });
    expect([text, value]).toEqual([text, answer]);
    expect(line).toBe('2 rows of 2 columns.');
    expect(heard.at(-1)).toBe(text);
  }
  const { text } = await hosting.call('query_hosted_postgres', { postgresId, sql: 'select 1' });
  expect(text.split('\n').slice(4)).toEqual(['a | a', '1 | x', 'NULL | two lines']);
});

test('an empty allowlist is told, and nothing is tried', async () => {
  proves('H7.t1');
  const { heard, sql } = listening();
  const hosting = calledHosting({ sql });
  const { postgresId } = await availableStores(hosting);
  await hosting.provider.postgres.setAllowList(postgresId, []);
  const { value, text } = await hosting.call('query_hosted_postgres', {
    postgresId,
    sql: 'select 1',
  });
  expect(value).toMatchObject({ error: 'SQL_BLOCKED', retry: 'after_fix' });
  expect(text).toContain('External connections to store are blocked, so none was tried.');
  expect(heard).toEqual([]);
});

test('a hosted server refuses a restricted database and says what to do', async () => {
  proves('H1.i5.c2', 'H4.postgres.s2.c1', 'H4.postgres.s2.c2');
  const { heard, sql } = listening();
  const hosting = calledHosting({ sql, isHosted: true });
  const { postgresId } = await availableStores(hosting);
  const ask = () => hosting.call('query_hosted_postgres', { postgresId, sql: 'select 1' });
  const { value, text } = await ask();
  expect(value.error).toBe('SQL_BLOCKED');
  expect(text).toContain('Run the server locally and allow its address.');
  expect(heard).toEqual([]);
  await hosting.provider.postgres.setAllowList(postgresId, [
    { cidrBlock: '0.0.0.0/0', description: 'everywhere' },
  ]);
  expect((await ask()).isError).toBe(false);
});

test('a database that is not there yet is told so', async () => {
  const { heard, sql } = listening();
  const hosting = calledHosting({ sql });
  const made = await hosting.call('create_postgres', { name: 'slow', plan: 'free' });
  const args = { postgresId: made.value.postgres.id, sql: 'select 1' };
  const { value, text } = await hosting.call('query_hosted_postgres', args);
  expect(value.error).toBe('HOST_UNAVAILABLE');
  expect(text).toContain('is creating. Query it once it is available');
  expect(heard).toEqual([]);
});

test('rows and characters are bounded, whatever a provider gives', async () => {
  const many = {
    columns: [{ name: 'a', type: 'int4' }],
    rows: Array.from({ length: 2_000 }, () => [1]),
  };
  const rows = calledHosting({ sql: async () => many });
  const { postgresId } = await availableStores(rows);
  const cut = await rows.call('query_hosted_postgres', { postgresId, sql: 'select 1' });
  expect(cut.value).toMatchObject({ truncated: 'rows' });
  expect(cut.value.rows).toHaveLength(1_000);
  expect(cut.line).toContain('cut at the limit on rows');
  const wide = {
    columns: many.columns,
    rows: Array.from({ length: 20 }, () => ['x'.repeat(100_000)]),
  };
  const bytes = calledHosting({ sql: async () => wide });
  const ids = await availableStores(bytes);
  const short = await bytes.call('query_hosted_postgres', {
    postgresId: ids.postgresId,
    sql: 'select 1',
  });
  expect(short.value).toMatchObject({ truncated: 'bytes' });
  expect(short.value.rows).toHaveLength(10);
  expect(short.text.length).toBeLessThan(61_000);
});

test('a statement that takes too long is ended, and one whose caller goes', async () => {
  const ended: string[] = [];
  const sql = (text: string, signal: AbortSignal) =>
    new Promise<SqlResult>((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        ended.push(text);
        reject(new Error('aborted'));
      });
    });
  const hosting = calledHosting({ sql });
  const { postgresId } = await availableStores(hosting);
  const slow = hosting.call('query_hosted_postgres', { postgresId, sql: 'select 1' });
  await hosting.clock.advance(31_000);
  expect((await slow).value).toMatchObject({ error: 'SQL_TIMEOUT' });
  const gone = new AbortController();
  const args = { postgresId, sql: 'select 2' };
  const left = hosting.call('query_hosted_postgres', args, { signal: gone.signal });
  await hosting.clock.advance(0);
  gone.abort();
  expect((await left).isError).toBe(true);
  expect(ended).toEqual(['select 1', 'select 2']);
});

test('what a database refuses is told as it said it', async () => {
  proves('H7.s1');
  const hosting = calledHosting();
  const { postgresId } = await availableStores(hosting);
  const { value, text } = await hosting.call('query_hosted_postgres', {
    postgresId,
    sql: 'select 1',
  });
  expect(value).toMatchObject({
    error: 'SQL_REFUSED',
    retry: 'after_fix',
    doc: expect.any(String),
  });
  expect(text).toContain('There is no database behind this record.');
});
