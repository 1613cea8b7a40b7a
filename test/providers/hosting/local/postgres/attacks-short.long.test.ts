import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Attacked,
  attackedPostgres,
  passedOf,
} from '../../../../support/hosting/attacked-postgres.ts';
import { asOwner, logOf } from '../../../../support/hosting/owner.ts';
import { SQL_ATTACKS } from '../../../../support/hosting/sql-attacks.ts';
import { proves } from '../../../../support/proves.ts';

const TIMEOUT = { timeout: 300_000 };
let attacked: Attacked;

beforeAll(async () => {
  attacked = await attackedPostgres();
}, TIMEOUT.timeout);
afterAll(() => attacked.world.close(), TIMEOUT.timeout);

test.each(Object.entries(SQL_ATTACKS))('%s: all refused', TIMEOUT, async (_what, statements) => {
  proves('H4.postgres.t1.c3');
  expect(await passedOf(attacked, statements)).toEqual([]);
  expect(await attacked.state()).toEqual(attacked.begun);
});

/** Statements that would take all memory or disk. */
const BOMBS = [
  `select repeat('x', 1000000000)`,
  `select array_agg(repeat('x', 1000)) from generate_series(1, 10000000)`,
  `select string_agg(repeat(md5(g::text), 1000), '') from generate_series(1, 1000000) g`,
  'select array_fill(1, array[100000000])',
  `with recursive r as (select repeat('x', 1000) as t union all select t || 'y' from r)
     select * from r order by 1`,
];

test('what would take all memory or disk ends at a bound', TIMEOUT, async () => {
  for (const sql of BOMBS) {
    const ended = await attacked.query(sql).then(
      ({ truncated }) => truncated ?? 'answered whole',
      (thrown: unknown) => (thrown as { code: string }).code,
    );
    expect(['SQL_REFUSED', 'SQL_TIMEOUT', 'bytes'], sql).toContain(ended);
  }
});

test(
  'many at once are answered or told to come later, and the owner keeps a place',
  TIMEOUT,
  async () => {
    const asked = Array.from({ length: 40 }, () => attacked.query('select pg_sleep(2)'));
    const ended = Promise.allSettled(asked);
    expect((await asOwner(attacked.address, 'select 1 as one')).rows).toEqual([{ one: 1 }]);
    const codes = (await ended).map((one) =>
      one.status === 'fulfilled' ? 'answered' : (one.reason as { code: string }).code,
    );
    expect(codes).toContain('answered');
    expect(codes.filter((code) => !['answered', 'HOST_UNAVAILABLE'].includes(code))).toEqual([]);
  },
);

test(
  'the server was not harmed: it is the same process, and none of it was killed',
  TIMEOUT,
  async () => {
    expect(await attacked.state()).toEqual(attacked.begun);
    expect(logOf(attacked.world, attacked.id)).not.toMatch(/terminated by signal|PANIC|crash/);
  },
);
