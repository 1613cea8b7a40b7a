import { setTimeout as sleep } from 'node:timers/promises';
import type { RpcAnswer, RpcRefusal } from './chain-rpc.ts';

/**
 * The meaning of a node's error answer for a call or a transaction:
 *
 * - `reverted`: the contract reverts in the node's current state.
 * - `known`: the node already has this transaction.
 * - `nonce_used`: the nonce is used in a block, perhaps by this transaction itself.
 * - `nonce_taken`: another pending transaction has this nonce.
 * - `nonce_ahead`: the node accepts no transaction behind a nonce gap.
 * - `unpaid`: the sender cannot pay for the gas, or offers too little for it.
 * - `passing`: a transient error, such as a rate limit, a timeout or an unknown block. It proves
 *   nothing about the call, and a transaction may still be pending.
 */
export type NodeError =
  | 'reverted'
  | 'known'
  | 'nonce_used'
  | 'nonce_taken'
  | 'nonce_ahead'
  | 'unpaid'
  | 'passing';

/** JSON-RPC code of a revert. */
const REVERT_CODE = 3;
/** Codes of limits and of unavailable resources. Their messages are unreliable. */
const TRANSIENT_CODES: readonly number[] = [-32_001, -32_002, -32_005, -32_016, -32_097, 429];

/**
 * Error messages of Geth, Erigon, Nethermind, Besu, Reth, Anvil and public gateways. The first
 * match wins.
 */
const MESSAGE_PATTERNS: readonly { readonly is: NodeError; readonly pattern: RegExp }[] = [
  {
    is: 'known',
    pattern: /already ?(known|imported|exists)|known ?transaction|duplicate transaction/i,
  },
  {
    is: 'nonce_taken',
    pattern: /replacement (transaction|fee|tx)|same nonce|too low to replace/i,
  },
  {
    is: 'nonce_used',
    pattern: /nonce (is )?too (low|small)|old ?nonce|nonce has already been used|nonce expired/i,
  },
  { is: 'nonce_ahead', pattern: /nonce (is )?too (high|large|big)|nonce ?gap/i },
  {
    is: 'unpaid',
    pattern:
      /insufficient (funds|balance for)|funds for gas|allowance:? \(?0\b|underpriced|base ?fee/i,
  },
  { is: 'reverted', pattern: /\brevert(ed)?\b|out of ?gas|gas required exceeds/i },
];

/** Returns the meaning of an error answer. */
export function classifyNodeError({ code, message, data }: RpcRefusal): NodeError {
  if (code !== undefined && TRANSIENT_CODES.includes(code)) return 'passing';
  if (code === REVERT_CODE || data !== undefined) return 'reverted';
  return MESSAGE_PATTERNS.find(({ pattern }) => pattern.test(message))?.is ?? 'passing';
}

/** First pause before a call is repeated, in milliseconds. Each later pause doubles. */
const FIRST_PAUSE_MS = 100;
/** Longest time in which a call is repeated, in milliseconds. */
const RETRY_WINDOW_MS = 3_000;

/**
 * Repeats a call for about 3 seconds while the node answers with a transient error or not at all. A
 * verdict of the contract is returned at once.
 *
 * @throws {AppError} `CHAIN_UNAVAILABLE` when no answer arrives in time
 */
export async function askWithRetries<Result>(
  ask: () => Promise<RpcAnswer<Result>>,
): Promise<RpcAnswer<Result>> {
  const deadline = performance.now() + RETRY_WINDOW_MS;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
    const isLast = performance.now() + pauseMs > deadline;
    try {
      const answer = await ask();
      const isPassing = !answer.ok && classifyNodeError(answer.refusal) === 'passing';
      if (!isPassing || isLast) return answer;
    } catch (thrown) {
      if (isLast) throw thrown;
    }
    await sleep(pauseMs);
  }
}

/** How often a reverted call is repeated, and the pause before each repeat, in milliseconds. */
export const REVERT_RETRIES = { times: 3, pauseMs: 500 } as const;

/**
 * Calls with retries, and again if the contract reverts. Some of the nodes behind one address may
 * lack the newest blocks, and a revert in an old state proves nothing.
 *
 * @throws {AppError} `CHAIN_UNAVAILABLE` when no answer arrives in time
 */
export async function askUntilConsistent<Result>(
  ask: () => Promise<RpcAnswer<Result>>,
): Promise<RpcAnswer<Result>> {
  let answer = await askWithRetries(ask);
  for (let times = 0; !answer.ok && times < REVERT_RETRIES.times; times += 1) {
    if (classifyNodeError(answer.refusal) !== 'reverted') return answer;
    await sleep(REVERT_RETRIES.pauseMs);
    answer = await askWithRetries(ask);
  }
  return answer;
}
