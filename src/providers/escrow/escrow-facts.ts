import type { Hex } from 'viem';
import { AppError } from '../../domain/common/error.ts';
import { ESCROW_ABI } from '../chain/trust/abi.ts';
import { callRequiredView, callView } from '../chain/trust/view.ts';
import { TOKEN_ABI } from '../payment/token-abi.ts';
import type { EscrowDeps } from './escrow.ts';

/** How often holdings are read again if a new block arrives in between. */
const TRIES_MAX = 8;

/**
 * Creates the reader of an escrow's version. The first version has no such function, so a revert
 * means version 1. It calls the contract once.
 */
export function createVersionReader({
  chain,
  address,
}: Pick<EscrowDeps, 'chain' | 'address'>): () => Promise<number> {
  let known: number | undefined;
  return async () => {
    const view = { to: address(), abi: ESCROW_ABI, name: 'version' };
    known ??= (await callView<number>(chain.rpc, view)) ?? 1;
    return known;
  };
}

/** Reads the amount that the escrow could not send to a party, in micro-dollars. */
export async function readOwed(
  { chain, address }: Pick<EscrowDeps, 'chain' | 'address'>,
  party: string,
): Promise<string> {
  const view = { to: address(), abi: ESCROW_ABI, name: 'owed', args: [party] };
  return `${await callRequiredView<bigint>(chain.rpc, view)}`;
}

/** Reads the holdings of the escrow as of one block. @throws {AppError} `CHAIN_UNAVAILABLE` */
export async function readHoldings({ chain, facts, address }: EscrowDeps) {
  const { rpc } = chain;
  const escrow = { to: address(), abi: ESCROW_ABI };
  const token = { to: facts.token as Hex, abi: TOKEN_ABI };
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    // In one request, which a node answers in order.
    const [before, balance, held, owed, after] = await Promise.all([
      rpc.call<Hex>('eth_blockNumber', []),
      callRequiredView<bigint>(rpc, { ...token, name: 'balanceOf', args: [address()] }),
      callRequiredView<bigint>(rpc, { ...escrow, name: 'held' }),
      callRequiredView<bigint>(rpc, { ...escrow, name: 'owedTotal' }),
      rpc.call<Hex>('eth_blockNumber', []),
    ]);
    if (before !== after) continue;
    return {
      block: Number(before),
      balance: `${balance}`,
      held: `${held}`,
      owed: `${owed}`,
      unaccounted: `${balance - held - owed}`,
    };
  }
  throw new AppError('CHAIN_UNAVAILABLE', { message: 'A new block interrupted every read.' });
}
