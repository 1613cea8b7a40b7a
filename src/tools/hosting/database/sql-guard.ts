import type { z } from 'zod';
import { AppError } from '../../../domain/common/error.ts';
import { SECOND_MS } from '../../../domain/common/time.ts';
import type { AllowedRange, Postgres, SqlResult } from '../../../domain/hosting/records.ts';
import type { HostingToolDeps } from '../hosting-tool.ts';

/** Limits of one statement and its answer. */
export const SQL_BOUNDS = {
  statementChars: 100_000,
  timeoutMs: 30 * SECOND_MS,
  rows: 1_000,
  /** Characters of all cells together. */
  answerChars: 1_000_000,
} as const;

/** First words of read-only statements. The database also rejects writes by itself. */
const READ_KEYWORDS = ['select', 'with', 'values', 'table', 'show', 'explain'];
/** Every IPv4 and every IPv6 address. */
const OPEN_RANGES = ['0.0.0.0/0', '::/0'];

/** Adds an issue for a statement that is not read-only. */
export function checkStatement(sql: string, context: z.RefinementCtx): void {
  const fault = statementError(sql);
  if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
}

function statementError(sql: string): string | undefined {
  if (sql.includes('\0')) return 'a statement without NUL characters';
  const [first = ''] = /^[a-z]+/i.exec(stripLeadingComments(sql)) ?? [];
  if (first === '') return 'one SQL statement; it cannot be empty';
  if (READ_KEYWORDS.includes(first.toLowerCase())) return undefined;
  return `one read-only statement that begins with ${READ_KEYWORDS.join(', ').toUpperCase()}`;
}

/** Returns a statement without leading comments, parentheses and white space. */
function stripLeadingComments(sql: string): string {
  let rest = sql;
  for (;;) {
    const lead = /^(?:[\s(]+|--[^\n]*(?:\n|$))/.exec(rest)?.[0] ?? '';
    rest = rest.slice(lead.length);
    if (rest.startsWith('/*')) rest = skipBlockComment(rest);
    else if (lead === '') return rest;
  }
}

/** Returns what follows a block comment. Postgres comments nest. */
function skipBlockComment(sql: string): string {
  let depth = 0;
  for (const mark of sql.matchAll(/\/\*|\*\//g)) {
    depth += mark[0] === '/*' ? 1 : -1;
    if (depth === 0) return sql.slice(mark.index + 2);
  }
  return '';
}

/**
 * Rejects a database that this server cannot connect to, without trying.
 *
 * @throws {AppError} `SQL_BLOCKED` for an empty allowlist, and on a hosted server for an allowlist
 * that is not open to every address; `HOST_UNAVAILABLE` for a database that is not available.
 */
export function requireReachable(postgres: Postgres, isHosted: boolean): void {
  const { id, name, ipAllowList, status, dashboardUrl } = postgres;
  if (ipAllowList.length === 0) {
    throw new AppError('SQL_BLOCKED', {
      message:
        `postgresId: received ${JSON.stringify(id)}, allowed: a database whose IP allowlist is ` +
        `not empty. External connections to ${name} are blocked, so none was tried. Allow an ` +
        `address in its settings: ${dashboardUrl}`,
      data: { postgres: id, ip_allow_list: [] },
    });
  }
  if (isHosted && !isOpenToAll(ipAllowList)) {
    throw new AppError('SQL_BLOCKED', {
      message:
        `postgresId: received ${JSON.stringify(id)}, allowed: a database that every address may ` +
        `connect to. ${name} is restricted by IP, and this hosted server has no IP address to ` +
        'allowlist. Run the server locally and allow its address.',
      data: { postgres: id, ip_allow_list: ipAllowList.map(({ cidrBlock }) => cidrBlock) },
    });
  }
  if (status === 'available') return;
  const message = `Postgres ${name} (${id}) is ${status}. Query it once it is available.`;
  throw new AppError('HOST_UNAVAILABLE', { message, data: { postgres: id, status } });
}

function isOpenToAll(ranges: readonly AllowedRange[]): boolean {
  return ranges.some(({ cidrBlock }) => OPEN_RANGES.includes(cidrBlock));
}

/**
 * Runs a statement within the limits on time, rows and characters, whatever the provider allows.
 *
 * @throws {AppError} `SQL_TIMEOUT`, and the errors of the provider.
 */
export async function runWithLimits(
  { provider, clock }: HostingToolDeps,
  id: string,
  sql: string,
  signal: AbortSignal,
): Promise<SqlResult> {
  const timeout = new AbortController();
  const cancelTimer = clock.at(clock.now() + SQL_BOUNDS.timeoutMs, () => timeout.abort());
  try {
    return truncate(
      await provider.postgres.query(id, sql, AbortSignal.any([signal, timeout.signal])),
    );
  } catch (cause) {
    if (!timeout.signal.aborted) throw cause;
    const message = `The statement was canceled after ${SQL_BOUNDS.timeoutMs / SECOND_MS} s.`;
    throw new AppError('SQL_TIMEOUT', { message, data: { postgres: id }, cause });
  } finally {
    cancelTimer();
  }
}

function truncate(answer: SqlResult): SqlResult {
  const { columns } = answer;
  let chars = 0;
  const rows: SqlResult['rows'][number][] = [];
  for (const row of answer.rows) {
    if (rows.length >= SQL_BOUNDS.rows) return { columns, rows, truncated: 'rows' };
    chars += row.reduce<number>((sum, cell) => sum + String(cell).length, 0);
    if (chars > SQL_BOUNDS.answerChars) return { columns, rows, truncated: 'bytes' };
    rows.push(row);
  }
  return answer;
}
