import { hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../domain/common/error.ts';

/** The operator token of a data directory. */
export interface OperatorToken {
  readonly path: string;
  readonly token: string;
  /** Compares in constant time. */
  isValid(presented: string): boolean;
  /** Derives a key (256 bits) for one purpose. It stays the same until the token changes. */
  keyFor(purpose: string): Uint8Array;
}

const KEY_BYTES = 32;
/** Also accepts a token that the operator chose, if it is long enough to resist guessing. */
const TOKEN = /^[\x21-\x7e]{32,1024}$/;

/** Returns the path of the token file in a data directory. */
export function tokenPath(dataDir: string): string {
  return join(dataDir, 'token');
}

/**
 * Reads the token of a data directory. Creates it (256 bits, mode 0600) on first use.
 *
 * @throws {AppError} `DATA_DAMAGED` for a file without a token.
 */
export function openToken(dataDir: string): OperatorToken {
  const path = tokenPath(dataDir);
  if (!existsSync(path)) makeToken(path);
  const token = readToken(dataDir);
  rejectInvalidToken(token);
  return {
    path,
    token,
    isValid: (presented) => isEqual(presented, token),
    keyFor: (purpose) => new Uint8Array(hkdfSync('sha256', token, '', purpose, KEY_BYTES)),
  };
}

/**
 * Reads an existing token. A command must not create one, because the running server would not know
 * it.
 *
 * @throws {AppError} `UNAUTHORIZED` when the file cannot be read.
 */
export function readToken(dataDir: string): string {
  const path = tokenPath(dataDir);
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (cause) {
    throw new AppError('UNAUTHORIZED', {
      message: 'The token file cannot be read. The next server start creates a new one.',
      data: { file: path },
      cause,
    });
  }
}

/**
 * Rejects an invalid token. An empty one would admit everybody.
 *
 * @throws {AppError} `DATA_DAMAGED`
 */
export function rejectInvalidToken(token: string): void {
  if (TOKEN.test(token)) return;
  throw new AppError('DATA_DAMAGED', {
    message:
      `The file "token" has ${token.length} characters; it must have at least 32 printable ones ` +
      'on one line. Restore it, or delete it: the next start creates a new one.',
    data: { file: 'token', received: token.length, allowed: '32 to 1,024 printable characters' },
  });
}

/** Creates the file by hard link: if two processes race, the first wins and both read its token. */
function makeToken(path: string): void {
  const fresh = `${path}.${randomBytes(8).toString('hex')}`;
  writeFileSync(fresh, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
  try {
    linkSync(fresh, path);
  } catch (cause) {
    if (!existsSync(path)) throw cause;
  } finally {
    rmSync(fresh, { force: true });
  }
}

function isEqual(presented: string, token: string): boolean {
  const a = Buffer.from(presented);
  const b = Buffer.from(token);
  return a.length === b.length && timingSafeEqual(a, b);
}
