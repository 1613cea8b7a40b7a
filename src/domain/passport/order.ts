import { z } from 'zod';
import { AgentName, Wallet } from './passport.ts';

/** Length limits of the texts in a passport. */
export const PASSPORT_TEXT_LIMITS = {
  descriptionCharsMax: 500,
  servicesMax: 8,
  urlCharsMax: 300,
  reasonCharsMax: 200,
} as const;

/** Contains no control characters, because people read it. */
const PrintableText = z.string().regex(/^[^\p{Cc}]*$/u, 'has no control characters');
const WebAddress = z
  .url({ protocol: /^https?$/ })
  .max(PASSPORT_TEXT_LIMITS.urlCharsMax)
  .regex(/^[\x21-\x7e]+$/);

/** A service of an agent, as listed in the ERC-8004 registration file. */
export const AgentService = z.strictObject({
  name: PrintableText.min(1).max(32),
  endpoint: WebAddress,
  version: PrintableText.min(1).max(32).optional(),
});

/** Input of a new passport. All of it is public, and parts remain on the chain. */
export const PassportOrder = z.strictObject({
  name: AgentName,
  /** Class of the agent in one word, such as `buyer` or `research`. */
  agent_class: z.string().regex(/^[a-z][a-z0-9-]{0,39}$/),
  /** Operator of the agent; defaults to its wallet. */
  operator_id: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/)
    .optional(),
  description: PrintableText.max(PASSPORT_TEXT_LIMITS.descriptionCharsMax).optional(),
  image: WebAddress.optional(),
  services: z.array(AgentService).max(PASSPORT_TEXT_LIMITS.servicesMax).optional(),
  x402_support: z.boolean().optional(),
  wallet: Wallet,
});
/** Input of a new passport. */
export type PassportOrder = z.infer<typeof PassportOrder>;

/** Input of a revocation. The reason is public. */
export const RevokeOrder = z.strictObject({
  reason: PrintableText.min(1).max(PASSPORT_TEXT_LIMITS.reasonCharsMax),
});

/** Consent of a wallet to be bound to an agent: a signed `AgentWalletSet`. */
export const WalletConsent = z.strictObject({
  /** Unix seconds; at most five minutes after the chain's time. */
  deadline: z.int().min(0).max(4_294_967_295),
  signature: z
    .string()
    .regex(/^0x([0-9a-fA-F]{2}){1,2048}$/)
    .describe('of the wallet, in hex'),
});
/** Consent of a wallet to be bound to an agent. */
export type WalletConsent = z.infer<typeof WalletConsent>;
