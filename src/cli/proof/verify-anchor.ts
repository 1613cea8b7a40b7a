import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { z } from 'zod';
import { readJsonWithin } from '../../domain/common/bounded-bytes.ts';
import { AppError } from '../../domain/common/error.ts';
import type { AnchorClaim } from '../../domain/verification/anchor.ts';

const ANSWER_TIMEOUT_MS = 30_000;
const Answer = z.object({ result: z.string().regex(/^0x[0-9a-f]*$/) });
/** `rootAt(address,uint64)` of contracts/ProofAnchor.sol. */
const ROOT_AT = bytesToHex(keccak_256(utf8ToBytes('rootAt(address,uint64)'))).slice(0, 8);

/**
 * Checks that a chain has an anchor.
 *
 * @returns `undefined` if it has, else the reason why not.
 *
 * @throws {AppError} `CHAIN_UNAVAILABLE`
 */
export async function checkAnchorOnChain(
  rpcUrl: string,
  { chain_id, contract, account, size, root }: AnchorClaim,
): Promise<string | undefined> {
  const chainId = Number(await callRpc(rpcUrl, 'eth_chainId', []));
  if (chainId !== chain_id) return `the chain is ${chainId}, the anchor is on ${chain_id}`;
  const data = `0x${ROOT_AT}${encodeWord(account.slice(2))}${encodeWord(size.toString(16))}`;
  const held = await callRpc(rpcUrl, 'eth_call', [{ to: contract, data }, 'latest']);
  if (held === `0x${root}`) return undefined;
  return `the contract ${contract} does not hold this root for ${size} records`;
}

function encodeWord(digits: string): string {
  return digits.padStart(64, '0');
}

async function callRpc(url: string, method: string, params: readonly unknown[]): Promise<string> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    return Answer.parse(await readJsonWithin(answer.body)).result;
  } catch (cause) {
    throw new AppError('CHAIN_UNAVAILABLE', { data: { method }, cause });
  }
}
