import type { Hex } from 'viem';
import { keccak256, parseTransaction, serializeTransaction } from 'viem/utils';
import { SECOND_MS } from '../../domain/common/time.ts';
import { broadcast } from './broadcast.ts';
import type { ChainRpc } from './chain-rpc.ts';
import type { Fees } from './fees.ts';
import type { RawJournal, RawTransaction } from './local/raw-journal.ts';
import { type DigestSigner, splitSignature } from './signature.ts';
import type { GasMeter } from './trust/gas-meter.ts';

/** How often one transaction is replaced at a higher fee. */
export const BUMPS_MAX = 5;
/** How long a transaction is pending before it is replaced, in seconds. */
export const BUMP_AFTER_S = 30;
/** The highest fee of a replacement, as a multiple of the first offer. */
export const BUMP_FEE_FACTOR_MAX = 10n;
/** Fee increase of a replacement: an eighth. Nodes require at least 10 percent. */
const BUMP_RATIO = { times: 1_125n, of: 1_000n };

/** The dependencies of replacements. */
export interface ReplaceStuckDeps {
  readonly rpc: ChainRpc;
  readonly journal: RawJournal;
  readonly operator: DigestSigner;
  readonly fees: () => Promise<Fees>;
  /** Returns the current time in milliseconds. */
  readonly now: () => number;
}

/** A transaction that replaced another one. */
export interface Replacement {
  readonly hash: Hex;
  readonly key: string | undefined;
  /** The most that it may cost, in wei. */
  readonly costWei: bigint;
}

/** Replaces the transaction that blocks the others, if there is one. */
export type ReplaceStuck = () => Promise<Replacement | undefined>;

/**
 * Creates the function that unblocks the transaction queue. It replaces the first pending
 * transaction by one with the same nonce, content and gas and a higher fee, so that only one of the
 * two is executed. Concurrent calls share one replacement.
 */
export function createReplaceStuck(parts: ReplaceStuckDeps): ReplaceStuck {
  let running: Promise<Replacement | undefined> | undefined;
  return () => {
    running ??= replaceStuck(parts).finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** Unblocks the queue of a chain and charges the replacement to the call's gas budget. */
export async function replaceStuckAndCharge(chain: {
  readonly unstick: ReplaceStuck;
  readonly gas: Pick<GasMeter, 'raiseCost'>;
}): Promise<Replacement | undefined> {
  // If the node does not answer now, the next waiting call tries again.
  const replaced = await chain.unstick().catch(() => undefined);
  if (replaced?.key !== undefined) chain.gas.raiseCost(replaced.key, replaced.costWei);
  return replaced;
}

async function replaceStuck(parts: ReplaceStuckDeps): Promise<Replacement | undefined> {
  const { rpc, journal, operator, fees, now } = parts;
  const count = await rpc.call<Hex>('eth_getTransactionCount', [operator.address, 'latest']);
  const candidates = journal
    .rows()
    .filter(({ nonce, from }) => nonce === Number(count) && from === undefined);
  const rows = [...new Map(candidates.map((row) => [row.hash, row])).values()];
  const last = rows.at(-1);
  const nowS = Math.floor(now() / SECOND_MS);
  const isDue = last !== undefined && nowS - last.atS >= BUMP_AFTER_S && rows.length <= BUMPS_MAX;
  const waiting = isDue ? await findNewestPending(rpc, rows) : undefined;
  if (waiting === undefined) return undefined;
  const [first = waiting] = rows;
  const transaction = parseTransaction(waiting.raw);
  const raised = raiseFees(readFees(waiting.raw), await fees());
  if (raised.maxFeePerGas > readFees(first.raw).maxFeePerGas * BUMP_FEE_FACTOR_MAX)
    return undefined;
  const {
    r: _r,
    s: _s,
    v: _v,
    yParity: _parity,
    ...content
  } = transaction as typeof transaction & Record<'r' | 's' | 'v' | 'yParity', unknown>;
  const next = { ...content, ...raised, type: 'eip1559' } as const;
  const digest = keccak256(serializeTransaction(next as never), 'bytes');
  const raw = serializeTransaction(next as never, splitSignature(operator.sign(digest)));
  const row: RawTransaction = { ...waiting, hash: keccak256(raw), raw, atS: nowS };
  await journal.append([row]);
  // The row stays whatever the node answers: a transaction that a node has seen may get mined.
  if ((await broadcast(rpc, row, journal)).state !== 'sent') return undefined;
  const costWei = BigInt(transaction.gas ?? 0) * raised.maxFeePerGas;
  return { hash: row.hash as Hex, key: row.key, costWei };
}

/** Returns the newest pending row. A stored row may never have been sent if the process crashed. */
async function findNewestPending(
  rpc: ChainRpc,
  rows: readonly RawTransaction[],
): Promise<RawTransaction | undefined> {
  for (const row of rows.toReversed()) {
    const found = await rpc.call<{ readonly blockNumber: Hex | null } | null>(
      'eth_getTransactionByHash',
      [row.hash],
    );
    if (found !== null) return found.blockNumber === null ? row : undefined;
  }
  return undefined;
}

function readFees(raw: Hex): Fees {
  const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = parseTransaction(raw);
  return { maxFeePerGas, maxPriorityFeePerGas };
}

/** Returns an eighth more than before, or the chain's current fees if they are higher. */
function raiseFees(previous: Fees, market: Fees): Fees {
  const more = (wei: bigint) => (wei * BUMP_RATIO.times + BUMP_RATIO.of - 1n) / BUMP_RATIO.of + 1n;
  const larger = (one: bigint, other: bigint) => (one > other ? one : other);
  return {
    maxFeePerGas: larger(more(previous.maxFeePerGas), market.maxFeePerGas),
    maxPriorityFeePerGas: larger(more(previous.maxPriorityFeePerGas), market.maxPriorityFeePerGas),
  };
}
