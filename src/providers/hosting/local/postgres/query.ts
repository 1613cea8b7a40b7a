import { connect } from 'node:net';
import { Client, types } from 'pg';
import { AppError } from '../../../../domain/common/error.ts';
import { SECOND_MS } from '../../../../domain/common/time.ts';
import type { SqlResult } from '../../../../domain/hosting/records.ts';
import { type FetchedRows, fetchRows, parseStatement, type SqlColumn } from './read-statement.ts';

/** Maximum rows of a result. */
export const ROWS_MAX = 1_000;
/** Maximum characters of all rows of a result, as JSON. */
export const CHARS_MAX = 1_048_576;
/** Maximum bytes read for a result: one value may be larger than everything kept. */
export const READ_BYTES_MAX = 4 * CHARS_MAX;
/** Maximum bytes that a server sends in one session: greeting, columns, errors, rows. */
const SESSION_BYTES_MAX = READ_BYTES_MAX + 2 * CHARS_MAX;
/** Maximum characters of the server's message about a statement, which may repeat a whole value. */
const MESSAGE_CHARS_MAX = 2_000;
/** Timeout of a statement, in milliseconds; the server's own timeout is shorter. */
const STATEMENT_MS = 30 * SECOND_MS;
const CONNECT_MS = 10 * SECOND_MS;
const CANCEL_MS = 2 * SECOND_MS;
/** Code of a cancel request in the Postgres protocol. */
const CANCEL_CODE = 80_877_102;

/** Target of a statement: the external address, with the read-only role. */
export interface ReadTarget {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
}

/** Overrides of the default bounds. */
export interface ReadBounds {
  readonly statementMs?: number;
}

/**
 * Runs one statement that returns rows in a read-only transaction, limited in rows, characters and
 * time. A statement without a result set is never run.
 *
 * @throws {AppError} `SQL_REFUSED` with the server's code and message, `SQL_TIMEOUT`, `SQL_BLOCKED`
 * if the server admits nobody from here, `HOST_UNAVAILABLE`.
 */
export async function queryReadOnly(
  target: ReadTarget,
  sql: string,
  signal: AbortSignal,
  { statementMs = STATEMENT_MS }: ReadBounds = {},
): Promise<SqlResult> {
  signal.throwIfAborted();
  const client = new Client({ ...target, connectionTimeoutMillis: CONNECT_MS, ssl: false });
  client.on('error', () => undefined);
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(timeoutError(statementMs)), statementMs);
  const end = AbortSignal.any([signal, ending.signal]);
  const stop = (): void => void cancelStatement(client, target);
  // A larger message is never assembled: the connection is closed before it is complete.
  const { stream } = client.connection;
  let left = SESSION_BYTES_MAX;
  stream.on('data', (chunk: Buffer) => {
    left -= chunk.byteLength;
    if (left < 0) stream.destroy();
  });
  try {
    await connectClient(client);
    end.throwIfAborted();
    end.addEventListener('abort', stop, { once: true });
    return await runQuery(client, sql, end);
  } catch (thrown) {
    signal.throwIfAborted();
    ending.signal.throwIfAborted();
    throw toSqlError(thrown);
  } finally {
    clearTimeout(timer);
    end.removeEventListener('abort', stop);
    client.connection.stream.destroy();
  }
}

async function runQuery(client: Client, sql: string, end: AbortSignal): Promise<SqlResult> {
  // After the second statement, the transaction can no longer be switched to read-write.
  await client.query('begin transaction read only');
  await client.query('select 1');
  const columns = await rejectOnAbort(end, parseStatement(client, sql));
  const named = await describeColumns(client, columns);
  const bounds = { rows: ROWS_MAX, chars: CHARS_MAX, readBytes: READ_BYTES_MAX };
  const fetched = await rejectOnAbort(end, fetchRows(client, bounds));
  return toAnswer(named, columns, fetched);
}

function toAnswer(
  columns: SqlResult['columns'],
  fields: readonly SqlColumn[],
  { rows, truncated }: FetchedRows,
): SqlResult {
  const read = rows.map((row) => row.map((text, at) => parseValue(fields[at]?.oid ?? 0, text)));
  return { columns, rows: read, ...(truncated === undefined ? {} : { truncated }) };
}

