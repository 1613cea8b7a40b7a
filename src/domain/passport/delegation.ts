import { z } from 'zod';
import { hashJson } from '../common/hash.ts';
import { DAY_MS } from '../common/time.ts';
import type { TypedData } from '../wallet/typed-data.ts';
import { Wallet } from './passport.ts';

/** Bounds of one delegation, and of a chain of them. */
export const DELEGATION = {
  scopesMax: 32,
  scopeCharsMax: 100,
  /** Links of a chain at most; `depth` of the first is one less at most. */
  linksMax: 8,
  /** How far ahead it may end, in milliseconds. */
  lifeMsMax: 366 * DAY_MS,
} as const;

const ORIGIN_CHARS_MAX = 300;

/** Words with dots between them; a last word `*` stands for everything below, alone for all. */
export const Scope = z
  .string()
  .max(DELEGATION.scopeCharsMax)
  .regex(/^(\*|[a-z0-9_-]+(\.[a-z0-9_-]+)*(\.\*)?)$/);

/** Ids of delegations: a hash of what was signed. */
export const DelegationId = z.string().regex(/^dlg_[0-9a-f]{64}$/);

/** What a delegator signs: what the delegate may do in its name, until when. */
export const Delegation = z.strictObject({
  delegator: Wallet,
  delegate: Wallet,
  scope: z.array(Scope).min(1).max(DELEGATION.scopesMax),
  /** RFC 3339 in UTC, signed as it is written. */
  expires_at: z.iso.datetime(),
  /** How many further links may hang below. */
  depth: z
    .int()
    .min(0)
    .max(DELEGATION.linksMax - 1),
  /** The delegation that this one hands on; `null` for what is the delegator's own. */
  parent_id: DelegationId.nullable(),
  /** 32 bytes in hex: makes equal delegations different. */
  nonce: z.string().regex(/^0x[0-9a-f]{64}$/),
  /**
   * The server that it is given at, such as `https://stoa.example`. Those of before this was signed
   * have none; no new one is taken without it.
   */
  origin: z.string().max(ORIGIN_CHARS_MAX).optional(),
});
/** See {@link Delegation}. */
export type Delegation = z.infer<typeof Delegation>;

/** The id of a delegation on a chain: everything that is signed decides it. */
export function delegationId(delegation: Delegation, chainId: number): string {
  return `dlg_${hashJson({ v: 1, chain_id: chainId, delegation })}`;
}

/** What the delegator's wallet signs: the entries of the scope with spaces between them. */
export function delegationTypedData(delegation: Delegation, chainId: number): TypedData {
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

/** A delegation as it stands. */
export interface StandingDelegation {
  readonly delegation_id: string;
  readonly delegation: Delegation;
  /** The delegator's, over the typed data. */
  readonly signature: string;
  /** RFC 3339. */
  readonly granted_at: string;
  readonly revoked: { readonly at: string; readonly reason: string } | null;
}
