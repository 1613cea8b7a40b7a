import { AppError } from './error.ts';

/** Default limit for response bytes in command line programs. */
export const ANSWER_BYTES_MAX = 16 * 1024 * 1024;
/** Maximum number of chunks in one response; the overhead of more is not visible in its bytes. */
export const PIECES_MAX = 50_000;
const ROOM_FIRST_BYTES = 16_384;

/**
 * A growing buffer with a byte limit. Chunks are copied into one array, so that many small ones use
 * no more memory than their bytes.
 */
export class BoundedBytes {
  readonly #bytesMax: number;
  #room = new Uint8Array(ROOM_FIRST_BYTES);
  #size = 0;
  #pieces = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** @throws {AppError} `EGRESS_TOO_LARGE` above the limit for bytes or chunks. */
  add(piece: Uint8Array): void {
    this.#pieces += 1;
    const size = this.#size + piece.byteLength;
    if (size > this.#bytesMax) throw tooLarge({ part: 'body', allowed: this.#bytesMax });
    if (this.#pieces > PIECES_MAX) throw tooLarge({ part: 'pieces', allowed: PIECES_MAX });
    if (size > this.#room.byteLength) this.#grow(size);
    this.#room.set(piece, this.#size);
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
    const room = new Uint8Array(Math.min(this.#bytesMax, Math.max(size, 2 * this.#size)));
    room.set(this.#room.subarray(0, this.#size));
    this.#room = room;
  }
}

/** Options for reading a body. */
export interface BodyRead {
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
  { bytesMax = ANSWER_BYTES_MAX, signal }: BodyRead = {},
): Promise<string> {
  const bytes = new BoundedBytes(bytesMax);
  for await (const piece of piecesOf(body, signal)) bytes.add(piece);
  return bytes.text();
}

/**
 * Reads a body as JSON within a byte limit.
 *
 * @throws {AppError} `EGRESS_TOO_LARGE`; a `SyntaxError` for invalid JSON.
 */
export async function readJsonWithin(
  body: AsyncIterable<Uint8Array> | null,
  how?: BodyRead,
): Promise<unknown> {
  return JSON.parse(await readTextWithin(body, how));
}

/**
 * Yields the chunks of a body. An early exit does not wait for the source, because closing a body
 * under decompression may never finish.
 */
export async function* piecesOf(
  body: AsyncIterable<Uint8Array> | null,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  if (body === null) return;
  const pieces = body[Symbol.asyncIterator]();
  const ending = signal === undefined ? undefined : waitForAbort(signal);
  let isOver = false;
  try {
    for (;;) {
      const next = pieces.next();
      const { done, value } = await (ending === undefined ? next : Promise.race([next, ending]));
      isOver = done === true;
      if (done === true) return;
      yield value;
    }
  } finally {
    if (!isOver) pieces.return?.().catch(() => undefined);
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
export async function wholeAnswer(answer: Response, bytesMax: number): Promise<Response> {
  const { body, status, headers } = answer;
  const text = await readTextWithin(body, { bytesMax });
  return new Response(text, {
    status,
    headers: { 'content-type': headers.get('content-type') ?? '' },
  });
}

function tooLarge(data: Readonly<Record<string, unknown>>): AppError {
  return new AppError('EGRESS_TOO_LARGE', { data });
}
