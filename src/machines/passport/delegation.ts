import { assign, setup } from 'xstate';
import type { Delegation } from '../../domain/passport/delegation.ts';

/** Raised whenever the meaning of a state, event or context field changes. */
export const version = 1;

/** What a delegation is created with, once its signature and its chain have been checked. */
export interface DelegationInput {
  readonly delegationId: string;
  readonly delegation: Delegation;
  readonly signature: string;
  /** Milliseconds. */
  readonly grantedAt: number;
}

/** A delegation as its actor keeps it. */
export interface DelegationContext extends DelegationInput {
  readonly revoked: { readonly at: number; readonly reason: string } | null;
}

/** Its delegator takes it back; once it has no force it can be erased. */
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
 * One delegation. Whether it has ended, and whether what it hangs on has fallen, is judged when it
 * is asked about: nothing has to happen at that moment, so there is no timer.
 */
export const delegationMachine = delegationSetup.createMachine({
  id: 'delegation',
  context: grantedDelegation,
  initial: 'granted',
  states: {
    granted: {
      description: 'Given by the signature of its delegator; it holds until its time is over.',
      on: { 'DELEGATION.REVOKED': { target: 'revoked', actions: 'keepRevocation' } },
    },
    revoked: {
      description: 'Taken back by its delegator.',
      on: { 'DELEGATION.FORGOTTEN': { target: 'forgotten' } },
    },
    forgotten: {
      description: 'Erased for its subject; the chain of what hung below it is broken.',
      type: 'final',
    },
  },
});

function grantedDelegation({ input }: { readonly input: DelegationInput }): DelegationContext {
  return { ...input, revoked: null };
}
