import { z } from 'zod';

/** A SHA-256 hash in hex, in lower case. */
export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'is SHA-256 in 64 lower-case hex digits');
/** An agent's name, its ERC-8004 id or its wallet, as the caller writes it. */
export const AgentSubject = z
  .string()
  .min(1)
  .max(200)
  .regex(/^\S+$/, 'is a name, an ERC-8004 id or a wallet');

/** A statement under the service's signature (EIP-712), as tools answer it. */
export const SignedStatementShape = z.object({
  kind: z.string(),
  issued_at: z.string(),
  payload_hash: z.string(),
  signature: z.object({
    alg: z.literal('eip712'),
    signer: z.string(),
    chain_id: z.int(),
    value: z.string(),
  }),
});

/** Where the proof of an answer is found once the payment has settled. */
export const ProofPointer = z.object({
  ref: z.string(),
  /** Lists the records that the reference finds, each with its proof file. */
  records: z.string(),
  verify: z.string(),
});

/** Who asked for a statement, and what of it is only their word. */
export const Basis = z.object({
  /** The wallet that paid for it. */
  payer: z.string(),
  /** What the service has checked. */
  verified: z.array(z.string()),
  /** What the payer says, and nobody else has confirmed. */
  claimed: z.array(z.string()),
});
/** See {@link Basis}. */
export type Basis = z.infer<typeof Basis>;

/** An agent as far as this registry knows it. */
export const KnownAgent = z.object({
  as_given: z.string(),
  registered: z.boolean(),
  agent_id: z.string().nullable(),
  name: z.string().nullable(),
  wallet: z.string().nullable(),
  status: z.enum(['active', 'revoked']).nullable(),
  /**
   * True if the agent's own wallet paid for this statement. Otherwise the payer named the agent,
   * and the agent has confirmed nothing.
   */
  confirmed: z.boolean(),
});
/** See {@link KnownAgent}. */
export type KnownAgent = z.infer<typeof KnownAgent>;
