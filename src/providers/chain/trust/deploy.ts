import type { Hex } from 'viem';
import { encodeDeployData, getContractAddress } from 'viem/utils';
import type { TrustContracts } from '../../../domain/chain/trust-chain.ts';
import { AppError } from '../../../domain/common/error.ts';
import { awaitReceipt, hasSucceeded, type ReceiptPatience } from '../../payment/receipts.ts';
import type { ChainAccounts } from '../accounts.ts';
import type { ChainRpc } from '../chain-rpc.ts';
import { readArtifact } from '../local/artifact.ts';
import type { Relayer } from '../relayer.ts';

/** The name of a contract of the service. */
export type ContractName = 'token' | keyof TrustContracts;

/** Addresses by contract name. Absent where there is none. */
export type ContractAddresses = { readonly [Name in ContractName]?: Hex };

/** The dependencies of a deployment. */
export interface DeployDeps {
  readonly rpc: ChainRpc;
  readonly relayer: Relayer;
  readonly accounts: ChainAccounts;
  readonly patience: ReceiptPatience;
  /** Gas limit of each deployment. Default: the chain's estimate. */
  readonly gas?: bigint;
}

interface DeploymentPlan {
  readonly artifact: string;
  readonly args: (at: ContractAddresses, accounts: ChainAccounts) => readonly unknown[];
}

const DEPLOYMENT_PLANS: { readonly [Name in ContractName]: DeploymentPlan } = {
  token: { artifact: 'TestDollar', args: (_at, { operator }) => [operator.address] },
  identity: { artifact: 'AgentIdentity', args: () => [] },
  reputation: { artifact: 'AgentReputation', args: ({ identity }) => [identity] },
  validation: { artifact: 'AgentValidation', args: ({ identity }) => [identity] },
  escrow: {
    artifact: 'JobEscrow',
    args: ({ token }, { operator, treasury }) => [
      ...[token, operator.address, operator.address],
      treasury.address,
    ],
  },
  anchor: { artifact: 'ProofAnchor', args: () => [] },
  prediction: { artifact: 'PredictionPlatform', args: () => [] },
};
const GAS_MARGIN_PERCENT = 130n;

/** All contract names, in deployment order. */
export const CONTRACT_NAMES = Object.keys(DEPLOYMENT_PLANS) as readonly ContractName[];

/**
 * Deploys the missing contracts. All are sent before the first receipt arrives, since their
 * addresses follow from the operator's nonce.
 *
 * @returns All addresses, including the known ones.
 * @throws {AppError} `CHAIN_UNAVAILABLE`
 */
export async function deployMissing(
  parts: DeployDeps,
  known: ContractAddresses,
): Promise<ContractAddresses> {
  const missing = CONTRACT_NAMES.filter((name) => known[name] === undefined);
  if (missing.length === 0) return known;
  const from = parts.accounts.operator.address;
  const nonce = BigInt(await parts.rpc.call<Hex>('eth_getTransactionCount', [from, 'pending']));
  const planned = missing.map((name, index) => {
    return [name, getContractAddress({ from, nonce: nonce + BigInt(index) }).toLowerCase()];
  });
  const all: ContractAddresses = { ...known, ...Object.fromEntries(planned) };
  const creations = missing.map((name) => encodeCreation(name, all, parts.accounts));
  const gases = await Promise.all(creations.map((data) => estimateGas(parts, from, data)));
  await Promise.all(
    missing.map((name, index) => {
      const order = { data: creations[index] ?? '0x', gas: gases[index] ?? 0n };
      return deployContract(parts, name, order, all[name]);
    }),
  );
  return all;
}

function encodeCreation(name: ContractName, all: ContractAddresses, accounts: ChainAccounts): Hex {
  const { artifact, args } = DEPLOYMENT_PLANS[name];
  const { abi, bytecode } = readArtifact(artifact);
  return encodeDeployData({ abi, bytecode, args: args(all, accounts) });
}

async function estimateGas({ rpc, gas }: DeployDeps, from: Hex, data: Hex): Promise<bigint> {
  if (gas !== undefined) return gas;
  return (
    (BigInt(await rpc.call<Hex>('eth_estimateGas', [{ from, data }])) * GAS_MARGIN_PERCENT) / 100n
  );
}

async function deployContract(
  { rpc, relayer, patience }: DeployDeps,
  name: ContractName,
  order: { readonly data: Hex; readonly gas: bigint },
  address: Hex | undefined,
): Promise<void> {
  const sent = await relayer.send(order);
  const hash = sent.state === 'unsent' ? null : sent.hash;
  const receipt = hash === null ? undefined : await awaitReceipt(rpc, hash, patience);
  const isThere =
    receipt !== undefined &&
    hasSucceeded(receipt) &&
    receipt.contractAddress?.toLowerCase() === address;
  if (isThere) return;
  throw new AppError('CHAIN_UNAVAILABLE', {
    message: `The contract ${DEPLOYMENT_PLANS[name].artifact} could not be deployed.`,
    data: { contract: name, broadcast: sent.state },
  });
}
