import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { AppError } from '../../domain/common/error.ts';
import type { Sealer } from '../../domain/common/sealer.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Creates a sealer with a 32-byte key. A sealed text is nonce, tag and ciphertext in base64. */
export function createSealer(key: Uint8Array): Sealer {
  return {
    seal: (text, about) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce);
      cipher.setAAD(Buffer.from(about));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
    },
    open: (sealed, about) => {
      try {
        const bytes = Buffer.from(sealed, 'base64');
        const opener = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES));
        opener.setAAD(Buffer.from(about));
        opener.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
        const body = bytes.subarray(NONCE_BYTES + TAG_BYTES);
        return Buffer.concat([opener.update(body), opener.final()]).toString('utf8');
      } catch (cause) {
        throw new AppError('CONFIG_INVALID', {
          message: 'A sealed text was sealed with another key or modified.',
          cause,
        });
      }
    },
  };
}
