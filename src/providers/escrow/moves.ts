import type { Hex } from 'viem';
import { encodeFunctionData } from 'viem/utils';
import type { EscrowMove, PartyMove } from '../../domain/chain/trust-chain.ts';
import type { PaymentFault } from '../../domain/payment/payment-chain.ts';
import { ESCROW_ABI } from '../chain/trust/abi.ts';
import { contractFault } from '../chain/trust/refusal.ts';
import { isSameAddress } from '../payment/local-check.ts';

type Signed = PartyMove & { readonly signature: string };

const WORD = /^0x[0-9a-fA-F]{64}$/;
const BYTES = /^0x([0-9a-fA-F]{2}){0,4096}$/;

/**
 * Encodes the call of a move. Returns `undefined` if an argument is not hex of the right length.
 */
export function encodeMove(key: string, move: EscrowMove): Hex | undefined {
  const words = argumentsOf(move);
  const isHex = words.every(
    (word, index) => typeof word === 'boolean' || isFit(word, index === words.length - 1, move),
  );
  if (!WORD.test(key) || !isHex) return undefined;
  const call = { abi: ESCROW_ABI, functionName: move.move, args: [key, ...words] };
  return encodeFunctionData(call as never);
}

function isFit(word: string, isLast: boolean, move: EscrowMove): boolean {
  return (isLast && 'signature' in move ? BYTES : WORD).test(word);
}

function argumentsOf(move: EscrowMove): readonly (string | boolean)[] {
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
export function partyMove({ signature: _signature, ...move }: Signed): PartyMove {
  return move as PartyMove;
}

/** Distinguishes a missing signature from one of the other party. */
export function unsignedFault(facts: {
  readonly party: string;
  readonly signer: string | undefined;
  readonly job: { readonly buyer: string; readonly provider: string };
}): PaymentFault {
  const { party, signer, job } = facts;
  const isOther =
    signer !== undefined &&
    !isSameAddress(signer, party) &&
    [job.buyer, job.provider].some((each) => isSameAddress(each, signer));
  if (!isOther) return contractFault('NotTheParty', [party]) as PaymentFault;
  return {
    code: 'NOT_THE_PARTY',
    message: 'Only the other party may make this move.',
    data: { received: signer, expected: party.toLowerCase() },
  };
}
