import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Hex } from 'viem';
import { isAddress } from 'viem/utils';
import { AppError } from '../../domain/error.ts';
import { givenAccounts } from './accounts.ts';
import { openRpc } from './chain-rpc.ts';
import { chainFees } from './fees.ts';
import type { OpenChain } from './local-chain.ts';
import { openRawJournal } from './raw-journal.ts';
import type { ReceiptPatience } from './receipts.ts';
import { openRelayer } from './relayer.ts';

/** A chain that others run. */
export interface RpcChainOptions {
  readonly rpcUrl: string;
  /** Address of the stablecoin: six decimals, EIP-3009. */
  readonly token: string;
  /** Private key that sends transactions and pays for gas. */
  readonly operatorKey: string;
  /** Private key that receives payments and signs refunds; the operator's unless given. */
  readonly treasuryKey?: string;
  readonly dataDir: string;
  /** Milliseconds. */
  readonly now: () => number;
  /** Blocks that a settlement must have, its own included; `CONFIRMATIONS` unless given. */
  readonly confirmations?: number;
  /** How long receipts are waited for. */
  readonly patience?: ReceiptPatience;
  /** Bound of one request, in milliseconds. */
  readonly timeoutMs?: number;
}

/** Blocks before a payment on a chain of others counts: its own, and one that was built on it. */
export const CONFIRMATIONS = 2;
const TIMEOUT_MS = 10_000;
/** Chains make a block every fraction of a second to twelve seconds: under 200 questions in all. */
const PATIENCE: ReceiptPatience = { firstMs: 100, everyMs: 500, totalMs: 90_000 };

/**
 * Opens a chain by the address of a node.
 *
 * @throws {AppError} `CONFIG_INVALID` for bad keys or addresses, `CHAIN_UNAVAILABLE`
 */
export async function openRpcChain(options: RpcChainOptions): Promise<OpenChain> {
  const { rpcUrl, now, dataDir } = options;
  const accounts = givenAccounts(options.operatorKey, options.treasuryKey);
  if (!isAddress(options.token, { strict: false })) {
    throw new AppError('CONFIG_INVALID', { message: 'The token is an address: 0x and 40 digits.' });
  }
  const token: Hex = options.token;
  const rpc = openRpc(rpcUrl, options.timeoutMs ?? TIMEOUT_MS);
  const chainId = Number(await rpc.call<Hex>('eth_chainId', []));
  const folder = join(dataDir, `chain-${chainId}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const journal = openRawJournal(join(folder, 'raw.jsonl'));
  journal.trim(Number.MAX_SAFE_INTEGER);
  const fees = chainFees(rpc, now);
  const { operator } = accounts;
  return {
    ...{ chainId, rpcUrl, token, accounts, rpc, journal },
    relayer: openRelayer({ rpc, journal, operator, chainId, fees, now }),
    nodePid: () => undefined,
    patience: options.patience ?? PATIENCE,
    confirmations: options.confirmations ?? CONFIRMATIONS,
    isLocal: false,
    close: async () => journal.close(),
  };
}
