import { expect } from 'vitest';
import { availablePostgres } from './databases.ts';
import type { Claim } from './suite.ts';
import { type HostingWorld, refused } from './world.ts';

/** Statements that change, reach outside or go on after the first one. */
const REFUSED = [
  'create table t (a int)',
  'insert into t values (1)',
  'drop table pg_class',
  "copy (select 1) to program 'id'",
  "select pg_read_file('/etc/passwd')",
  'select 1; select 2',
  'commit; create table t (a int)',
  'set transaction read write',
  "select lo_import('/etc/passwd')",
  "do $$ begin raise notice 'x'; end $$",
];

/** Claims about statements, for providers that have a database behind their records. */
export function sqlClaims(claim: Claim): void {
  const ask = async (world: HostingWorld, sql: string) => {
    const { id } = await availablePostgres(world);
    return world.provider.postgres.query(id, sql, new AbortController().signal);
  };
  const claimSql: Claim = (name, run) =>
    claim(`SQL: ${name}`, async (world) => {
      if (world.runsSql) await run(world);
      else await refused(ask(world, 'select 1'), 'SQL_REFUSED');
    });

  claimSql('columns keep their order and equal names, rows their types', async (world) => {
    const sql = "select 1 as a, 'x' as a, null as b, true as c, 1.5::float8 as d";
    const answer = await ask(world, sql);
    expect(answer.columns.map(({ name }) => name)).toEqual(['a', 'a', 'b', 'c', 'd']);
    expect(answer.rows).toEqual([[1, 'x', null, true, 1.5]]);
    expect(answer.truncated).toBeUndefined();
  });

  claimSql(
    'what writes, reaches outside or is more than one statement is refused',
    async (world) => {
      const { id } = await availablePostgres(world);
      const { postgres } = world.provider;
      for (const sql of REFUSED) {
        await refused(postgres.query(id, sql, new AbortController().signal), 'SQL_REFUSED');
      }
      const after = await postgres.query(id, 'select 1', new AbortController().signal);
      expect(after.rows).toEqual([[1]]);
    },
  );

  claimSql('a long answer is cut and says so', async (world) => {
    const answer = await ask(world, 'select g from generate_series(1, 1000000) g');
    expect(answer.truncated).toBeDefined();
    expect(answer.rows.length).toBeGreaterThan(0);
    expect(answer.rows.length).toBeLessThanOrEqual(10_000);
  });

  claimSql('a caller that goes ends its statement', async (world) => {
    const { id } = await availablePostgres(world);
    const gone = new AbortController();
    const asked = world.provider.postgres.query(id, 'select pg_sleep(600)', gone.signal);
    gone.abort();
    await expect(asked).rejects.toBeDefined();
  });
}
