import type { CipherGCMTypes } from 'node:crypto';
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { EngineError } from '../../runtime/engine/error.ts';

/**
 * Encodes the payloads of a store on disk, such as contexts, events, inputs and results. Ids,
 * kinds, states, times, search attributes and keys of queues stay readable.
 */
export interface PayloadCodec {
  /** Id of the key that encodes new payloads. It is stored and named in errors. */
  readonly keyId: string;
  encode(text: string): Uint8Array;
  /**
   * Decodes what any of its keys has encoded.
   *
   * @throws {EngineError} `STORE_KEY_INVALID` if it has no such key, or the key is another one.
   */
  decode(bytes: Uint8Array): string;
}

/** Keys of `aesGcmCodec`. */
export interface PayloadKeys {
  /** 16, 24 or 32 bytes each, by id. Keep the key of every payload that is still stored. */
  readonly keys: Readonly<Record<string, Uint8Array>>;
  /** Id of the key for new payloads. Change it to rotate keys. */
  readonly current: string;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_CHARS_MAX = 64;
const CIPHERS: Readonly<Record<number, CipherGCMTypes>> = {
  16: 'aes-128-gcm',
  24: 'aes-192-gcm',
  32: 'aes-256-gcm',
};

/**
 * Returns a codec that encrypts payloads with AES-GCM. Each payload has a random nonce and the id
 * of its key. Use a key for at most 2^32 payloads.
 *
 * @throws {EngineError} `DEFINITION_INVALID` if a key has another length, or `current` is no key.
 * @example
 * const codec = aesGcmCodec({ keys: { k1: key }, current: 'k1' });
 * const app = await durable({ path: './data', codec, actors: { order } });
 */
export function aesGcmCodec({ keys, current }: PayloadKeys): PayloadCodec {
  assertKeys({ keys, current });
  const find = (keyId: string): { readonly key: Uint8Array; readonly name: CipherGCMTypes } => {
    const key = Object.hasOwn(keys, keyId) ? keys[keyId] : undefined;
    const name = CIPHERS[key?.length ?? 0];
    if (key === undefined || name === undefined) throw missingKey(keyId, Object.keys(keys));
    return { key, name };
  };
  return {
    keyId: current,
    encode: (text) => {
      const { key, name } = find(current);
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(name, key, nonce);
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      const id = Buffer.from(current);
      return Buffer.concat([Buffer.of(id.length), id, nonce, cipher.getAuthTag(), sealed]);
    },
    decode: (bytes) => {
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const idEnd = 1 + (buffer[0] ?? 0);
      const keyId = buffer.toString('utf8', 1, idEnd);
      const { key, name } = find(keyId);
      const tagStart = idEnd + NONCE_BYTES;
      const decipher = createDecipheriv(name, key, buffer.subarray(idEnd, tagStart));
      decipher.setAuthTag(buffer.subarray(tagStart, tagStart + TAG_BYTES));
      try {
        const sealed = buffer.subarray(tagStart + TAG_BYTES);
        return decipher.update(sealed, undefined, 'utf8') + decipher.final('utf8');
      } catch (cause) {
        throw wrongKey(keyId, cause);
      }
    },
  };
}

function assertKeys({ keys, current }: PayloadKeys): void {
  const faults = Object.entries(keys).flatMap(([id, key]) => [
    ...(id.length > 0 && id.length <= KEY_ID_CHARS_MAX && /^[\x21-\x7e]+$/.test(id)
      ? []
      : [`the key id ${id} must have 1 to ${KEY_ID_CHARS_MAX} printable ASCII characters`]),
    ...(CIPHERS[key.length] === undefined
      ? [`the key ${id} has ${key.length} bytes; it must have 16, 24 or 32`]
      : []),
  ]);
  if (!Object.hasOwn(keys, current)) faults.push(`current is ${current}, which is no key`);
  if (faults.length === 0) return;
  throw new EngineError('DEFINITION_INVALID', `codec: ${faults.join('; ')}`, { data: { faults } });
}

/** Returns the error for a key that is missing. */
export function missingKey(keyId: string, known: readonly string[]): EngineError {
  const has = known.length === 0 ? 'no codec was passed' : `the codec has ${known.join(', ')}`;
  return new EngineError('STORE_KEY_INVALID', `The store needs the key ${keyId}; ${has}.`, {
    data: { keyId, known },
  });
}

/** Returns the error for a key that is another one. */
export function wrongKey(keyId: string, cause?: unknown): EngineError {
  const message = `The key ${keyId} does not decrypt what the store has encrypted with it.`;
  return new EngineError('STORE_KEY_INVALID', message, { data: { keyId }, cause });
}
