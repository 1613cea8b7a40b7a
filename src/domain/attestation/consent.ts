import type { TypedData } from '../wallet/typed-data.ts';

/** Terms of an introduction that both sides consent to. */
export interface IntroductionTerms {
  readonly purpose: string;
  /** RFC 3339. */
  readonly expires_at: string;
  /** 32 bytes in hex, chosen by the party that makes the introduction. */
  readonly nonce: string;
}

/**
 * Returns the EIP-712 data that an agent's wallet signs to consent to an introduction.
 *
 * @param agent - Exactly as written in the call; the same applies to `toMeet`.
 */
export function createConsentData(
  meeting: IntroductionTerms,
  { agent, toMeet }: { readonly agent: string; readonly toMeet: string },
  chainId: number,
): TypedData {
  return {
    domain: { name: 'Stoa introduction', version: '1', chainId },
    types: {
      Consent: [
        { name: 'agent', type: 'string' },
        { name: 'toMeet', type: 'string' },
        { name: 'purpose', type: 'string' },
        { name: 'expiresAt', type: 'string' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'Consent',
    message: {
      agent,
      toMeet,
      purpose: meeting.purpose,
      expiresAt: meeting.expires_at,
      nonce: meeting.nonce,
    },
  };
}
