import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readKeys } from '../../providers/chain/accounts.ts';
import { LOCAL_CHAIN_ID, readLocalRecord } from '../../providers/chain/local/local-record.ts';
import { verifyRawRows } from '../../providers/chain/local/raw-journal.ts';
import { readGasLines } from '../../providers/chain/trust/gas-meter.ts';
import { readRecordedChain } from '../chain/own-chain.ts';
import { listTokens } from '../hosting/hosting-tokens.ts';
import { checkProofKeys } from '../proof/proof-keys.ts';
import { readTestClock, readTestFaults } from '../test-control/test-control-data.ts';
import { CAPABILITY_KEY_FILE, HOSTING_KEY_FILE, readKey } from './secret-key.ts';
import { rejectInvalidToken } from './token-file.ts';

/** A file in a data directory that a start requires. */
export interface DataFile {
  readonly path: string;
  /** Reads an existing file. Throws an `AppError` if it is invalid. */
  readonly read: (dataDir: string) => unknown;
  /** The file must be unreadable for other users. */
  readonly isSecret?: boolean;
  /** `kept`: it must not be lost. `fixed`: it is also never rewritten. */
  readonly is?: 'kept' | 'fixed';
}

/**
 * The files that a start reads, beside stores and record. Other files may be missing or damaged.
 */
export const DATA_FILES: readonly DataFile[] = [
  { path: 'token', read: readTokenFile, isSecret: true },
  { path: 'tokens.jsonl', read: listTokens },
  readsKey(CAPABILITY_KEY_FILE),
  readsKey(HOSTING_KEY_FILE),
  readsProofKey('proof-hmac.json', 'kept'),
  // A copy sets this one aside. If it is lost, the log that it signed reports that.
  readsProofKey('proof-log.json'),
  { path: 'own-chain.json', read: readRecordedChain, is: 'kept' },
  { path: 'chain/keys.json', read: at('chain', readKeys), isSecret: true, is: 'fixed' },
  { path: 'chain/local.json', read: at('chain', readChainRecord), is: 'kept' },
  { path: 'chain/raw.jsonl', read: at('chain/raw.jsonl', verifyRawRows), is: 'kept' },
  { path: 'chain/gas.jsonl', read: at('chain/gas.jsonl', readGasLines), is: 'kept' },
  { path: 'test-clock.json', read: readTestClock },
  { path: 'test-faults.json', read: readTestFaults },
];

function readsKey(path: string): DataFile {
  return { path, read: (dataDir) => readKey(dataDir, path), isSecret: true, is: 'fixed' };
}

function readsProofKey(path: Parameters<typeof checkProofKeys>[1], is?: DataFile['is']): DataFile {
  const file = { path, read: (dataDir: string) => checkProofKeys(dataDir, path), isSecret: true };
  return is === undefined ? file : { ...file, is };
}

function at(path: string, read: (path: string) => unknown): DataFile['read'] {
  return (dataDir) => read(join(dataDir, path));
}

function readTokenFile(dataDir: string): void {
  rejectInvalidToken(readFileSync(join(dataDir, 'token'), 'utf8').trim());
}

function readChainRecord(folder: string): void {
  readLocalRecord(folder, LOCAL_CHAIN_ID);
}
