import { randomBytes } from 'node:crypto';
import type { Random } from '../../domain/common/random.ts';

/** Random bytes from the operating system. */
export const systemRandom: Random = { bytes: (length) => new Uint8Array(randomBytes(length)) };
