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
export interface DeployParts {
  readonly rpc: ChainRpc;
  readonly relayer: Relayer;
  readonly accounts: ChainAccounts;
  readonly patience: ReceiptPatience;
  /** Gas limit of each deployment. Default: the chain's estimate. */
  readonly gas?: bigint;
}

interface Plan {
  readonly artifact: string;
  readonly args: (at: ContractAddresses, accounts: ChainAccounts) => readonly unknown[];
}

const PLANS: { readonly [Name in ContractName]: Plan } = {
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
const GAS_PERCENT = 130n;

/** All contract names, in deployment order. */
export const CONTRACT_NAMES = Object.keys(PLANS) as readonly ContractName[];

/**
 * Deploys the missing contracts. All are sent before the first receipt arrives, since their
 * addresses follow from the operator's nonce.
 *
 * @returns All addresses, including the known ones.
 * @throws {AppError} `CHAIN_UNAVAILABLE`
 */
export async function deployMissing(
  parts: DeployParts,
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
  const creations = missing.map((name) => creationOf(name, all, parts.accounts));
  const gases = await Promise.all(creations.map((data) => gasOf(parts, from, data)));
  await Promise.all(
    missing.map((name, index) => {
      const order = { data: creations[index] ?? '0x', gas: gases[index] ?? 0n };
      return deployed(parts, name, order, all[name]);
    }),
  );
  return all;
}

function creationOf(name: ContractName, all: ContractAddresses, accounts: ChainAccounts): Hex {
  const { artifact, args } = PLANS[name];
  const { abi, bytecode } = readArtifact(artifact);
  return encodeDeployData({ abi, bytecode, args: args(all, accounts) });
}

async function gasOf({ rpc, gas }: DeployParts, from: Hex, data: Hex): Promise<bigint> {
  if (gas !== undefined) return gas;
  return (BigInt(await rpc.call<Hex>('eth_estimateGas', [{ from, data }])) * GAS_PERCENT) / 100n;
}

async function deployed(
  { rpc, relayer, patience }: DeployParts,
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
    message: `The contract ${PLANS[name].artifact} could not be deployed.`,
    data: { contract: name, broadcast: sent.state },
  });
}
