import { AppError } from '../../domain/error.ts';

/** Most bytes of one answer, or of one event of a stream. */
export const ANSWER_BYTES_MAX = 32 * 1024 * 1024;

/** Reads a whole body as text. */
export async function readText(body: ReadableStream<Uint8Array> | null): Promise<string> {
  let text = '';
  for await (const part of decoded(body)) {
    text += part;
    if (text.length > ANSWER_BYTES_MAX) throw tooLarge();
  }
  return text;
}

/** Reads the data of the events of a stream, one after the other. */
export async function* readEvents(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  let data: string[] = [];
  for await (const line of linesOf(body)) {
    if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
    if (line !== '') continue;
    const event = data.join('\n');
    data = [];
    if (event !== '') yield event;
  }
}

async function* linesOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  let rest = '';
  for await (const part of decoded(body)) {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
    if (rest.length > ANSWER_BYTES_MAX) throw tooLarge();
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
