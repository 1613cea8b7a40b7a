import { z } from 'zod';
import { hashJson } from '../common/hash.ts';
import { DAY_MS } from '../common/time.ts';
import type { TypedData } from '../wallet/typed-data.ts';
import { Wallet } from './passport.ts';

/** Limits of one delegation and of a chain. */
export const DELEGATION_LIMITS = {
  scopesMax: 32,
  scopeCharsMax: 100,
  /** Maximum number of links in a chain; the `depth` of the first is at most one less. */
  linksMax: 8,
  /** Maximum lifetime, in milliseconds. */
  lifeMsMax: 366 * DAY_MS,
} as const;

const ORIGIN_CHARS_MAX = 300;

/** Words separated by dots. A final `*` covers everything below; `*` alone covers all. */
export const Scope = z
  .string()
  .max(DELEGATION_LIMITS.scopeCharsMax)
  .regex(/^(\*|[a-z0-9_-]+(\.[a-z0-9_-]+)*(\.\*)?)$/);

/** Id of a delegation: a hash of its signed content. */
export const DelegationId = z.string().regex(/^dlg_[0-9a-f]{64}$/);

/**
 * The signed content of a delegation: what the delegate may do for the delegator, and until when.
 */
export const Delegation = z.strictObject({
  delegator: Wallet,
  delegate: Wallet,
  scope: z.array(Scope).min(1).max(DELEGATION_LIMITS.scopesMax),
  /** RFC 3339 in UTC, signed exactly as written. */
  expires_at: z.iso.datetime(),
  /** Maximum number of further links below. */
  depth: z
    .int()
    .min(0)
    .max(DELEGATION_LIMITS.linksMax - 1),
  /** The parent delegation; `null` for a right of the delegator's own. */
  parent_id: DelegationId.nullable(),
  /** 32 bytes in hex that make equal delegations distinct. */
  nonce: z.string().regex(/^0x[0-9a-f]{64}$/),
  /**
   * The server that accepts it, such as `https://stoa.example`. Delegations from before this field
   * was signed lack it; new ones require it.
   */
  origin: z.string().max(ORIGIN_CHARS_MAX).optional(),
});
/** The signed content of a delegation. */
export type Delegation = z.infer<typeof Delegation>;

/** Derives the id of a delegation from its signed content and the chain id. */
export function deriveDelegationId(delegation: Delegation, chainId: number): string {
  return `dlg_${hashJson({ v: 1, chain_id: chainId, delegation })}`;
}

/** Returns the typed data that the delegator's wallet signs. Scope entries are joined by spaces. */
export function buildDelegationTypedData(delegation: Delegation, chainId: number): TypedData {
  const { delegator, delegate, scope, expires_at, depth, parent_id, nonce, origin } = delegation;
  const isBound = origin !== undefined;
  return {
    domain: { name: 'Stoa Delegation', version: isBound ? '2' : '1', chainId },
    types: {
      Delegation: [
        ...(isBound ? [{ name: 'origin', type: 'string' }] : []),
        { name: 'delegator', type: 'address' },
        { name: 'delegate', type: 'address' },
        { name: 'scope', type: 'string' },
        { name: 'expires_at', type: 'string' },
        { name: 'depth', type: 'uint256' },
        { name: 'parent_id', type: 'string' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'Delegation',
    message: {
      ...(isBound ? { origin } : {}),
      delegator,
      delegate,
      scope: scope.join(' '),
      expires_at,
      depth,
      parent_id: parent_id ?? '',
      nonce,
    },
  };
}

/** A delegation with its current state. */
export interface DelegationState {
  readonly delegation_id: string;
  readonly delegation: Delegation;
  /** Signature of the delegator over the typed data. */
  readonly signature: string;
  /** RFC 3339. */
  readonly granted_at: string;
  readonly revoked: { readonly at: string; readonly reason: string } | null;
}
