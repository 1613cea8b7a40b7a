import type { Hex } from 'viem';
import { AppError } from '../../domain/common/error.ts';
import { ESCROW_ABI } from '../chain/trust/abi.ts';
import { ask, askSurely } from '../chain/trust/view.ts';
import { TOKEN_ABI } from '../payment/token-abi.ts';
import type { EscrowParts } from './escrow.ts';

/** How often holdings are read again if a new block arrives in between. */
const TRIES_MAX = 8;

/**
 * Creates the reader of an escrow's version. The first version has no such function, so a revert
 * means version 1. It calls the contract once.
 */
export function escrowVersion({
  chain,
  address,
}: Pick<EscrowParts, 'chain' | 'address'>): () => Promise<number> {
  let known: number | undefined;
  return async () => {
    const view = { to: address(), abi: ESCROW_ABI, name: 'version' };
    known ??= (await ask<number>(chain.rpc, view)) ?? 1;
    return known;
  };
}

/** Reads the amount that the escrow could not send to a party, in micro-dollars. */
export async function readOwed(
  { chain, address }: Pick<EscrowParts, 'chain' | 'address'>,
  party: string,
): Promise<string> {
  const view = { to: address(), abi: ESCROW_ABI, name: 'owed', args: [party] };
  return `${await askSurely<bigint>(chain.rpc, view)}`;
}

/** Reads the holdings of the escrow as of one block. @throws {AppError} `CHAIN_UNAVAILABLE` */
export async function readHoldings({ chain, facts, address }: EscrowParts) {
  const { rpc } = chain;
  const escrow = { to: address(), abi: ESCROW_ABI };
  const token = { to: facts.token as Hex, abi: TOKEN_ABI };
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    // In one request, which a node answers in order.
    const [before, balance, held, owed, after] = await Promise.all([
      rpc.call<Hex>('eth_blockNumber', []),
      askSurely<bigint>(rpc, { ...token, name: 'balanceOf', args: [address()] }),
      askSurely<bigint>(rpc, { ...escrow, name: 'held' }),
      askSurely<bigint>(rpc, { ...escrow, name: 'owedTotal' }),
      rpc.call<Hex>('eth_blockNumber', []),
    ]);
    if (before !== after) continue;
    return {
      ...{ block: Number(before), balance: `${balance}`, held: `${held}`, owed: `${owed}` },
      unaccounted: `${balance - held - owed}`,
    };
  }
  throw new AppError('CHAIN_UNAVAILABLE', { message: 'A new block interrupted every read.' });
}
