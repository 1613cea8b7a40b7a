import { assign, setup } from 'xstate';

/** Incremented whenever the meaning of a state, event or context field changes. */
export const version = 1;

/** Maximum number of refused uses stored per seal; later ones are only counted. */
export const SEAL_REFUSALS_MAX = 10;

/** Input of a seal. Times are in milliseconds. */
export interface SealInput {
  readonly sealId: string;
  /** Payment that bought the seal. */
  readonly paymentId: string;
  /** SHA-256 of the deliverable, in hex. */
  readonly deliverableSha256: string;
  /** Producing agent as given, with its id and wallet if registered. */
  readonly agent: string;
  readonly agentId: string | null;
  readonly wallet: string | null;
  /** Wallet that paid for the seal; absent in seals of earlier versions. */
  readonly payer?: string;
  /** SHA-256 of the capability, in hex; whoever holds the capability may redeem. */
  readonly capabilitySha: string;
  readonly issuedAt: number;
  /** Validity before use, and retention after use. */
  readonly lifeMs: number;
}

/** One use of a seal, accepted or refused. */
export interface SealUse {
  readonly paymentId: string;
  readonly deliverableSha256: string;
  readonly at: number;
}

/** A refused use, with its reason. */
export interface SealRefusal extends SealUse {
  readonly reason: 'used' | 'other_deliverable';
}

/** Context of a seal actor. */
export interface SealContext extends SealInput {
  /** The accepted use; `null` before redemption. */
  readonly redemption: SealUse | null;
  /** The first refused uses. */
  readonly refusals: readonly SealRefusal[];
  readonly refused: number;
}

/** The only event: a use by a holder of the capability. */
export type SealEvent = { readonly type: 'SEAL.REDEEMED' } & SealUse;

const sealSetup = setup({
  types: {} as { context: SealContext; input: SealInput; events: SealEvent },
  guards: {
    isOfDeliverable: ({ context, event }) => event.deliverableSha256 === context.deliverableSha256,
    isKnownUse: ({ context, event }) => hasUse(context, event.paymentId),
  },
  delays: {
    life: ({ context }) => context.lifeMs,
  },
  actions: {
    keepUse: assign({ redemption: ({ event }) => toSealUse(event) }),
    refuseUse: assign(({ context, event }) =>
      recordRefusal(context, { ...toSealUse(event), reason: 'used' }),
    ),
    refuseDeliverable: assign(({ context, event }) =>
      recordRefusal(context, { ...toSealUse(event), reason: 'other_deliverable' }),
    ),
  },
});

/** The seal machine. A seal binds one deliverable to one producing agent and can be used once. */
export const sealMachine = sealSetup.createMachine({
  id: 'seal',
  context: createSealContext,
  initial: 'issued',
  states: {
    issued: {
      description: 'Bound to its deliverable and agent; not used yet.',
      after: { life: 'expired' },
      on: {
        'SEAL.REDEEMED': [
          { guard: 'isKnownUse' },
          { guard: 'isOfDeliverable', target: 'redeemed', actions: 'keepUse' },
          { actions: 'refuseDeliverable' },
        ],
      },
    },
    redeemed: {
      description: 'Used once; further uses are refused and the refusals are stored.',
      after: { life: 'closed' },
      on: {
        'SEAL.REDEEMED': [{ guard: 'isKnownUse' }, { actions: 'refuseUse' }],
      },
    },
    expired: { type: 'final', description: 'Expired without being used.' },
    closed: { type: 'final', description: 'Used; no longer accepts events.' },
  },
});

function createSealContext({ input }: { readonly input: SealInput }): SealContext {
  return { ...input, redemption: null, refusals: [], refused: 0 };
}

/** A repeated payment is the same use, whether accepted or refused. */
function hasUse({ redemption, refusals }: SealContext, paymentId: string): boolean {
  return [redemption, ...refusals].some((use) => use?.paymentId === paymentId);
}

function toSealUse({ paymentId, deliverableSha256, at }: SealEvent): SealUse {
  return { paymentId, deliverableSha256, at };
}

function recordRefusal({ refusals, refused }: SealContext, refusal: SealRefusal) {
  const refusalsKept = refusals.length < SEAL_REFUSALS_MAX ? [...refusals, refusal] : refusals;
  return { refusals: refusalsKept, refused: refused + 1 };
}
