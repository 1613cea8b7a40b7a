import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../domain/common/error.ts';

/** Key from which capabilities and the secrets of webhooks are made. */
export const CAPABILITY_KEY_FILE = 'capability-key';
/** Key that variables and passwords of services are sealed with. */
export const HOSTING_KEY_FILE = 'hosting-key';
const KEY = /^[0-9a-f]{64}$/;

/**
 * Opens the key from which ids and secrets are drawn that a repeat must find again (file
 * `capability-key`, mode 0600, made on first use). Whoever has it can make the secrets of webhooks.
 *
 * @returns HMAC-SHA256 in hex.
 * @throws {AppError} `CONFIG_INVALID` when the file is not as it was written.
 */
export function openSeal(dataDir: string): (text: string) => string {
  const secret = openKey(dataDir, CAPABILITY_KEY_FILE);
  return (text) => createHmac('sha256', secret).update(text).digest('hex');
}

/**
 * Opens a key of 32 bytes in the data directory (mode 0600), made on first use.
 *
 * @throws {AppError} `CONFIG_INVALID` when the file is not as it was written.
 */
export function openKey(dataDir: string, file: string): Uint8Array {
  const path = join(dataDir, file);
  if (!existsSync(path)) makeKey(path);
  return readKey(dataDir, file);
}

/**
 * Reads a key that {@link openKey} made.
 *
 * @throws {AppError} `CONFIG_INVALID` when the file is not as it was written.
 */
export function readKey(dataDir: string, file: string): Uint8Array {
  const path = join(dataDir, file);
  const key = readFileSync(path, 'utf8').trim();
  if (KEY.test(key)) return Buffer.from(key, 'hex');
  throw new AppError('CONFIG_INVALID', {
    message: `${file} in the data directory is not a key of 64 hex digits; put the old one back.`,
    data: { file: path },
  });
}

/** Linked into place whole, so that a crash leaves all of it or nothing. */
function makeKey(path: string): void {
  const fresh = `${path}.${randomBytes(8).toString('hex')}`;
  writeFileSync(fresh, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
  try {
    linkSync(fresh, path);
  } finally {
    rmSync(fresh, { force: true });
  }
}
