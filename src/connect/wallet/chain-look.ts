import { z } from 'zod';
import { readJsonWithin } from '../../domain/common/bounded-bytes.ts';
import { SECOND_MS } from '../../domain/common/time.ts';

/** What is read of a chain; nothing is sent to it. */
export interface ChainLook {
  /** Balance of the stablecoin, in its smallest unit; `undefined` when the chain does not say. */
  balanceOf(asset: string, owner: string): Promise<bigint | undefined>;
  /** Whether an authorization was used or cancelled; `undefined` when the chain does not say. */
  isSpent(asset: string, payer: string, nonce: string): Promise<boolean | undefined>;
}

const ANSWER_TIMEOUT_MS = 5 * SECOND_MS;
/** An answer is one word of 32 bytes. */
const ANSWER_BYTES_MAX = 65_536;
const WORD_HEX = 64;
/** Selectors of `balanceOf(address)` and `authorizationState(address,bytes32)`. */
const CALLS = { balanceOf: '0x70a08231', authorizationState: '0xe94a0102' } as const;
const Answer = z.object({ result: z.string().regex(/^0x[0-9a-fA-F]{64}$/) });

/** Reads a chain through a JSON-RPC address. A chain that does not answer is no error here. */
export function lookAtChain(rpcUrl: string): ChainLook {
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
    balanceOf: (asset, owner) => read(asset, `${CALLS.balanceOf}${word(owner)}`),
    isSpent: async (asset, payer, nonce) => {
      const state = await read(asset, `${CALLS.authorizationState}${word(payer)}${word(nonce)}`);
      return state === undefined ? undefined : state !== 0n;
    },
  };
}

function word(hex: string): string {
  return hex.slice(2).toLowerCase().padStart(WORD_HEX, '0');
}
