import { setImmediate as nextTurn } from 'node:timers/promises';
import { BoundedBytes } from '../../domain/common/bounded-bytes.ts';
import { AppError } from '../../domain/common/error.ts';
import { ERROR_BODY_BYTES_MAX, normalizeErrorBody } from './error-body.ts';
import { createBodyNormalizer } from './normalize-body.ts';

/**
 * Most decompressed bytes of a model's answer. The longest requested answer has 16,000 tokens, and
 * a token takes about 300 bytes on the wire.
 */
export const MODEL_ANSWER_BYTES_MAX = 5_000_000;
/** Most bytes of one event of a streamed answer, or of an answer without streaming. */
export const MODEL_EVENT_BYTES_MAX = 1_048_576;
/** Most events of one answer: some hosts send one event per token. */
export const MODEL_EVENTS_MAX = 50_000;

/** Events that are forwarded before the event loop gets its turn. */
const EVENTS_PER_TURN = 32;
const DONE_BYTES_MAX = 64;
const [LF, CR] = [10, 13];
const FIELD = 'event:';
const THREAD = 'thread.';

/**
 * Wraps `fetch` for model calls. Redirects are not followed, because they would leak the key and
 * the prompt. An answer above its limits of bytes and events fails with `EGRESS_TOO_LARGE`.
 * Complete events are forwarded a few at a time: vendor packages copy their whole buffer for each
 * chunk.
 */
export function createBoundedFetch(
  fetch = globalThis.fetch,
  watch: StreamCallbacks = {},
): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual' });
    const { body, status, statusText, headers } = response;
    if (body === null) return response;
    if (status >= 400) {
      const refusal = normalizeErrorBody(await readErrorText(body));
      return new Response(refusal, { status, statusText, headers: withoutBodyFacts(headers) });
    }
    const events = body
      .pipeThrough(createBodyNormalizer(MODEL_EVENT_BYTES_MAX))
      .pipeThrough(createBoundedStream(watch));
    return new Response(events, { status, statusText, headers });
  };
}

/** Callbacks for the progress of a stream. */
export interface StreamCallbacks {
  /** Called when bytes arrive, whatever they contain. */
  readonly onBytes?: () => void;
  /** Called at the end marker of a stream of chat completions. */
  readonly onDone?: () => void;
}

type Bytes = Uint8Array<ArrayBuffer>;

async function readErrorText(body: ReadableStream<Bytes>): Promise<string> {
  const parts: Bytes[] = [];
  let bytes = 0;
  for await (const part of body) {
    parts.push(part);
    bytes += part.byteLength;
    if (bytes >= ERROR_BODY_BYTES_MAX) break;
  }
  return Buffer.concat(parts).toString('utf8', 0, ERROR_BODY_BYTES_MAX);
}

/** Removes headers that do not apply to the rewritten error body. */
function withoutBodyFacts(original: Headers): Headers {
  const headers = new Headers(original);
  for (const name of ['content-length', 'content-encoding']) headers.delete(name);
  headers.set('content-type', 'application/json');
  return headers;
}

function createBoundedStream({ onBytes, onDone }: StreamCallbacks): TransformStream<Bytes, Bytes> {
  const events = new EventSplitter();
  let bytes = 0;
  return new TransformStream({
    transform: async (chunk, controller) => {
      onBytes?.();
      bytes += chunk.byteLength;
      if (bytes > MODEL_ANSWER_BYTES_MAX) throw tooLarge('body', MODEL_ANSWER_BYTES_MAX);
      let forwarded = 0;
      for (const event of events.push(chunk)) {
        if (isDone(event)) onDone?.();
        controller.enqueue(event);
        forwarded += 1;
        if (forwarded % EVENTS_PER_TURN === 0) await nextTurn();
      }
    },
    flush: (controller) => {
      const rest = events.remainder();
      if (isDone(rest)) onDone?.();
      if (rest.byteLength > 0) controller.enqueue(rest);
    },
  });
}

/** Splits a stream after its empty lines, however it is chunked. */
class EventSplitter {
  #open = new BoundedBytes(MODEL_EVENT_BYTES_MAX);
  #events = 0;
  #lineBytes = 0;
  #isBehindReturn = false;

  *push(chunk: Bytes): Iterable<Bytes> {
    let start = 0;
    for (const [at, byte] of chunk.entries()) {
      if (!this.#endsEvent(byte)) continue;
      this.#events += 1;
      if (this.#events > MODEL_EVENTS_MAX) throw tooLarge('events', MODEL_EVENTS_MAX);
      const event = this.#whole(chunk.subarray(start, at + 1));
      start = at + 1;
      if (!isThreadEvent(event)) yield event;
    }
    if (start < chunk.byteLength) this.#open.add(chunk.subarray(start));
  }

  remainder(): Bytes {
    return this.#open.bytes();
  }

  #endsEvent(byte: number): boolean {
    const isSecondHalf = byte === LF && this.#isBehindReturn;
    this.#isBehindReturn = byte === CR;
    if (isSecondHalf) return false;
    if (byte !== LF && byte !== CR) {
      this.#lineBytes += 1;
      return false;
    }
    const isEmpty = this.#lineBytes === 0;
    this.#lineBytes = 0;
    return isEmpty;
  }

  #whole(last: Bytes): Bytes {
    this.#open.add(last);
    const event = this.#open.bytes();
    this.#open = new BoundedBytes(MODEL_EVENT_BYTES_MAX);
    return event;
  }
}

function isDone(event: Bytes): boolean {
  if (event.byteLength > DONE_BYTES_MAX) return false;
  const text = new TextDecoder().decode(event).trim();
  return text.startsWith('data:') && text.endsWith('[DONE]');
}

/** Detects assistant thread events. No call requests them, and the vendor package prints them. */
function isThreadEvent(event: Bytes): boolean {
  const text = Buffer.from(event.buffer, event.byteOffset, event.byteLength);
  for (let at = text.indexOf(THREAD); at !== -1; at = text.indexOf(THREAD, at + 1)) {
    const before = text.toString('latin1', Math.max(0, at - FIELD.length - 2), at);
    if (before.trimEnd().endsWith(FIELD)) return true;
  }
  return false;
}

function tooLarge(part: string, allowed: number): AppError {
  return new AppError('EGRESS_TOO_LARGE', { data: { part, allowed } });
}
