import { readTextWithin } from '../../domain/bounded-bytes.ts';
import { AppError } from '../../domain/error.ts';
import { LineReader } from '../../domain/line-reader.ts';

/** Most bytes of one answer, or of one event of a stream. */
export const ANSWER_BYTES_MAX = 32 * 1024 * 1024;

/** Reads a whole body as text. */
export async function readText(body: ReadableStream<Uint8Array> | null): Promise<string> {
  return await readTextWithin(body, ANSWER_BYTES_MAX);
}

/** Reads the data of the events of a stream, one after the other. */
export async function* readEvents(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  let data: string[] = [];
  let chars = 0;
  for await (const line of linesOf(body)) {
    // Lines that are no data count as well: an event may be nothing but such lines.
    chars += line.length + 1;
    if (chars > ANSWER_BYTES_MAX) throw tooLarge();
    if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
    if (line !== '') continue;
    const event = data.join('\n');
    data = [];
    chars = 0;
    if (event !== '') yield event;
  }
}

async function* linesOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  const lines = new LineReader();
  for await (const part of decoded(body)) {
    for (const line of lines.push(part)) yield line;
    if (lines.openChars > ANSWER_BYTES_MAX) throw tooLarge();
  }
}

async function* decoded(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  if (body === null) return;
  const decoder = new TextDecoder();
  for await (const chunk of body) yield decoder.decode(chunk, { stream: true });
}

function tooLarge(): AppError {
  return new AppError('EGRESS_TOO_LARGE', { data: { allowed: ANSWER_BYTES_MAX } });
}
