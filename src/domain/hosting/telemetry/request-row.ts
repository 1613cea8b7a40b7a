import { z } from 'zod';
import type { LogLevel } from '../value-sets.ts';
import type { NewLogLine } from './log-ingest.ts';

/** Maximum length of a path in a log line, in characters. */
const PATH_CHARS_MAX = 1_024;

/**
 * An answered request in the router's spool: one line of JSON. It omits the query, which may
 * contain secrets, and the caller's address.
 */
export const RequestRow = z.object({
  /** Arrival time, in milliseconds since 1970. */
  at: z.number().int().min(0),
  /** Id of the service. */
  resource: z.string().min(1).max(64),
  instance: z.string().max(64).optional(),
  /** Requested host name in lower case, without the port. */
  host: z.string().max(253),
  method: z.string().min(1).max(32),
  path: z.string(),
  status: z.number().int().min(100).max(599),
  /** Time from the first byte of the request to the last byte of the response, in milliseconds. */
  ms: z.number().min(0).max(1e9),
  /** Size of the response, in bytes. */
  bytes: z.number().int().min(0),
});
/** A validated request row. */
export type RequestRow = z.infer<typeof RequestRow>;

/** Parses a line of the router's spool; `undefined` for a truncated or invalid line. */
export function parseRequestRow(line: string): RequestRow | undefined {
  try {
    const read = RequestRow.safeParse(JSON.parse(line));
    return read.success ? read.data : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Creates the log line of a request.
 *
 * @param end - End position of the row in the spool.
 */
export function toLogLine(row: RequestRow, end: number): NewLogLine {
  const path = (row.path.split(/[?#]/, 1)[0] ?? '').slice(0, PATH_CHARS_MAX);
  const statusCode = String(row.status);
  return {
    end,
    resource: row.resource,
    type: 'request',
    at: row.at,
    level: levelOfStatus(row.status),
    message: `${row.method} ${row.host}${path} ${statusCode} ${row.ms} ms ${row.bytes} B`,
    ...(row.instance !== undefined && { instance: row.instance }),
    host: row.host,
    statusCode,
    method: row.method,
    path,
  };
}

function levelOfStatus(status: number): LogLevel {
  if (status >= 500) return 'error';
  return status >= 400 ? 'warning' : 'info';
}
