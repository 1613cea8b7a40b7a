import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Hex } from 'viem';
import { bytesToHex, isAddress } from 'viem/utils';
import { z } from 'zod';
import { AppError } from '../../domain/common/error.ts';
import { GAS_COIN_USD } from '../escrow/job-minimum.ts';
import type { ReceiptPatience } from '../payment/receipts.ts';
import { createAccounts } from './accounts.ts';
import { type ChainRpc, connectRpc } from './chain-rpc.ts';
import { createFeeReader } from './fees.ts';
import { startFinalityMonitor } from './finality.ts';
import { readJsonFile } from './local/json-file.ts';
import { openRawJournal } from './local/raw-journal.ts';
import { type OpenChain, toTrustContracts } from './open-chain.ts';
import { createRelayer } from './relayer.ts';
import { createReplaceStuck } from './replace-stuck.ts';
import type { ContractAddresses } from './trust/deploy.ts';
import { openGasMeter } from './trust/gas-meter.ts';

const BASE = 8_453;
const BASE_SEPOLIA = 84_532;

/** Options of a remote chain. */
export interface RpcChainOptions {
  readonly rpcUrl: string;
  /** Address of the stablecoin, with 6 decimals and EIP-3009. */
  readonly token: string;
  /** Private key that sends transactions and pays for gas. */
  readonly operatorKey: string;
  /** Private key that receives payments and signs refunds. Default: the operator's key. */
  readonly treasuryKey?: string;
  /** Addresses of the contracts. Default: the public deployments that the chain has. */
  readonly contracts?: ContractAddresses;
  /** Wei that gas may cost per day, shared by `GAS_BUDGETS`. Default: `GAS_BUDGET_WEI`. */
  readonly gasBudgetWei?: bigint;
  /** Price of the coin that pays for gas, in whole dollars. Default: `GAS_COIN_USD`. */
  readonly gasCoinUsd?: number;
  readonly dataDir: string;
  /** Returns the current time in milliseconds. */
  readonly now: () => number;
  /** Blocks that a settlement must have, its own included. Default: `CONFIRMATIONS`. */
  readonly confirmations?: number;
  /** How long to wait for receipts. */
  readonly patience?: ReceiptPatience;
  /** Timeout of one request, in milliseconds. */
  readonly timeoutMs?: number;
  /** Receives messages for the operator. */
  readonly notice?: (line: string) => void;
}

/** Blocks before a payment on a remote chain counts: its own block and the next one. */
export const CONFIRMATIONS = 2;
/** Wei that gas may cost per day, for all purposes: 0.01 ether. */
export const GAS_BUDGET_WEI = 10n ** 16n;
/** Length of a process's random data suffix. It makes collisions improbable. */
const DATA_SUFFIX_BYTES = 8;
const TIMEOUT_MS = 10_000;
/** Blocks take a fraction of a second to 12 seconds, so this makes under 200 calls in all. */
const RECEIPT_PATIENCE: ReceiptPatience = { firstMs: 100, everyMs: 500, totalMs: 90_000 };

/**
 * Connects to a remote chain by the URL of a node.
 *
 * @throws {AppError} `CONFIG_INVALID` for bad keys or addresses, `CHAIN_UNAVAILABLE`
 */
