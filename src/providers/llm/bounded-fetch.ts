import { AppError } from '../../domain/error.ts';

/**
 * Bytes of an answer of a model at the most, unpacked. The largest that is asked for has 12,500
 * tokens, and a token takes about 300 bytes on the wire.
 */
export const MODEL_ANSWER_BYTES_MAX = 5_000_000;

/**
 * How models are asked: nobody is sent on to another address, which would get the key and the
 * text, and an answer above {@link MODEL_ANSWER_BYTES_MAX} ends with `EGRESS_TOO_LARGE`.
 */
export function boundedFetch(fetch = globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual' });
    const { body, status, statusText, headers } = response;
    if (body === null) return response;
    return new Response(body.pipeThrough(counted()), { status, statusText, headers });
  };
}

function counted(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytes = 0;
  return new TransformStream({
    transform: (chunk, controller) => {
      bytes += chunk.byteLength;
      if (bytes > MODEL_ANSWER_BYTES_MAX) {
        const allowed = MODEL_ANSWER_BYTES_MAX;
        controller.error(new AppError('EGRESS_TOO_LARGE', { data: { allowed } }));
      } else {
        controller.enqueue(chunk);
      }
    },
  });
}
