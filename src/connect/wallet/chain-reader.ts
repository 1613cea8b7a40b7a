import { z } from 'zod';
import { readJsonWithin } from '../../domain/common/bounded-bytes.ts';
import { SECOND_MS } from '../../domain/common/time.ts';

/** Read-only access to a chain. */
export interface ChainReader {
  /** Returns a balance in the token's smallest unit; `undefined` if the chain does not answer. */
  balanceOf(asset: string, owner: string): Promise<bigint | undefined>;
  /** Returns true if an authorization was used or cancelled; `undefined` without an answer. */
  isSpent(asset: string, payer: string, nonce: string): Promise<boolean | undefined>;
}

const ANSWER_TIMEOUT_MS = 5 * SECOND_MS;
/** Far above one word of 32 bytes, the expected answer. */
const ANSWER_BYTES_MAX = 65_536;
const WORD_HEX = 64;
/** Selectors of `balanceOf(address)` and `authorizationState(address,bytes32)`. */
const CALLS = { balanceOf: '0x70a08231', authorizationState: '0xe94a0102' } as const;
const Answer = z.object({ result: z.string().regex(/^0x[0-9a-fA-F]{64}$/) });

/** Creates a chain reader on a JSON-RPC URL. It returns `undefined` instead of throwing. */
export function createChainReader(rpcUrl: string): ChainReader {
  const read = async (to: string, data: string): Promise<bigint | undefined> => {
    try {
      const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
      const answer = await fetch(rpcUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'eth_call',
          params: [{ to, data }, 'latest'],
        }),
        signal,
      });
      const said = readJsonWithin(answer.body, { bytesMax: ANSWER_BYTES_MAX, signal });
      return BigInt(Answer.parse(await said).result);
    } catch {
      return undefined;
    }
  };
  return {
    balanceOf: (asset, owner) => read(asset, `${CALLS.balanceOf}${toWord(owner)}`),
    isSpent: async (asset, payer, nonce) => {
      const state = await read(
        asset,
        `${CALLS.authorizationState}${toWord(payer)}${toWord(nonce)}`,
      );
      return state === undefined ? undefined : state !== 0n;
    },
  };
}

function toWord(hex: string): string {
  return hex.slice(2).toLowerCase().padStart(WORD_HEX, '0');
}
