import type { HostingProvider, LogFilters, LogQuery } from '../../../src/domain/hosting/hosting.ts';
import { formatInstant, parseInstant } from '../../../src/domain/hosting/instant.ts';
import type { LogLabels, LogLine, LogPage } from '../../../src/domain/hosting/records.ts';
import {
  type CompiledLogFilter,
  compileLogFilters,
} from '../../../src/domain/hosting/telemetry/log-filter.ts';
import { invalidParameter, missingResourceError } from './paging.ts';
import type { MemoryState } from './state.ts';

const NANOS_PER_MS = 1_000_000n;
const LOG_ROWS_MAX = 100;
/** Maximum lines kept; the oldest are dropped first. */
const LINES_MAX = 100_000;
/** How often a tail checks whether it is still wanted, in milliseconds. */
const TAIL_LOOK_MS = 10;

/** Adds a line. The digits below the millisecond make its timestamp unique. */
export function writeLine(state: MemoryState, labels: LogLabels, message: string): LogLine {
  const { clock } = state.options;
  const at = BigInt(clock.now()) * NANOS_PER_MS;
  const before = state.lines.at(-1);
  const last = before === undefined ? undefined : parseInstant(before.timestamp);
  const nanos = last !== undefined && last >= at ? last + 1n : at;
  const timestamp = formatInstant(nanos);
  const line = { id: `${labels.resource}:${nanos}:${state.next()}`, timestamp, message, labels };
  state.lines.push(line);
  if (state.lines.length > LINES_MAX) state.lines.shift();
  return line;
}

/** Reads logs from memory. */
export function createMemoryLogs(state: MemoryState): HostingProvider['logs'] {
  return {
    query: async (query) => queryLines(state, query),
    labelValues: async ({ label, ...filters }) => {
      const values = filterLines(state, filters).flatMap(({ labels }) => labels[label] ?? []);
      return [...new Set(values)].sort();
    },
    tail: (filters, signal) => tailLines(state, filters.resource, signal),
  };
}

function queryLines(state: MemoryState, query: LogQuery): LogPage {
  const { limit, direction, startTime, endTime } = query;
  if (!Number.isInteger(limit) || limit < 1 || limit > LOG_ROWS_MAX) {
    throw invalidParameter('limit', limit, `an integer from 1 to ${LOG_ROWS_MAX}`);
  }
  const found = filterLines(state, query);
  if (direction === 'backward') found.reverse();
  const logs = found.slice(0, limit);
  const last = logs.at(-1)?.timestamp;
  const hasMore = found.length > limit;
  if (last === undefined) return { logs, hasMore, nextStartTime: startTime, nextEndTime: endTime };
  if (direction === 'backward') {
    return { logs, hasMore, nextStartTime: startTime, nextEndTime: last };
  }
  const afterLast = formatInstant(parseTime('startTime', last) + 1n);
  return { logs, hasMore, nextStartTime: afterLast, nextEndTime: endTime };
}

/** Returns the lines that pass the filters, oldest first. */
function filterLines(state: MemoryState, filters: LogFilters): LogLine[] {
  for (const id of filters.resource) assertExists(state, id);
  const start = parseTime('startTime', filters.startTime);
  const end = parseTime('endTime', filters.endTime);
  const sieve = compileLogFilters(filters);
  return state.lines.filter((line) => {
    const at = parseInstant(line.timestamp) ?? 0n;
    const isOne = filters.resource.includes(line.labels.resource);
    return isOne && at >= start && at < end && matchesFilters(line, sieve);
  });
}

function matchesFilters({ labels, message }: LogLine, sieve: CompiledLogFilter): boolean {
  const { level, instance = '', host = '', statusCode = '', method = '', path = '' } = labels;
  if (!sieve.types.includes(labels.type)) return false;
  if (sieve.labels?.({ level, instance, host, statusCode, method }) === false) return false;
  if (sieve.path?.(path) === false) return false;
  return sieve.text?.(message) !== false;
}

function assertExists({ services, postgres, keyValue }: MemoryState, id: string): void {
  if (services.has(id) || postgres.has(id) || keyValue.has(id)) return;
  throw missingResourceError(id);
}

function parseTime(path: string, text: string): bigint {
  const at = parseInstant(text);
  if (at === undefined) throw invalidParameter(path, text, 'an RFC 3339 time');
  return at;
}

async function* tailLines(state: MemoryState, resource: readonly string[], signal: AbortSignal) {
  for (const id of resource) assertExists(state, id);
  let last = state.lines.at(-1)?.id;
  while (!signal.aborted) {
    const from = last === undefined ? 0 : state.lines.findIndex(({ id }) => id === last) + 1;
    const newLines = state.lines.slice(from);
    last = state.lines.at(-1)?.id;
    yield* newLines.filter(({ labels }) => resource.includes(labels.resource));
    await new Promise<void>((resolve) => {
      setTimeout(resolve, TAIL_LOOK_MS);
    });
  }
}
