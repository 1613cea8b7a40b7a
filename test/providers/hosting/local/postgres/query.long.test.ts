import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  queryReadOnly,
  type ReadTarget,
  ROWS_MAX,
} from '../../../../../src/providers/hosting/local/postgres/query.ts';
import { availablePostgres } from '../../../../conformance/hosting/databases.ts';
import { refused } from '../../../../conformance/hosting/world.ts';
import { type LocalWorld, localWorld } from '../../../../support/hosting/local-world.ts';
import { asOwner } from '../../../../support/hosting/owner.ts';

const TIMEOUT = { timeout: 300_000 };
const never = new AbortController().signal;
let world: LocalWorld;
let target: ReadTarget;
let address = '';

beforeAll(async () => {
  world = await localWorld();
  const { id } = await availablePostgres(world);
  address = (await world.provider.postgres.connection(id)).external;
  const { hostname, port, username, password, pathname } = new URL(address);
  const database = pathname.slice(1);
  target = { host: hostname, port: Number(port), user: username, password, database };
}, TIMEOUT.timeout);
afterAll(() => world.close(), TIMEOUT.timeout);

const read = (sql: string) => queryReadOnly(target, sql, never);

test(
  'values keep what they are: long numbers, texts, gaps, and what is no number',
  TIMEOUT,
  async () => {
    const sql = `select 1::int2 as a, 9007199254740993::int8 as b, 1.10::numeric as c, 'NaN'::float8 as d,
    array[1,2] as e, '{"x":1}'::jsonb as f, null::text as g, false as h, ''::text as i`;
    const { columns, rows } = await read(sql);
    expect(rows).toEqual([
      [1, '9007199254740993', '1.10', 'NaN', '{1,2}', '{"x": 1}', null, false, ''],
    ]);
    expect(columns.map(({ type }) => type)).toEqual([
      ...['smallint', 'bigint', 'numeric', 'double precision', 'integer[]', 'jsonb', 'text'],
      ...['boolean', 'text'],
    ]);
  },
);

test('no rows and no columns are answers too', TIMEOUT, async () => {
  expect(await read('select 1 as n where false')).toEqual({
    columns: [{ name: 'n', type: 'integer' }],
    rows: [],
  });
  expect(await read('select')).toEqual({ columns: [], rows: [[]] });
  expect((await read('values (1), (2)')).rows).toEqual([[1], [2]]);
  expect((await read('explain select 1')).rows.length).toBeGreaterThan(0);
  expect((await read('show server_encoding')).rows).toEqual([['UTF8']]);
});

test('an answer ends at its bound of rows, of which the last ones are whole', TIMEOUT, async () => {
  const { rows, truncated } = await read('select g from generate_series(1, 5000000) g');
  expect([rows.length, rows.at(-1)?.[0], truncated]).toEqual([ROWS_MAX, ROWS_MAX, 'rows']);
  const whole = await read(`select g from generate_series(1, ${ROWS_MAX}) g`);
  expect([whole.rows.length, whole.truncated]).toEqual([ROWS_MAX, undefined]);
});

test(
  'a value that is too large ends the answer, whether it is read or cut off',
  TIMEOUT,
  async () => {
    for (const length of [2_000_000, 16_000_000]) {
      const sql = `select g, case g when 3 then repeat('x', ${length}) end from generate_series(1, 5) g`;
      const { rows, truncated } = await read(sql);
      expect(truncated).toBe('bytes');
      expect(rows.length).toBeLessThanOrEqual(2);
    }
  },
);

test('a statement ends at its time, also on the server', TIMEOUT, async () => {
  const asked = queryReadOnly(target, 'select pg_sleep(600)', never, { statementMs: 500 });
  const error = await refused(asked, 'SQL_TIMEOUT');
  expect(error.message).toContain('0.5 s ');
  await nothingSleeps();
});

test(
  'a caller that goes gets its own reason, and the statement ends on the server',
  TIMEOUT,
  async () => {
    const gone = new AbortController();
    const asked = queryReadOnly(target, 'select pg_sleep(600)', gone.signal);
    setTimeout(() => gone.abort(new Error('left')), 300);
    await expect(asked).rejects.toThrow('left');
    await nothingSleeps();
    await expect(queryReadOnly(target, 'select 1', gone.signal)).rejects.toThrow('left');
  },
);

test('an error says the code, the words and the place of the server', TIMEOUT, async () => {
  const error = await refused(read('select * from nowhere'), 'SQL_REFUSED');
  expect(error.message).toBe('42P01: relation "nowhere" does not exist');
  expect(error.data).toMatchObject({ code: '42P01', position: '15' });
  await refused(read('select $1::int'), 'SQL_REFUSED');
  await refused(read('select 1/0'), 'SQL_REFUSED');
});

test('rows that come before an error of the server are no answer', TIMEOUT, async () => {
  await refused(read('select 1/(500-g) from generate_series(1, 1000) g'), 'SQL_REFUSED');
});

test('a server that is not there is told from one that refuses', TIMEOUT, async () => {
  await refused(queryReadOnly({ ...target, port: 1 }, 'select 1', never), 'HOST_UNAVAILABLE');
  const wrong = { ...target, password: 'wrong' };
  await refused(queryReadOnly(wrong, 'select 1', never), 'HOST_UNAVAILABLE');
});

async function nothingSleeps(): Promise<void> {
  const sql = `select 1 from pg_stat_activity where query like '%pg_sleep(600)%' and state = 'active'
    and pid <> pg_backend_pid()`;
  await world.until(async () => (await asOwner(address, sql)).rowCount === 0, 'its end');
}
