import { DAY_MS } from '../../domain/common/time.ts';
import type { LogLine } from '../../domain/hosting/records.ts';
import type { LabelSet } from '../../domain/hosting/telemetry/log-filter.ts';
import type { NewLogLine } from '../../domain/hosting/telemetry/log-ingest.ts';
import { detectLevel } from '../../domain/hosting/telemetry/log-level.ts';
import { formatLogTime, MILLI_NANOS } from '../../domain/hosting/telemetry/log-time.ts';
import type { LogLevel } from '../../domain/hosting/value-sets.ts';
import type { StoredLine } from './hosting-log-chunk.ts';
import type { Lane } from './hosting-log-day.ts';

/** Maximum bytes of a line; a longer one is truncated with a mark. */
export const LINE_BYTES_MAX = 16 * 1024;
/** Maximum UTF-8 bytes of one UTF-16 unit. */
const UNIT_BYTES_MAX = 3;
/** Maximum shared label sets; beyond it the cache is cleared. */
const SHARED_SETS_MAX = 10_000;

/** Converts received lines to stored lines; equal labels share one object. */
export class LineEncoder {
  readonly #sets = new Map<string, LabelSet>();
  /** The last label set of each level, because the next line usually has the same. */
  readonly #last = new Map<LogLevel, LabelSet>();

  /**
   * Converts one line.
   *
   * @param nano - The line's position.
   */
  encode(line: NewLogLine, nano: number): StoredLine {
    const message = truncateMessage(line.message);
    return { nano, set: this.#labelSet(line, message), path: line.path ?? '', message };
  }

  #labelSet(line: NewLogLine, message: string): LabelSet {
    const level = line.level ?? detectLevel(message);
    const { instance = '', host = '', statusCode = '', method = '' } = line;
    const last = this.#last.get(level);
    if (last?.instance === instance && hasSameLabels(last, { host, statusCode, method }))
      return last;
    const set = this.#sharedSet({ level, instance, host, statusCode, method });
    this.#last.set(level, set);
    return set;
  }

  #sharedSet(set: LabelSet): LabelSet {
    const { level, instance, host, statusCode, method } = set;
    const name = `${level}\n${instance}\n${host}\n${statusCode}\n${method}`;
    const known = this.#sets.get(name);
    if (known !== undefined) return known;
    if (this.#sets.size >= SHARED_SETS_MAX) this.#sets.clear();
    this.#sets.set(name, set);
    return set;
  }
}

/** Converts a stored line to its public form. */
export function toLogLine(
  day: number,
  { resource, type }: Lane,
  { nano, set, path, message }: StoredLine,
): LogLine {
  const ms = day * DAY_MS + Math.floor(nano / MILLI_NANOS);
  const { level, instance, host, statusCode, method } = set;
  return {
    id: `${resource}-${ms}-${String(nano % MILLI_NANOS).padStart(6, '0')}`,
    timestamp: formatLogTime({ day, nano }),
    message,
    labels: {
      resource,
      type,
      level,
      ...(instance !== '' && { instance }),
      ...(host !== '' && { host }),
      ...(statusCode !== '' && { statusCode }),
      ...(method !== '' && { method }),
      ...(path !== '' && { path }),
    },
  };
}

function hasSameLabels(
  one: LabelSet,
  other: Pick<LabelSet, 'host' | 'statusCode' | 'method'>,
): boolean {
  const { host, statusCode, method } = other;
  return one.host === host && one.statusCode === statusCode && one.method === method;
}

function truncateMessage(message: string): string {
  if (message.length * UNIT_BYTES_MAX <= LINE_BYTES_MAX) return message;
  const bytes = Buffer.from(message);
  if (bytes.length <= LINE_BYTES_MAX) return message;
  let cut = LINE_BYTES_MAX;
  // Characters are never split.
  while (((bytes[cut] ?? 0) & 0b1100_0000) === 0b1000_0000) cut -= 1;
  return `${bytes.subarray(0, cut).toString()} [${bytes.length - cut} bytes cut]`;
}
