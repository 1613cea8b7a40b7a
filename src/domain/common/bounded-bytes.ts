import { AppError } from './error.ts';

/** Bytes of an answer that a command line program reads, where it has no bound of its own. */
export const ANSWER_BYTES_MAX = 16 * 1024 * 1024;
/** Pieces in which one answer may come: more costs memory and time that its bytes do not show. */
export const PIECES_MAX = 50_000;
const ROOM_FIRST_BYTES = 16_384;

/**
 * Takes an answer as it comes and ends it at its bound, whatever its pieces are: they are copied
 * together, so that many small ones take no more memory than their bytes.
 */
export class BoundedBytes {
  readonly #bytesMax: number;
  #room = new Uint8Array(ROOM_FIRST_BYTES);
  #size = 0;
  #pieces = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** @throws {AppError} `EGRESS_TOO_LARGE` above the bound of bytes or of pieces. */
  add(piece: Uint8Array): void {
    this.#pieces += 1;
    const size = this.#size + piece.byteLength;
    if (size > this.#bytesMax) throw tooLarge({ part: 'body', allowed: this.#bytesMax });
    if (this.#pieces > PIECES_MAX) throw tooLarge({ part: 'pieces', allowed: PIECES_MAX });
    if (size > this.#room.byteLength) this.#grow(size);
    this.#room.set(piece, this.#size);
    this.#size = size;
  }

  /** What came so far; what comes later does not change it. */
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

/** How a body is read. */
export interface BodyRead {
  readonly bytesMax?: number;
  /** Ends the wait as well: a body whose decompression is under way may not hear of an abort. */
  readonly signal?: AbortSignal;
}

/**
 * Reads a body as text within a bound of bytes; the bytes count as they are after decompression.
 *
 * @throws {AppError} `EGRESS_TOO_LARGE`, and what the body or the signal ends with.
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
 * Reads a body as JSON within a bound.
 *
 * @throws {AppError} `EGRESS_TOO_LARGE`; a `SyntaxError` for what is no JSON.
 */
export async function readJsonWithin(
  body: AsyncIterable<Uint8Array> | null,
  how?: BodyRead,
): Promise<unknown> {
  return JSON.parse(await readTextWithin(body, how));
}

/**
 * The pieces of a body. Whoever leaves before the end does not wait for the other side to hear of
 * it: ending a body whose decompression is under way may take for ever.
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
  // Nobody may be waiting when it comes.
  ending.catch(() => undefined);
  return ending;
}

/**
 * The same answer once all of it is here, for packages that count their time only until the
 * headers: a host may send its body byte by byte.
 *
 * @throws {AppError} `EGRESS_TOO_LARGE`
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