export async function openRpcChain(options: RpcChainOptions): Promise<OpenChain> {
  const { rpcUrl, now, dataDir } = options;
  const accounts = createAccounts(options.operatorKey, options.treasuryKey);
  const token = requireAddress('token', options.token);
  const rpc = connectRpc(rpcUrl, options.timeoutMs ?? TIMEOUT_MS);
  const chainId = Number(await rpc.call<Hex>('eth_chainId', []));
  const folder = join(dataDir, `chain-${chainId}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const journal = openRawJournal(join(folder, 'raw.jsonl'));
  journal.trim(Number.MAX_SAFE_INTEGER);
  const fees = createFeeReader(rpc, now);
  const addresses = { ...(await findPublicContracts(rpc, chainId)), ...options.contracts };
  for (const [name, address] of Object.entries(addresses)) requireAddress(name, address);
  const head = Number(await rpc.call<Hex>('eth_blockNumber', []));
  const budget = options.gasBudgetWei ?? GAS_BUDGET_WEI;
  const { operator } = accounts;
  const relayer = createRelayer({
    rpc,
    journal,
    operator,
    chainId,
    fees,
    now,
    // Unique to this process: a copy of its directory that runs beside it has another one.
    dataSuffix: bytesToHex(randomBytes(DATA_SUFFIX_BYTES)),
  });
  const finality = startFinalityMonitor({
    rpc,
    journal,
    file: join(folder, 'final.jsonl'),
    forgetNonce: () => relayer.resetNonce(),
    notice: options.notice ?? (() => undefined),
  });
  // Runs before a nonce is assigned: transactions that are gone claim their old nonces again.
  await finality.recheck();
  return {
    chainId,
    rpcUrl,
    token,
    accounts,
    rpc,
    journal,
    relayer,
    finality,
    unstick: createReplaceStuck({ rpc, journal, operator, fees, now }),
    nodePid: () => undefined,
    patience: options.patience ?? RECEIPT_PATIENCE,
    confirmations: options.confirmations ?? CONFIRMATIONS,
    isLocal: false,
    fees,
    contracts: toTrustContracts(addresses),
    firstBlock: readFirstBlock(folder, head),
    gasCoinUsd: options.gasCoinUsd ?? GAS_COIN_USD,
    gas: openGasMeter({ now, budget, file: join(folder, 'gas.jsonl') }),
    // Remote nodes keep their blocks.
    keepFrom: () => undefined,
    close: async () => {
      finality.close();
      journal.close();
    },
  };
}

/** Returns the public deployments that a chain has. A fork with the same chain id may lack them. */
async function findPublicContracts(rpc: ChainRpc, chainId: number): Promise<ContractAddresses> {
  const rows = Object.entries(publicContracts(chainId));
  const codes = await Promise.all(
    rows.map(([, address]) => rpc.call<Hex>('eth_getCode', [address, 'latest'])),
  );
  return Object.fromEntries(rows.filter((_row, index) => codes[index] !== '0x'));
}

function requireAddress(name: string, address: string): Hex {
  if (isAddress(address, { strict: false })) return address;
  const message = `The ${name} address must be 0x followed by 40 hex digits.`;
  throw new AppError('CONFIG_INVALID', { message, data: { received: address } });
}

const FirstBlock = z.object({ firstBlock: z.number().int() });

/** Maximum depth of a reorganisation that moves a transaction sent after a start, in blocks. */
const REORGANISED_MAX = 128;

/**
 * Returns the first block that can hold a transaction of this server: the head at the first use of
 * the data directory, less the blocks that a reorganisation may replace.
 */
function readFirstBlock(folder: string, head: number): number {
  const file = join(folder, 'first-block.json');
  const parsed = FirstBlock.safeParse(readJsonFile(file));
  if (parsed.success) return Math.min(parsed.data.firstBlock, head);
  const firstBlock = Math.max(0, head - REORGANISED_MAX);
  writeFileSync(file, `${JSON.stringify({ firstBlock })}\n`, { mode: 0o600 });
  return firstBlock;
}

/** Returns the public ERC-8004 deployments on a chain, in lower case. */
function publicContracts(chainId: number): ContractAddresses {
  switch (chainId) {
    case BASE:
      return {
        identity: '0x8004a169fb4a3325136eb29fa0ceb6d2e539a432',
        reputation: '0x8004baa17c55a88189ae136b182e5fda19de9b63',
      };
    case BASE_SEPOLIA:
      return {
        identity: '0x8004a818bfb912233c491871b3d84c89a494bd9e',
        reputation: '0x8004b663056a597dffe9eccc1965a193b7388713',
        validation: '0x8004cb1bf31daf7788923b405b754f57aceb4272',
      };
    default:
      return {};
  }
}
