import { LineReader } from '../../../domain/common/line-reader.ts';
import { LogLineShape } from '../../../domain/hosting/api-shapes.ts';
import type { LogLine } from '../../../domain/hosting/records.ts';
import { unavailableError } from './errors.ts';
import { getRequest } from './requests.ts';
import type { RestClient } from './rest-client.ts';

/** Maximum length of a line, in characters. */
const LINE_CHARS_MAX = 1_048_576;
const DATA = 'data: ';

/**
 * Yields log lines of a second host until the signal aborts. It fails if the response breaks off;
 * `logs.query` has the missed lines.
 *
 * @throws {AppError} `HOST_UNAVAILABLE`, and the host's own errors.
 */
export async function* tailLogs(
  client: RestClient,
  resource: readonly string[],
  signal: AbortSignal,
): AsyncIterable<LogLine> {
  const query = new URLSearchParams(resource.map((id): [string, string] => ['resource', id]));
  const request = getRequest('logs/tail', query);
  const decoder = new TextDecoder();
  const lines = new LineReader();
  for await (const chunk of client.chunks(request, signal)) {
    const complete = lines.push(decoder.decode(chunk, { stream: true }));
    if (lines.openChars > LINE_CHARS_MAX) throw unusableLineError('it contains an endless line');
    for (const line of complete) {
      if (signal.aborted) return;
      // Empty lines and comments are heartbeats.
      if (line.startsWith(DATA)) yield parseLine(line.slice(DATA.length));
    }
  }
}

function parseLine(text: string): LogLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw unusableLineError('it contains a line that is not valid JSON', cause);
  }
  const result = LogLineShape.safeParse(value);
  // JSON has no undefined, so the parsed labels match the type.
  if (result.success) return result.data as LogLine;
  throw unusableLineError('it contains a line that is not a log line', result.error);
}

function unusableLineError(why: string, cause?: unknown) {
  return unavailableError({ kind: 'answer', asked: 'GET logs/tail', why, cause });
}
