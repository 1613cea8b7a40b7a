import { AppError } from './error.ts';

/** Default limit for response bytes in command line programs. */
export const RESPONSE_BYTES_MAX = 16 * 1024 * 1024;
/** Maximum number of chunks in one response; the overhead of more is not visible in its bytes. */
export const CHUNKS_MAX = 50_000;
const INITIAL_CAPACITY_BYTES = 16_384;

/**
 * A growing buffer with a byte limit. Chunks are copied into one array, so that many small ones use
 * no more memory than their bytes.
 */
export class BoundedBytes {
  readonly #bytesMax: number;
  #room = new Uint8Array(INITIAL_CAPACITY_BYTES);
  #size = 0;
  #pieces = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** @throws {AppError} `EGRESS_TOO_LARGE` above the limit for bytes or chunks. */
  add(chunk: Uint8Array): void {
    this.#pieces += 1;
    const size = this.#size + chunk.byteLength;
    if (size > this.#bytesMax) throw responseTooLarge({ part: 'body', allowed: this.#bytesMax });
    if (this.#pieces > CHUNKS_MAX) throw responseTooLarge({ part: 'pieces', allowed: CHUNKS_MAX });
    if (size > this.#room.byteLength) this.#grow(size);
    this.#room.set(chunk, this.#size);
    this.#size = size;
  }

  /** Returns a copy of the bytes received so far. */
  bytes(): Uint8Array<ArrayBuffer> {
    return this.#room.slice(0, this.#size);
  }

  text(): string {
    return new TextDecoder().decode(this.#room.subarray(0, this.#size));
  }

  #grow(size: number): void {
    const buffer = new Uint8Array(Math.min(this.#bytesMax, Math.max(size, 2 * this.#size)));
    buffer.set(this.#room.subarray(0, this.#size));
    this.#room = buffer;
  }
}

/** Options for reading a body. */
export interface BodyReadOptions {
  readonly bytesMax?: number;
  /** Also stops waiting: a body under decompression may not notice an abort. */
  readonly signal?: AbortSignal;
}

/**
 * Reads a body as text within a byte limit, counted after decompression.
 *
 * @throws {AppError} `EGRESS_TOO_LARGE`, or the error of the body or the signal.
 */
export async function readTextWithin(
  body: AsyncIterable<Uint8Array> | null,
  { bytesMax = RESPONSE_BYTES_MAX, signal }: BodyReadOptions = {},
): Promise<string> {
  const bytes = new BoundedBytes(bytesMax);
  for await (const piece of iterateChunks(body, signal)) bytes.add(piece);
  return bytes.text();
}

/**
 * Reads a body as JSON within a byte limit.
 *
 * @throws {AppError} `EGRESS_TOO_LARGE`; a `SyntaxError` for invalid JSON.
 */
export async function readJsonWithin(
  body: AsyncIterable<Uint8Array> | null,
  options?: BodyReadOptions,
): Promise<unknown> {
  return JSON.parse(await readTextWithin(body, options));
}

/**
 * Yields the chunks of a body. An early exit does not wait for the source, because closing a body
 * under decompression may never finish.
 */
export async function* iterateChunks(
  body: AsyncIterable<Uint8Array> | null,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  if (body === null) return;
  const iterator = body[Symbol.asyncIterator]();
  const aborted = signal === undefined ? undefined : waitForAbort(signal);
  let isOver = false;
  try {
    for (;;) {
      const next = iterator.next();
      const { done, value } = await (aborted === undefined ? next : Promise.race([next, aborted]));
      isOver = done === true;
      if (done === true) return;
      yield value;
    }
  } finally {
    if (!isOver) iterator.return?.().catch(() => undefined);
  }
}

function waitForAbort(signal: AbortSignal): Promise<never> {
  const ending = new Promise<never>((_, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  });
  // Prevents an unhandled rejection if nobody is waiting.
  ending.catch(() => undefined);
  return ending;
}

/**
 * Buffers a response completely, for libraries whose timeout ends with the headers: a host may send
 * its body byte by byte.
 *
 * @throws {AppError} `EGRESS_TOO_LARGE` above the byte limit.
 */
export async function bufferResponse(answer: Response, bytesMax: number): Promise<Response> {
  const { body, status, headers } = answer;
  const text = await readTextWithin(body, { bytesMax });
  return new Response(text, {
    status,
    headers: { 'content-type': headers.get('content-type') ?? '' },
  });
}

function responseTooLarge(data: Readonly<Record<string, unknown>>): AppError {
  return new AppError('EGRESS_TOO_LARGE', { data });
}
