import { assign, setup } from 'xstate';
import type { Delegation } from '../../domain/passport/delegation.ts';

/** Incremented whenever the meaning of a state, event or context field changes. */
export const version = 1;

/** Input of a delegation, after its signature and chain are verified. */
export interface DelegationInput {
  readonly delegationId: string;
  readonly delegation: Delegation;
  readonly signature: string;
  /** Milliseconds. */
  readonly grantedAt: number;
}

/** Context of a delegation actor. */
export interface DelegationContext extends DelegationInput {
  readonly revoked: { readonly at: number; readonly reason: string } | null;
}

/** Revocation by the delegator, and erasure of a delegation without force. */
export type DelegationEvent =
  | {
      readonly type: 'DELEGATION.REVOKED';
      readonly reason: string;
      /** Milliseconds. */
      readonly at: number;
    }
  | { readonly type: 'DELEGATION.FORGOTTEN' };

const delegationSetup = setup({
  types: {} as { context: DelegationContext; input: DelegationInput; events: DelegationEvent },
  actions: {
    keepRevocation: assign({
      revoked: ({ context, event }) =>
        event.type === 'DELEGATION.REVOKED'
          ? { at: event.at, reason: event.reason }
          : context.revoked,
    }),
  },
});

/**
 * The machine of one delegation. Its expiry and the validity of its parents are evaluated when it
 * is read, so it needs no timer.
 */
export const delegationMachine = delegationSetup.createMachine({
  id: 'delegation',
  context: createDelegationContext,
  initial: 'granted',
  states: {
    granted: {
      description: 'Granted by signature of its delegator; valid until it expires.',
      on: { 'DELEGATION.REVOKED': { target: 'revoked', actions: 'keepRevocation' } },
    },
    revoked: {
      description: 'Revoked by its delegator.',
      on: { 'DELEGATION.FORGOTTEN': { target: 'forgotten' } },
    },
    forgotten: {
      description: 'Erased on request; delegations derived from it are invalid.',
      type: 'final',
    },
  },
});

function createDelegationContext({
  input,
}: {
  readonly input: DelegationInput;
}): DelegationContext {
  return { ...input, revoked: null };
}
