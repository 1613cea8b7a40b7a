import { LineReader } from '../../../domain/common/line-reader.ts';
import { LogLineShape } from '../../../domain/hosting/api-shapes.ts';
import type { LogLine } from '../../../domain/hosting/records.ts';
import { read } from './asks.ts';
import { unavailable } from './faults.ts';
import type { RestClient } from './rest-client.ts';

/** Longest line of a tail, in characters. */
const LINE_CHARS_MAX = 1_048_576;
const DATA = 'data: ';

/**
 * Lines of a second host as they come, until the signal aborts. Where the answer breaks off this
 * fails: what was missed is in `logs.query`.
 *
 * @throws {AppError} `HOST_UNAVAILABLE`, and what the host refuses with.
 */
export async function* restTail(
  client: RestClient,
  resource: readonly string[],
  signal: AbortSignal,
): AsyncIterable<LogLine> {
  const query = new URLSearchParams(resource.map((id): [string, string] => ['resource', id]));
  const ask = read('logs/tail', query);
  const decoder = new TextDecoder();
  const lines = new LineReader();
  for await (const chunk of client.chunks(ask, signal)) {
    const complete = lines.push(decoder.decode(chunk, { stream: true }));
    if (lines.openChars > LINE_CHARS_MAX) throw unfit('a line of it has no end');
    for (const line of complete) {
      if (signal.aborted) return;
      // Empty lines and comments say that the host is there.
      if (line.startsWith(DATA)) yield lineOf(line.slice(DATA.length));
    }
  }
}

function lineOf(text: string): LogLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw unfit('a line of it is no JSON', cause);
  }
  const result = LogLineShape.safeParse(value);
  // JSON holds no undefined: a label that is there has a value.
  if (result.success) return result.data as LogLine;
  throw unfit('a line of it is no log line', result.error);
}

function unfit(why: string, cause?: unknown) {
  return unavailable({ kind: 'answer', asked: 'GET logs/tail', why, cause });
}
