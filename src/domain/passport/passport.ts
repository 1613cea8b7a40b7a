import { z } from 'zod';

/** Agent name: 3 to 64 lower-case letters, digits, dots and hyphens, starting with a letter. */
export const AgentName = z.string().regex(/^[a-z][a-z0-9.-]{1,62}[a-z0-9]$/);

/** Wallet address, normalized to lower case. */
export const Wallet = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((address) => address.toLowerCase());

/** A delegation as shown in a passport. The signature chain has its own endpoint. */
export interface DelegationView {
  readonly delegation_id: string;
  readonly delegator: string;
  readonly delegate: string;
  readonly scope: readonly string[];
  readonly depth_left: number;
  /** RFC 3339. */
  readonly expires_at: string;
  readonly status: 'active' | 'expired' | 'revoked';
  /** Position of its proof (kind 30014) in the log. */
  readonly proof_seq: number | null;
}

/** A passport as published. Its owner, its wallet and its custodian are three different parties. */
export interface PassportView {
  readonly name: string;
  /** For example `eip155:31337:0x…:7`. */
  readonly agent_id: string;
  readonly erc8004: {
    readonly agent_registry: string;
    readonly id: string;
    readonly agent_uri: string;
  };
  readonly operator_id: string;
  readonly agent_class: string;
  /** The registered wallet; `null` if none has proved control since the last transfer. */
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
