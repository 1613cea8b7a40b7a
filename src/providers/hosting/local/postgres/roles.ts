import { Client } from 'pg';
import { SECOND_MS } from '../../../../domain/common/time.ts';
import type { Postgres } from '../../../../domain/hosting/records.ts';
import { ADMIN_ROLE, READER_ROLE } from './settings.ts';

/** Timeout for the administrator's connection, in milliseconds. */
const CONNECT_MS = 10 * SECOND_MS;
/** Timeout of one setup step, in milliseconds. */
const STEP_MS = 60 * SECOND_MS;

/** How to connect to a server as administrator. */
export interface AdminConnection {
  /** Folder of the socket. */
  readonly sockets: string;
  readonly port: number;
  readonly password: string;
}

/** Input for setting roles and privileges. */
export interface RolesInput {
  readonly record: Pick<Postgres, 'databaseName' | 'databaseUser'>;
  readonly ownerPassword: string;
  readonly readerPassword: string;
}

/** Limits of the read-only role, in addition to those of the plan. */
const READER_SETTINGS = {
  default_transaction_read_only: 'on',
  statement_timeout: '25s',
  lock_timeout: '5s',
  idle_in_transaction_session_timeout: '30s',
  temp_file_limit: '128MB',
  work_mem: '4MB',
  max_parallel_workers_per_gather: '0',
  jit: 'off',
} as const;
const READER_CONNECTIONS = 8;

/**
 * Functions that everybody can call and that do more than read: they hold locks, write large
 * objects or the log, and notify or end other sessions.
 */
const SIDE_EFFECT_FUNCTIONS = [
  ...['pg_advisory%', 'pg\\_try\\_advisory%', 'lo\\_%', 'lowrite', 'loread', 'pg_notify'],
  ...['pg_cancel_backend', 'pg_terminate_backend', 'pg_logical_emit_message'],
  ...['pg_export_snapshot', 'txid_current', 'pg_current_xact_id', 'pg_log_backend%'],
];

/** Runs work as the administrator of a server, over its socket. */
export async function asAdmin<T>(
  { sockets, port, password }: AdminConnection,
  database: string,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({
    host: sockets,
    port,
    database,
    user: ADMIN_ROLE,
    password,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: STEP_MS,
  });
  // Losing an idle connection must not crash the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Returns whether the server accepts the administrator's connection. */
export async function canConnect(admin: AdminConnection): Promise<boolean> {
  try {
    await asAdmin(admin, 'postgres', (client) => client.query('select 1'));
    return true;
  } catch {
    return false;
  }
}

/** Sets database, roles and privileges. Idempotent. */
export async function setRoles(admin: AdminConnection, order: RolesInput): Promise<void> {
  const { databaseName, databaseUser } = order.record;
  await asAdmin(admin, 'postgres', async (client) => {
    // Otherwise a failing statement would be logged with its password.
    await client.query('set log_min_error_statement = panic');
    const plain = 'login nosuperuser nocreatedb nocreaterole noreplication';
    await setRole(client, databaseUser, `${plain} nobypassrls`, order.ownerPassword);
    const reading = `${plain} bypassrls connection limit ${READER_CONNECTIONS}`;
    await setRole(client, READER_ROLE, reading, order.readerPassword);
    for (const [name, value] of Object.entries(READER_SETTINGS)) {
      await client.query(`alter role ${READER_ROLE} set ${name} = '${value}'`);
    }
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [
      databaseName,
    ]);
    if (rowCount === 0) {
      await client.query(
        `create database ${quoteIdentifier(databaseName)} owner ${quoteIdentifier(databaseUser)}`,
      );
    }
    await client.query(`revoke all on database ${quoteIdentifier(databaseName)} from public`);
    await client.query(
      `grant connect on database ${quoteIdentifier(databaseName)} to ${READER_ROLE}`,
    );
  });
  await asAdmin(admin, databaseName, (client) =>
    setPrivileges(client, quoteIdentifier(databaseUser)),
  );
}

async function setRole(
  client: Client,
  name: string,
  attributes: string,
  password: string,
): Promise<void> {
  const { rowCount } = await client.query('select 1 from pg_roles where rolname = $1', [name]);
  if (rowCount === 0) await client.query(`create role ${quoteIdentifier(name)}`);
  await client.query(
    `alter role ${quoteIdentifier(name)} ${attributes} password ${client.escapeLiteral(password)}`,
  );
}

async function setPrivileges(client: Client, owner: string): Promise<void> {
  for (const right of [
    `alter schema public owner to ${owner}`,
    'revoke all on schema public from public',
    `grant usage on schema public to ${READER_ROLE}`,
    `alter default privileges for role ${owner} grant usage on schemas to ${READER_ROLE}`,
    `alter default privileges for role ${owner} grant select on tables to ${READER_ROLE}`,
    `alter default privileges for role ${owner} grant select on sequences to ${READER_ROLE}`,
    'revoke usage on language plpgsql from public',
    `grant usage on language plpgsql to ${owner}`,
  ]) {
    await client.query(right);
  }
  const { rows } = await client.query<{ name: string }>(
    `select oid::regprocedure::text as name from pg_proc
     where pronamespace = 'pg_catalog'::regnamespace and proname like any ($1)
       and has_function_privilege('public', oid, 'execute')`,
    [SIDE_EFFECT_FUNCTIONS],
  );
  for (const { name } of rows) {
    await client.query(`revoke execute on function ${name} from public`);
    await client.query(`grant execute on function ${name} to ${owner}`);
  }
}

function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