async function describeColumns(
  client: Client,
  columns: readonly SqlColumn[],
): Promise<SqlResult['columns']> {
  const oids = [...new Set(columns.map(({ oid }) => oid))];
  const { rows } = await client.query<{ oid: number; name: string }>(
    'select oid, pg_catalog.format_type(oid, null) as name from unnest($1::oid[]) as oid',
    [oids],
  );
  const names = new Map(rows.map(({ oid, name }) => [oid, name]));
  return columns.map(({ name, oid }) => ({ name, type: names.get(oid) ?? 'unknown' }));
}

/** Converts exact numbers to numbers; longer ones stay as text. */
function parseValue(oid: number, text: string | null): string | number | boolean | null {
  const { BOOL, INT2, INT4, OID, FLOAT4, FLOAT8 } = types.builtins;
  if (text === null) return null;
  if (oid === BOOL) return text === 't';
  if (oid === INT2 || oid === INT4 || oid === OID) return Number(text);
  if (oid !== FLOAT4 && oid !== FLOAT8) return text;
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}

async function connectClient(client: Client): Promise<void> {
  try {
    await client.connect();
  } catch (cause) {
    const code = getErrorCode(cause);
    if (code === '28000') {
      const message = 'The IP allowlist of the database does not contain this machine.';
      throw new AppError('SQL_BLOCKED', { message, cause });
    }
    const isBusy = code === '53300' || code === '53400';
    const why = isBusy ? 'has no free connection for another statement' : 'does not respond';
    throw new AppError('HOST_UNAVAILABLE', { message: `The database ${why}.`, cause });
  }
}

/** Rejects on abort, whether or not the server responds. */
function rejectOnAbort<T>(end: AbortSignal, work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return new Promise<T>((resolve, reject) => {
    const stop = (): void => reject(end.reason);
    if (end.aborted) return stop();
    end.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => end.removeEventListener('abort', stop));
  });
}

/** Asks the server to cancel the statement, which continues after a closed connection. */
async function cancelStatement(client: Client, { host, port }: ReadTarget): Promise<void> {
  // The client has these members, but its types do not.
  const processID: unknown = Reflect.get(client, 'processID');
  const secretKey: unknown = Reflect.get(client, 'secretKey');
  if (typeof processID !== 'number' || typeof secretKey !== 'number') return;
  const request = Buffer.alloc(16);
  request.writeInt32BE(16, 0);
  request.writeInt32BE(CANCEL_CODE, 4);
  request.writeInt32BE(processID, 8);
  request.writeInt32BE(secretKey, 12);
  const socket = connect({ host, port, timeout: CANCEL_MS });
  socket.on('error', () => undefined);
  socket.on('timeout', () => socket.destroy());
  socket.end(request);
}

function toSqlError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const code = getErrorCode(thrown);
  const whole = thrown instanceof Error ? thrown.message : String(thrown);
  const excerpt = whole.slice(0, MESSAGE_CHARS_MAX);
  if (code === '57014' || code === '25P03') {
    return new AppError('SQL_TIMEOUT', { message: `The statement was canceled: ${excerpt}` });
  }
  // Server codes have five characters. These classes mean a lost server or connection, except for
  // one: a statement that expects parameters.
  if (!/^[0-9A-Z]{5}$/.test(code) || /^(57P|08(?!P01))/.test(code)) {
    const message = 'The database closed the connection before the statement finished.';
    return new AppError('HOST_UNAVAILABLE', { message, cause: thrown });
  }
  const { position, hint } = thrown as { position?: string; hint?: string };
  return new AppError('SQL_REFUSED', {
    message: `${code}: ${excerpt}`,
    data: {
      code,
      ...(position === undefined ? {} : { position }),
      ...(hint === undefined ? {} : { hint: hint.slice(0, MESSAGE_CHARS_MAX) }),
    },
    cause: thrown,
  });
}

function getErrorCode(thrown: unknown): string {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : '';
  return typeof code === 'string' ? code : '';
}

function timeoutError(limitMs: number): AppError {
  const message = `The statement exceeded ${limitMs / SECOND_MS} s and was canceled.`;
  return new AppError('SQL_TIMEOUT', { message, data: { limitMs } });
}
