import type { Hex } from 'viem';
import { encodeAbiParameters, keccak256 } from 'viem/utils';
import type { EscrowTerms, PartyMove } from '../../domain/chain/trust-chain.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../domain/common/time.ts';
import type { TypedData } from '../../domain/wallet/typed-data.ts';

/** The address of an escrow and its chain. */
export interface EscrowAddress {
  readonly chainId: number;
  readonly escrow: string;
}

/** Fee in basis points: a constant of the contract and part of every key. */
export const ESCROW_FEE_BPS = 2000;
/** How long after delivery a job is released automatically, in seconds. */
export const RELEASE_WINDOW_S = (72 * HOUR_MS) / SECOND_MS;
/** Seconds from the start of an undecided dispute until an escrow of version 1 refunds it. */
export const UNDECIDED_REFUND_S = (7 * DAY_MS) / SECOND_MS;

/** Computes the key of a job as the contract does. */
export function computeEscrowKey({ chainId, escrow }: EscrowAddress, terms: EscrowTerms): Hex {
  return keccak256(
    encodeAbiParameters(KEY_PARTS, [
      BigInt(chainId),
      escrow.toLowerCase() as Hex,
      terms.jobId as Hex,
      terms.buyer.toLowerCase() as Hex,
      terms.provider.toLowerCase() as Hex,
      BigInt(terms.amount),
      terms.fulfilByS,
      ESCROW_FEE_BPS,
      RELEASE_WINDOW_S,
    ]),
  );
}

const KEY_PARTS = [
  ...[{ type: 'uint256' }, { type: 'address' }, { type: 'bytes32' }, { type: 'address' }],
  ...[{ type: 'address' }, { type: 'uint128' }, { type: 'uint40' }, { type: 'uint16' }],
  { type: 'uint40' },
] as const;

const KEY = { name: 'key', type: 'bytes32' };
const STRUCTS = {
  fulfil: { name: 'Fulfil', members: [KEY, { name: 'deliverable', type: 'bytes32' }] },
  release: { name: 'Release', members: [KEY] },
  giveBack: { name: 'GiveBack', members: [KEY] },
  dispute: { name: 'Dispute', members: [KEY, { name: 'reason', type: 'bytes32' }] },
  withdrawDispute: { name: 'WithdrawDispute', members: [KEY] },
} as const;

/** Returns the typed data that a party signs for a move on a job. */
export function createMoveData(
  escrowAddress: EscrowAddress,
  key: string,
  move: PartyMove,
): TypedData {
  const { name, members } = STRUCTS[move.move];
  const { move: _move, ...fields } = move;
  return {
    domain: {
      name: 'Stoa JobEscrow',
      version: '1',
      chainId: escrowAddress.chainId,
      verifyingContract: escrowAddress.escrow,
    },
    types: { [name]: members },
    primaryType: name,
    message: { key, ...fields },
  };
}

/** Returns the typed data that a wallet signs to become an agent's wallet (ERC-8004). */
export function createWalletData(
  registryAddress: { readonly chainId: number; readonly registry: string },
  order: {
    readonly agentId: string;
    readonly wallet: string;
    readonly owner: string;
    readonly deadlineS: number;
  },
): TypedData {
  return {
    domain: {
      name: 'ERC8004IdentityRegistry',
      version: '1',
      chainId: registryAddress.chainId,
      verifyingContract: registryAddress.registry,
    },
    types: {
      AgentWalletSet: [
        { name: 'agentId', type: 'uint256' },
        { name: 'newWallet', type: 'address' },
        { name: 'owner', type: 'address' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    primaryType: 'AgentWalletSet',
    message: {
      agentId: order.agentId,
      newWallet: order.wallet,
      owner: order.owner,
      deadline: String(order.deadlineS),
    },
  };
}
