import { CHUNKS_MAX, iterateChunks, readTextWithin } from '../../domain/common/bounded-bytes.ts';
import { AppError } from '../../domain/common/error.ts';
import { LineReader } from '../../domain/common/line-reader.ts';

/** Most bytes in one answer or in one event of a stream. */
export const ANSWER_BYTES_MAX = 32 * 1024 * 1024;

/** Reads a whole body as text. */
export async function readText(
  body: ReadableStream<Uint8Array> | null,
  signal?: AbortSignal,
): Promise<string> {
  const ending = signal === undefined ? {} : { signal };
  return await readTextWithin(body, { bytesMax: ANSWER_BYTES_MAX, ...ending });
}

/** Yields the data of each event of a stream in order. */
export async function* readEvents(
  body: ReadableStream<Uint8Array> | null,
  signal?: AbortSignal,
): AsyncGenerator<string> {
  const events = new EventParser();
  for await (const part of decodeText(body, signal)) yield* events.push(part);
}

/** Parses the data of events from text chunks. */
class EventParser {
  readonly #lines = new LineReader();
  #data: string[] = [];
  /** Characters of the unfinished event, including lines that are not data. */
  #chars = 0;
  #pieces = 0;

  *push(part: string): Iterable<string> {
    this.#pieces += 1;
    for (const line of this.#lines.push(part)) {
      const event = this.#take(line);
      if (event !== '') yield event;
    }
    const chars = this.#chars + this.#lines.openChars;
    if (chars > ANSWER_BYTES_MAX || this.#pieces > CHUNKS_MAX) throw tooLarge();
  }

  #take(line: string): string {
    this.#chars += line.length + 1;
    if (line.startsWith('data:')) this.#data.push(line.slice(line[5] === ' ' ? 6 : 5));
    if (line !== '') return '';
    const event = this.#data.join('\n');
    this.#data = [];
    [this.#chars, this.#pieces] = [0, 0];
    return event;
  }
}

async function* decodeText(
  body: ReadableStream<Uint8Array> | null,
  signal: AbortSignal | undefined,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of iterateChunks(body, signal))
    yield decoder.decode(chunk, { stream: true });
}

function tooLarge(): AppError {
  return new AppError('EGRESS_TOO_LARGE', { data: { allowed: ANSWER_BYTES_MAX } });
}
