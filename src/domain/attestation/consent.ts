import type { TypedData } from '../wallet/typed-data.ts';

/** What each side of an introduction agrees to. */
export interface Meeting {
  readonly purpose: string;
  /** RFC 3339. */
  readonly expires_at: string;
  /** 32 bytes in hex, chosen by whoever brings the two together. */
  readonly nonce: string;
}

/**
 * What the wallet of an agent signs to be introduced to another (EIP-712).
 *
 * @param agent - As the call names it, letter by letter; so is `toMeet`.
 */
export function consentData(
  meeting: Meeting,
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
