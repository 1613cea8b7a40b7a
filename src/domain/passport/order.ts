import { z } from 'zod';
import { AgentName, Wallet } from './passport.ts';

/** Bounds of what an agent says of itself. */
export const PASSPORT_TEXT = {
  descriptionCharsMax: 500,
  servicesMax: 8,
  urlCharsMax: 300,
  reasonCharsMax: 200,
} as const;

/** Without control characters: it is shown to people. */
const Line = z.string().regex(/^[^\p{Cc}]*$/u, 'has no control characters');
const Address = z
  .url({ protocol: /^https?$/ })
  .max(PASSPORT_TEXT.urlCharsMax)
  .regex(/^[\x21-\x7e]+$/);

/** A service that an agent offers, as the registration file of ERC-8004 lists it. */
export const AgentService = z.strictObject({
  name: Line.min(1).max(32),
  endpoint: Address,
  version: Line.min(1).max(32).optional(),
});

/** What a passport is asked for with. All of it is public, and parts of it stay on the chain. */
export const PassportOrder = z.strictObject({
  name: AgentName,
  /** What kind of agent it is, in one word such as `buyer` or `research`. */
  agent_class: z.string().regex(/^[a-z][a-z0-9-]{0,39}$/),
  /** Whose agent it is; its wallet unless given. */
  operator_id: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/)
    .optional(),
  description: Line.max(PASSPORT_TEXT.descriptionCharsMax).optional(),
  image: Address.optional(),
  services: z.array(AgentService).max(PASSPORT_TEXT.servicesMax).optional(),
  x402_support: z.boolean().optional(),
  wallet: Wallet,
});
/** See {@link PassportOrder}. */
export type PassportOrder = z.infer<typeof PassportOrder>;

/** Why a passport is revoked; public. */
export const RevokeOrder = z.strictObject({
  reason: Line.min(1).max(PASSPORT_TEXT.reasonCharsMax),
});

/** A wallet's consent to be bound: `AgentWalletSet`, signed. */
export const WalletConsent = z.strictObject({
  /** Unix seconds; at most five minutes ahead of the chain. */
  deadline: z.int().min(0).max(4_294_967_295),
  signature: z
    .string()
    .regex(/^0x([0-9a-fA-F]{2}){1,2048}$/)
    .describe('of the wallet, in hex'),
});
/** See {@link WalletConsent}. */
export type WalletConsent = z.infer<typeof WalletConsent>;
