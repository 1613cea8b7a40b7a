import { z } from 'zod';

/** Names of agents: 3 to 64 small letters, digits, dots and hyphens; it begins with a letter. */
export const AgentName = z.string().regex(/^[a-z][a-z0-9.-]{1,62}[a-z0-9]$/);

/** A wallet's address, as it is kept: lower case. */
export const Wallet = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((address) => address.toLowerCase());

/** A delegation as a passport shows it. The chain of signatures stands in its own read. */
export interface DelegationView {
  readonly delegation_id: string;
  readonly delegator: string;
  readonly delegate: string;
  readonly scope: readonly string[];
  readonly depth_left: number;
  /** RFC 3339. */
  readonly expires_at: string;
  readonly status: 'active' | 'expired' | 'revoked';
  /** Place of its proof (kind 30014) in the log. */
  readonly proof_seq: number | null;
}

/** A passport as it is told. Its owner, its wallet and who keeps it are three different things. */
export interface PassportView {
  readonly name: string;
  /** Such as `eip155:31337:0x…:7`. */
  readonly agent_id: string;
  readonly erc8004: {
    readonly agent_registry: string;
    readonly id: string;
    readonly agent_uri: string;
  };
  readonly operator_id: string;
  readonly agent_class: string;
  /** The registered wallet; `null` when none has proved itself since the last hand-over. */
  readonly wallet: string | null;
  readonly owner: string;
  readonly custody: 'operator' | 'self';
  /** RFC 3339. */
  readonly registered_at: string;
  readonly registration_tx: string;
  readonly status: 'active' | 'revoked';
  readonly revoked: { readonly at: string; readonly reason: string } | null;
  readonly delegations: readonly DelegationView[];
}
