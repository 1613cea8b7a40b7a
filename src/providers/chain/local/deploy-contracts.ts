import type { Hex } from 'viem';
import { checkConfigured } from '../check-configured.ts';
import { openRpcChain, type RpcChainOptions } from '../rpc-chain.ts';
import { type ContractAddresses, type ContractName, deployMissing } from '../trust/deploy.ts';

/** The contracts of a chain after a deployment. */
export interface DeploymentResult {
  readonly chainId: number;
  readonly addresses: ContractAddresses;
  /** Contracts that this run deployed. */
  readonly fresh: readonly ContractName[];
}

/**
 * Deploys missing contracts to a remote chain with the operator's key. Contracts named in the
 * options must exist and match. Public contracts are used where the chain has them.
 *
 * @throws {AppError} `CONFIG_INVALID`, `CHAIN_UNAVAILABLE`
 */
export async function deployContracts(options: RpcChainOptions): Promise<DeploymentResult> {
  const chain = await openRpcChain(options);
  try {
    const { chainId, rpc, token, contracts, relayer, accounts, patience } = chain;
    await checkConfigured(chain, options.contracts ?? {});
    const configured = Object.entries({ ...contracts, token }) as [ContractName, Hex | null][];
    const known: ContractAddresses = Object.fromEntries(
      configured.filter(([, address]) => address !== null),
    );
    const addresses = await deployMissing({ rpc, relayer, accounts, patience }, known);
    const names = Object.keys(addresses) as ContractName[];
    return { chainId, addresses, fresh: names.filter((name) => known[name] === undefined) };
  } finally {
    await chain.close();
  }
}
