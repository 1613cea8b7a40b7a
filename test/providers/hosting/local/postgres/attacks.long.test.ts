import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Attacked, attackedPostgres } from '../../../../support/hosting/attacked-postgres.ts';
import { logOf } from '../../../../support/hosting/owner.ts';

const TIMEOUT = { timeout: 900_000 };
let attacked: Attacked;

beforeAll(async () => {
  attacked = await attackedPostgres();
}, TIMEOUT.timeout);
afterAll(() => attacked.world.close(), TIMEOUT.timeout);

/** Statements that would take all time, with memory or disk beside it. */
const BOMBS = [
  'with recursive r as (select 1 as n union all select n + 1 from r) select count(*) from r',
  'select count(*) from accounts a, accounts b, accounts c, accounts d',
  'select * from generate_series(1, 100000000) g order by md5(g::text)',
  'select jsonb_agg(g) from generate_series(1, 30000000) g',
  'select factorial(100000)',
  `select set_config('statement_timeout', '0', false), pg_sleep(600)`,
];

test('what would take all time ends at a bound, and goes on nowhere', TIMEOUT, async () => {
  for (const sql of BOMBS) {
    const ended = await attacked.query(sql).then(
      ({ truncated }) => truncated ?? 'answered whole',
      (thrown: unknown) => (thrown as { code: string }).code,
    );
    expect(['SQL_REFUSED', 'SQL_TIMEOUT'], sql).toContain(ended);
  }
  expect(await attacked.state()).toEqual(attacked.begun);
  expect(logOf(attacked.world, attacked.id)).not.toMatch(/terminated by signal|PANIC|crash/);
});
