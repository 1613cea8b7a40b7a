import { z } from 'zod';
import type { LogLevel } from '../value-sets.ts';
import type { NewLogLine } from './hosting-telemetry.ts';

/** Most characters of a path that a log line keeps. */
const PATH_CHARS_MAX = 1_024;

/**
 * One answered request, as the router writes it to its spool: one line of JSON. It has neither the
 * query of the address, which may hold secrets, nor the address of the caller.
 */
export const RequestRow = z.object({
  /** When the request came, in milliseconds since 1970. */
  at: z.number().int().min(0),
  /** Id of the service. */
  resource: z.string().min(1).max(64),
  instance: z.string().max(64).optional(),
  /** Name of the host that was asked, in lower case, without the port. */
  host: z.string().max(253),
  method: z.string().min(1).max(32),
  path: z.string(),
  status: z.number().int().min(100).max(599),
  /** From the request's first byte to the answer's last one, in milliseconds. */
  ms: z.number().min(0).max(1e9),
  /** Bytes of the answer. */
  bytes: z.number().int().min(0),
});
/** See the schema. */
export type RequestRow = z.infer<typeof RequestRow>;

/** Reads a line of the router's spool; `undefined` for one that was cut or is none. */
export function parseRequestRow(line: string): RequestRow | undefined {
  try {
    const read = RequestRow.safeParse(JSON.parse(line));
    return read.success ? read.data : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The log line of a request.
 *
 * @param end - Where the row ends in the spool.
 */
export function requestLine(row: RequestRow, end: number): NewLogLine {
  const path = (row.path.split(/[?#]/, 1)[0] ?? '').slice(0, PATH_CHARS_MAX);
  const statusCode = String(row.status);
  return {
    end,
    resource: row.resource,
    type: 'request',
    at: row.at,
    level: levelOf(row.status),
    message: `${row.method} ${row.host}${path} ${statusCode} ${row.ms} ms ${row.bytes} B`,
    ...(row.instance !== undefined && { instance: row.instance }),
    host: row.host,
    statusCode,
    method: row.method,
    path,
  };
}

function levelOf(status: number): LogLevel {
  if (status >= 500) return 'error';
  return status >= 400 ? 'warning' : 'info';
}
