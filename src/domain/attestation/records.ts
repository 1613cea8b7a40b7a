import { z } from 'zod';

/** A SHA-256 hash as 64 lower-case hex digits. */
export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hex digits');
/** An agent's name, ERC-8004 id or wallet, as the caller wrote it. */
export const AgentSubject = z
  .string()
  .min(1)
  .max(200)
  .regex(/^\S+$/, 'must be an agent name, ERC-8004 id or wallet');

/** A statement that the service signed (EIP-712), in the form that tools return. */
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

/** Where to find the proof of a result after the payment settles. */
export const ProofPointer = z.object({
  ref: z.string(),
  /** URL that lists the records for the reference, each with its proof file. */
  records: z.string(),
  verify: z.string(),
});

/** The requester of a statement, and which parts of it are verified or only claimed. */
export const StatementBasis = z.object({
  /** Wallet that paid for the statement. */
  payer: z.string(),
  /** Facts that the service checked. */
  verified: z.array(z.string()),
  /** Facts that only the payer states. */
  claimed: z.array(z.string()),
});
/** A parsed {@link StatementBasis}. */
export type StatementBasis = z.infer<typeof StatementBasis>;

/** An agent with the data that this registry has about it. */
export const KnownAgent = z.object({
  as_given: z.string(),
  registered: z.boolean(),
  agent_id: z.string().nullable(),
  name: z.string().nullable(),
  wallet: z.string().nullable(),
  status: z.enum(['active', 'revoked']).nullable(),
  /**
   * True if the agent's own wallet paid for this statement. Otherwise the payer named the agent,
   * and the agent did not confirm anything.
   */
  confirmed: z.boolean(),
});
/** A parsed {@link KnownAgent}. */
export type KnownAgent = z.infer<typeof KnownAgent>;
