import { randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The operator's token of a data directory. */
export interface OperatorToken {
  readonly path: string;
  readonly token: string;
  /** Compares in constant time. */
  isValid(presented: string): boolean;
}

/** Path of the token file in a data directory. */
export function tokenPath(dataDir: string): string {
  return join(dataDir, 'token');
}

/** Reads the token of a data directory, made (256 bits, mode 0600) on first use. */
export function openToken(dataDir: string): OperatorToken {
  const path = tokenPath(dataDir);
  if (!existsSync(path)) {
    writeFileSync(path, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
  }
  const token = readFileSync(path, 'utf8').trim();
  return { path, token, isValid: (presented) => isEqual(presented, token) };
}

function isEqual(presented: string, token: string): boolean {
  const a = Buffer.from(presented);
  const b = Buffer.from(token);
  return a.length === b.length && timingSafeEqual(a, b);
}
