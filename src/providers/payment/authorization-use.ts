import type { Hex } from 'viem';
import { concatHex, encodeFunctionData, numberToHex, toHex } from 'viem/utils';
import { AppError } from '../../domain/common/error.ts';
import type { Authorization } from '../../domain/payment/payment.ts';
import type { ChainRpc } from '../chain/chain-rpc.ts';
import { askWithRetries } from '../chain/node-error.ts';
import { TOKEN_ABI } from './token-abi.ts';

/** Whether an authorization is used or cancelled, and the time of the block that was read. */
export interface AuthorizationState {
  readonly isUsed: boolean;
  /** Time of the block whose state was read, in seconds. */
  readonly blockS: number;
}

/**
 * Reads the state of an authorization from a token. State and time come from one block of one node:
 * the call runs a small program that queries the token and returns its block's time. A node that
 * lags behind therefore reveals it, and its answer proves nothing about later blocks.
 *
 * @param block - A number in hex, or a tag.
 * @throws {AppError} `CHAIN_UNAVAILABLE`, also for an answer that no token gives
 */
export async function readAuthorizationState(
  rpc: ChainRpc,
  token: Hex,
  { from, nonce }: Pick<Authorization, 'from' | 'nonce'>,
  block: string,
): Promise<AuthorizationState> {
  const args = [from as Hex, nonce as Hex] as const;
  const question = encodeFunctionData({ abi: TOKEN_ABI, functionName: 'authorizationState', args });
  const call = { data: concatHex([createProgram(token, question), question]) };
  const answer = await askWithRetries(() => rpc.ask<Hex>('eth_call', [call, block]));
  const result = answer.ok ? answer.result : '0x';
  const word = (at: number) => `0x${result.slice(2 + at * WORD_CHARS, 2 + (at + 1) * WORD_CHARS)}`;
  const isWhole = result.length === 2 + MEMORY_OFFSETS.words * WORD_CHARS;
  // Success, the answer, the block time, and the length of the answer.
  if (isWhole && Number(word(0)) === 1 && Number(word(3)) === WORD_BYTES) {
    return { isUsed: BigInt(word(1)) !== 0n, blockS: Number(word(2)) };
  }
  throw new AppError('CHAIN_UNAVAILABLE', {
    message: 'The node did not return the state of an authorization.',
    data: { answer: answer.ok ? answer.result.slice(0, 200) : answer.refusal.message },
  });
}

const WORD_BYTES = 32;
const WORD_CHARS = 64;
/** Memory offsets of the returned words: success, answer, time, length of the answer. */
const MEMORY_OFFSETS = { success: 0x80, answer: 0xa0, time: 0xc0, bytes: 0xe0, words: 4 } as const;

/** Returns the program in EVM bytecode. The call data follows directly after it. */
function createProgram(token: Hex, question: Hex): Hex {
  const sizeBytes = (question.length - 2) / 2;
  const put = (offset: number): Hex => concatHex([pushByte(offset), '0x52']);
  const rest = [
    // staticcall(gas, token, 0, size, answer, 32), and whether it succeeded.
    ...[pushByte(WORD_BYTES), pushByte(MEMORY_OFFSETS.answer), pushByte(sizeBytes), pushByte(0)],
    ...(['0x73', token, '0x5a', '0xfa'] as const),
    put(MEMORY_OFFSETS.success),
    // The block time, and the number of bytes in the token's answer.
    ...(['0x42', put(MEMORY_OFFSETS.time), '0x3d', put(MEMORY_OFFSETS.bytes)] as const),
    // return(success, 4 words)
    ...([
      pushByte(MEMORY_OFFSETS.words * WORD_BYTES),
      pushByte(MEMORY_OFFSETS.success),
      '0xf3',
    ] as const),
  ];
  const copy = (end: number) =>
    concatHex([pushByte(sizeBytes), pushByte(end), pushByte(0), '0x39']);
  const all = concatHex([copy(0), ...rest]);
  return concatHex([copy((all.length - 2) / 2), ...rest]);
}

/** Returns the instruction that pushes one byte to the stack. */
function pushByte(value: number): Hex {
  return concatHex(['0x60', toHex(value, { size: 1 })]);
}

/**
 * Returns the newest block with enough confirmations, its own included. @throws `CHAIN_UNAVAILABLE`
 */
export async function readConfirmedBlock(rpc: ChainRpc, confirmations: number): Promise<Hex> {
  const head = Number(await rpc.call<Hex>('eth_blockNumber', []));
  return numberToHex(Math.max(0, head - confirmations + 1));
}
