import type { Hex } from 'viem';
import { AppError } from '../../domain/error.ts';
import { openRpcChain, type RpcChainOptions } from './rpc-chain.ts';
import { type ContractAddresses, type ContractName, deployMissing } from './trust/deploy.ts';

/** What became of the contracts of a chain. */
export interface DeployedContracts {
  readonly chainId: number;
  readonly addresses: ContractAddresses;
  /** Those that were deployed now. */
  readonly fresh: readonly ContractName[];
}

/**
 * Deploys with the operator's key what a chain of others lacks. A contract that is named in the
 * options must be there; public ones are used where the chain has them.
 *
 * @throws {AppError} `CONFIG_INVALID`, `CHAIN_UNAVAILABLE`
 */
export async function deployContracts(options: RpcChainOptions): Promise<DeployedContracts> {
  const chain = await openRpcChain(options);
  try {
    const { chainId, rpc, token, contracts, relayer, accounts, patience } = chain;
    const named: ContractAddresses = { ...options.contracts, token };
    const wanted = Object.entries({ ...contracts, token }) as [ContractName, Hex | null][];
    const rows = await Promise.all(
      wanted.map(async ([name, address]) => {
        if (address === null) return [];
        const code = await rpc.call<Hex>('eth_getCode', [address, 'latest']);
        if (code !== '0x') return [[name, address] as const];
        if (named[name] === undefined) return [];
        throw new AppError('CONFIG_INVALID', {
          message: `There is no ${name} contract at the address that is set.`,
          data: { contract: name, address },
        });
      }),
    );
    const known: ContractAddresses = Object.fromEntries(rows.flat());
    const addresses = await deployMissing({ rpc, relayer, accounts, patience }, known);
    const names = Object.keys(addresses) as ContractName[];
    return { chainId, addresses, fresh: names.filter((name) => known[name] === undefined) };
  } finally {
    await chain.close();
  }
}
