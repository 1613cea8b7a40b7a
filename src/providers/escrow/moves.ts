import type { Hex } from 'viem';
import { encodeFunctionData } from 'viem/utils';
import type { EscrowMove, PartyMove } from '../../domain/chain/trust-chain.ts';
import type { PaymentFailure } from '../../domain/payment/payment-chain.ts';
import { ESCROW_ABI } from '../chain/trust/abi.ts';
import { toContractFault } from '../chain/trust/contract-fault.ts';
import { isSameAddress } from '../payment/local-check.ts';

type SignedMove = PartyMove & { readonly signature: string };

const WORD = /^0x[0-9a-fA-F]{64}$/;
const BYTES = /^0x([0-9a-fA-F]{2}){0,4096}$/;

/**
 * Encodes the call of a move. Returns `undefined` if an argument is not hex of the right length.
 */
export function encodeMove(key: string, move: EscrowMove): Hex | undefined {
  const moveArgs = moveArguments(move);
  const isHex = moveArgs.every(
    (word, index) =>
      typeof word === 'boolean' || isValidArgument(word, index === moveArgs.length - 1, move),
  );
  if (!WORD.test(key) || !isHex) return undefined;
  const call = { abi: ESCROW_ABI, functionName: move.move, args: [key, ...moveArgs] };
  return encodeFunctionData(call as never);
}

function isValidArgument(word: string, isLast: boolean, move: EscrowMove): boolean {
  return (isLast && 'signature' in move ? BYTES : WORD).test(word);
}

function moveArguments(move: EscrowMove): readonly (string | boolean)[] {
  switch (move.move) {
    case 'fulfil':
      return [move.deliverable, move.signature];
    case 'dispute':
      return [move.reason, move.signature];
    case 'release':
    case 'giveBack':
    case 'withdrawDispute':
      return [move.signature];
    case 'decide':
      return [move.isForProvider, move.verdict];
    case 'settleExpired':
    case 'refundUnfulfilled':
    case 'refundUndecided':
      return [];
  }
}

/** Returns the part of a move that its party signs. */
export function withoutSignature({ signature: _signature, ...move }: SignedMove): PartyMove {
  return move as PartyMove;
}

/** Distinguishes a missing signature from one of the other party. */
export function createUnsignedFault(facts: {
  readonly party: string;
  readonly signer: string | undefined;
  readonly job: { readonly buyer: string; readonly provider: string };
}): PaymentFailure {
  const { party, signer, job } = facts;
  const isOther =
    signer !== undefined &&
    !isSameAddress(signer, party) &&
    [job.buyer, job.provider].some((each) => isSameAddress(each, signer));
  if (!isOther) return toContractFault('NotTheParty', [party]) as PaymentFailure;
  return {
    code: 'NOT_THE_PARTY',
    message: 'Only the other party may make this move.',
    data: { received: signer, expected: party.toLowerCase() },
  };
}
