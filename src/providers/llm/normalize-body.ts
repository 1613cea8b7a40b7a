import { BoundedBytes } from '../../domain/common/bounded-bytes.ts';
import { isObject } from '../../domain/common/json.ts';

type Bytes = Uint8Array<ArrayBuffer>;

const BLANK = 0x20;
const BYTE_ORDER_MARK = new Set([0xef, 0xbb, 0xbf]);
const [BRACE, LESS] = [0x7b, 0x3c];
const encoder = new TextEncoder();

/**
 * Converts an answer without streaming to a stream of events. A plain JSON answer becomes one
 * event, and the HTML page of a proxy becomes an error. Events pass through unchanged.
 *
 * @param bytesMax - Most bytes of an answer without streaming.
 */
export function createBodyNormalizer(bytesMax: number): TransformStream<Bytes, Bytes> {
  let kind: 'events' | 'json' | 'page' | undefined;
  const whole = new BoundedBytes(bytesMax);
  return new TransformStream({
    transform: (chunk, controller) => {
      kind ??= detectKind(chunk);
      if (kind === 'json') whole.add(chunk);
      else if (kind !== 'page') controller.enqueue(chunk);
    },
    flush: (controller) => {
      if (kind === 'page') controller.enqueue(encode(errorEvent('html_page')));
      if (kind === 'json') controller.enqueue(encode(toEvent(whole.bytes())));
    },
  });
}

function detectKind(chunk: Bytes): 'events' | 'json' | 'page' | undefined {
  const first = chunk.find((byte) => byte > BLANK && !BYTE_ORDER_MARK.has(byte));
  if (first === undefined) return undefined;
  if (first === BRACE) return 'json';
  return first === LESS ? 'page' : 'events';
}

function toEvent(bytes: Bytes): string {
  try {
    const body: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (isObject(body)) return jsonEvent(body);
  } catch {
    // Reported below.
  }
  return errorEvent('invalid_json');
}

function jsonEvent(body: Record<string, unknown>): string {
  const isMessage = body['type'] === 'message';
  const data = isMessage ? { type: 'message_start', message: body } : body;
  const name = isMessage ? 'message_start' : body['type'] === 'error' ? 'error' : 'message';
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

function errorEvent(type: string): string {
  return `event: error\ndata: ${JSON.stringify({ type: 'error', error: { type } })}\n\n`;
}

function encode(text: string): Bytes {
  return new Uint8Array(encoder.encode(text));
}
