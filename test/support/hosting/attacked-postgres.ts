import type { SqlResult } from '../../../src/domain/hosting/records.ts';
import { availablePostgres } from '../../conformance/hosting/databases.ts';
import { type LocalWorld, localWorld } from './local-world.ts';
import { asOwner } from './owner.ts';

/** A Postgres with something to lose. */
export interface Attacked {
  readonly world: LocalWorld;
  readonly id: string;
  /** Of its owner. */
  readonly address: string;
  /** Everything that an attack could have changed, and since when the server runs. */
  state(): Promise<unknown>;
  /** What `state` gave before the first attack. */
  readonly begun: unknown;
  query(sql: string): Promise<SqlResult>;
}

const STATE = `select pg_postmaster_start_time()::text as begun,
  (select sum(balance) from accounts) as balance,
  (select last_value from numbers) as number,
  (select count(*) from pg_class) as classes,
  (select string_agg(rolname || rolsuper::text || coalesce(rolconfig::text, ''), ',' order by 1)
     from pg_roles) as roles,
  (select count(*) from pg_database) as databases,
  (select count(*) from pg_largeobject_metadata) as objects`;

/** Statements that were not refused as such, with what became of them. */
export async function passedOf(
  { query }: Attacked,
  statements: readonly string[],
): Promise<readonly string[]> {
  const passed: string[] = [];
  for (const sql of statements) {
    const ended = await query(sql).then(
      ({ rows }) => `answered ${JSON.stringify(rows).slice(0, 80)}`,
      (thrown: unknown) => (thrown as { code: string }).code,
    );
    if (ended !== 'SQL_REFUSED') passed.push(`${sql}: ${ended}`);
  }
  return passed;
}

/** Makes a Postgres of the smallest plan with accounts, and functions that run as their owner. */
export async function attackedPostgres(version = 16): Promise<Attacked> {
  const world = await localWorld();
  const { id } = await availablePostgres(world, 'books', version);
  const address = (await world.provider.postgres.connection(id)).internal;
  for (const sql of [
    'create table accounts (id int primary key, balance int)',
    'insert into accounts select g, 100 from generate_series(1, 1000) g',
    'create sequence numbers',
    `create function writes() returns int language plpgsql security definer as
       $$ begin update accounts set balance = 0; return 1; end $$`,
    `create function frees() returns int language plpgsql security definer as $$ begin
       set transaction_read_only = off; update accounts set balance = 0; return 1; end $$`,
  ]) {
    await asOwner(address, sql);
  }
  const state = async () => (await asOwner(address, STATE)).rows[0] as unknown;
  const query = (sql: string) =>
    world.provider.postgres.query(id, sql, new AbortController().signal);
  return { world, id, address, state, query, begun: await state() };
}
