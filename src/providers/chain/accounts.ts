import { closeSync, existsSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { AppError } from '../../domain/common/error.ts';
import { readJsonFile } from './local/json-file.ts';
import { createDigestSigner, type DigestSigner, generateKey } from './signature.ts';

/** The accounts whose keys this service holds. Only signers leave this file, never keys. */
export interface ChainAccounts {
  /** Sends transactions. On the local chain it also mints tokens. */
  readonly operator: DigestSigner;
  /** Receives payments and signs refunds, offers and receipts. */
  readonly treasury: DigestSigner;
}

const FILE = 'keys.json';
const PrivateKey = z.string().regex(/^0x[0-9a-fA-F]{64}$/);
const KeyFile = z.object({ operator: PrivateKey, treasury: PrivateKey });

/**
 * Returns the accounts of a local chain. The first start creates the key file with mode 0600.
 *
 * @throws {AppError} `CONFIG_INVALID` when the file is damaged; it is never replaced.
 */
export function localAccounts(folder: string): ChainAccounts {
  if (!existsSync(join(folder, FILE))) writeKeys(join(folder, FILE));
  const { operator, treasury } = readKeys(folder);
  return signersOf(operator, treasury);
}

/**
 * Reads the key file of a local chain.
 *
 * @throws {AppError} `CONFIG_INVALID` when the file is damaged; it is never replaced.
 */
export function readKeys(folder: string): z.infer<typeof KeyFile> {
  const parsed = KeyFile.safeParse(readJsonFile(join(folder, FILE)));
  if (parsed.success) return parsed.data;
  throw new AppError('CONFIG_INVALID', {
    message: 'The key file of the local chain is damaged. Restore it, or start a new chain.',
    data: { file: 'chain/keys.json' },
  });
}

/**
 * Creates the accounts of a remote chain from configured keys.
 *
 * @throws {AppError} `CONFIG_INVALID` when a key is not 32 bytes in hex.
 */
export function createAccounts(operatorKey: string, treasuryKey = operatorKey): ChainAccounts {
  if (PrivateKey.safeParse(operatorKey).success && PrivateKey.safeParse(treasuryKey).success) {
    return signersOf(operatorKey, treasuryKey);
  }
  throw new AppError('CONFIG_INVALID', { message: 'A private key must be 0x and 64 hex digits.' });
}

function signersOf(operatorKey: string, treasuryKey: string): ChainAccounts {
  return { operator: createDigestSigner(operatorKey), treasury: createDigestSigner(treasuryKey) };
}

function writeKeys(file: string): void {
  const keys = { operator: generateKey(), treasury: generateKey() };
  const handle = openSync(file, 'wx', 0o600);
  try {
    writeSync(handle, `${JSON.stringify(keys)}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
