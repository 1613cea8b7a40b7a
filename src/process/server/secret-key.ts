import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../domain/common/error.ts';

/** The key that derives capabilities and webhook secrets. */
export const CAPABILITY_KEY_FILE = 'capability-key';
/** The key that seals variables and passwords of services. */
export const HOSTING_KEY_FILE = 'hosting-key';
const KEY = /^[0-9a-f]{64}$/;

/**
 * Opens the key that derives reproducible ids and secrets (file `capability-key`, mode 0600,
 * created on first use). Anyone who has it can compute webhook secrets.
 *
 * @returns A function that computes HMAC-SHA256 in hex.
 * @throws {AppError} `CONFIG_INVALID` when the file is damaged.
 */
export function openKeyedHash(dataDir: string): (text: string) => string {
  const secret = openKey(dataDir, CAPABILITY_KEY_FILE);
  return (text) => createHmac('sha256', secret).update(text).digest('hex');
}

/**
 * Opens a 32-byte key in the data directory (mode 0600). Creates it on first use.
 *
 * @throws {AppError} `CONFIG_INVALID` when the file is damaged.
 */
export function openKey(dataDir: string, file: string): Uint8Array {
  const path = join(dataDir, file);
  if (!existsSync(path)) makeKey(path);
  return readKey(dataDir, file);
}

/**
 * Reads a key that `openKey` created.
 *
 * @throws {AppError} `CONFIG_INVALID` when the file is damaged.
 */
export function readKey(dataDir: string, file: string): Uint8Array {
  const path = join(dataDir, file);
  const key = readFileSync(path, 'utf8').trim();
  if (KEY.test(key)) return Buffer.from(key, 'hex');
  throw new AppError('CONFIG_INVALID', {
    message: `${file} in the data directory is not a key of 64 hex digits. Restore it.`,
    data: { file: path },
  });
}

/** Creates the file by hard link, so that a crash leaves a whole file or none. */
function makeKey(path: string): void {
  const fresh = `${path}.${randomBytes(8).toString('hex')}`;
  writeFileSync(fresh, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
  try {
    linkSync(fresh, path);
  } finally {
    rmSync(fresh, { force: true });
  }
}
