import { setTimeout as sleep } from 'node:timers/promises';
import type { RpcAnswer, RpcRefusal } from './chain-rpc.ts';

/**
 * What an error answer of a node means for the call or the transaction that it answers:
 *
 * - `reverted`: the contract refuses in the state that the node has now.
 * - `known`: the node has this transaction already.
 * - `nonce_used`: the nonce of the transaction is in a block, perhaps by this transaction itself.
 * - `nonce_taken`: another transaction with this nonce waits.
 * - `nonce_ahead`: the node takes no transaction behind a gap.
 * - `unpaid`: the sender cannot pay for the gas, or offers too little for it.
 * - `passing`: anything else, such as a rate limit, a timeout or a block that is not there yet. It
 *   says nothing about the call, and a transaction may be under way all the same.
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
/** Codes of limits and of resources that are not there now; their texts name anything. */
const PASSING_CODES: readonly number[] = [-32_001, -32_002, -32_005, -32_016, -32_097, 429];

/** Texts of Geth, Erigon, Nethermind, Besu, Reth, Anvil and public gateways, first match first. */
const TEXTS: readonly { readonly is: NodeError; readonly pattern: RegExp }[] = [
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

/** Tells what an error answer means. */
export function classifyNodeError({ code, message, data }: RpcRefusal): NodeError {
  if (code !== undefined && PASSING_CODES.includes(code)) return 'passing';
  if (code === REVERT_CODE || data !== undefined) return 'reverted';
  return TEXTS.find(({ pattern }) => pattern.test(message))?.is ?? 'passing';
}

/** First pause before a question is asked again, in milliseconds; each later one doubles. */
const FIRST_PAUSE_MS = 100;
/** Longest that a question is asked again, in milliseconds. */
const AGAIN_MS = 3_000;

/**
 * Asks a question again for about three seconds while the node answers with a passing error or not
 * at all. A verdict of the contract is given back at once.
 *
 * @throws {AppError} `CHAIN_UNAVAILABLE` when there was no answer to the end
 */
export async function askPatiently<Result>(
  ask: () => Promise<RpcAnswer<Result>>,
): Promise<RpcAnswer<Result>> {
  const deadline = performance.now() + AGAIN_MS;
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

/** How often a refusal is asked about again, and the pause before each, in milliseconds. */
export const REFUSAL = { times: 3, pauseMs: 500 } as const;

/**
 * Asks a question patiently, and again where the contract refuses: of the nodes behind one address
 * some have not seen the newest blocks, and a refusal in an old state is no verdict.
 *
 * @throws {AppError} `CHAIN_UNAVAILABLE` when there was no answer to the end
 */
export async function askAgain<Result>(
  ask: () => Promise<RpcAnswer<Result>>,
): Promise<RpcAnswer<Result>> {
  let answer = await askPatiently(ask);
  for (let times = 0; !answer.ok && times < REFUSAL.times; times += 1) {
    if (classifyNodeError(answer.refusal) !== 'reverted') return answer;
    await sleep(REFUSAL.pauseMs);
    answer = await askPatiently(ask);
  }
  return answer;
}
