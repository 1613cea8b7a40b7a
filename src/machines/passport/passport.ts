import { assign, setup } from 'xstate';
import { MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import { declareEffect } from '../common/effect.ts';
import {
  type BindInput,
  type ClaimInput,
  callFailureOf,
  callOutcomeOf,
  chainReceiptOf,
  createPassportContext,
  type MintInput,
  type MintResult,
  type ObservedCall,
  type PassportContext,
  type PassportEvent,
  type PassportRequest,
} from './passport-context.ts';

/** Incremented whenever the meaning of a state, event or context field changes. */
export const version = 1;

/** First and longest wait before an unknown outcome is checked again, in milliseconds. */
export const PASSPORT_WAIT_MS = { first: 2 * SECOND_MS, longest: 5 * MINUTE_MS } as const;

const passportSetup = setup({
  types: {} as { context: PassportContext; input: PassportRequest; events: PassportEvent },
  actors: {
    register: declareEffect<MintInput, ObservedCall<MintResult>>(),
    setWallet: declareEffect<BindInput, ObservedCall<null>>(),
    transfer: declareEffect<ClaimInput, ObservedCall<null>>(),
  },
  guards: {
    isDone: ({ event }) => callOutcomeOf(event)?.state === 'done',
    isRefused: ({ event }) => callOutcomeOf(event)?.state === 'refused',
  },
  actions: {
    keepAsk: assign({
      ask: ({ context, event }) => (event.type === 'PASSPORT.ASKED' ? event.ask : context.ask),
    }),
    begin: assign({ fault: null, transaction: null, tries: 0 }),
    countTry: assign({ tries: ({ context }) => context.tries + 1 }),
    keepFault: assign({ fault: ({ event }) => callFailureOf(event) }),
    keepUnknown: assign({
      fault: ({ event }) => callFailureOf(event),
      transaction: ({ context, event }) => {
        const seen = callOutcomeOf(event);
        return (seen?.state === 'unknown' ? seen.transaction : null) ?? context.transaction;
      },
    }),
    keepMint: assign({
      fault: null,
      minted: ({ context, event }) => chainReceiptOf(event, context.transaction),
      agentId: ({ context, event }) => {
        const seen = callOutcomeOf(event);
        return seen?.state === 'done' ? (seen.result?.agentId ?? null) : context.agentId;
      },
    }),
    keepConsent: assign({
      consent: ({ context, event }) =>
        event.type === 'WALLET.SIGNED' ? event.consent : context.consent,
    }),
    keepBinding: assign({
      fault: null,
      bound: ({ context, event }) => chainReceiptOf(event, context.transaction),
    }),
    keepClaim: assign({
      fault: null,
      claimed: ({ context, event }) => chainReceiptOf(event, context.transaction),
    }),
    keepRevocation: assign({
      revoked: ({ context, event }) =>
        event.type === 'PASSPORT.REVOKED'
          ? { at: event.at, reason: event.reason, by: event.by }
          : context.revoked,
    }),
  },
  delays: {
    nextTry: ({ context }) =>
      Math.min(PASSPORT_WAIT_MS.longest, PASSPORT_WAIT_MS.first * 2 ** context.tries),
  },
});

const WAITING_STATE = {
  description: 'The outcome is unknown; checks the chain again with growing waits.',
  after: { nextTry: { target: 'sending', actions: 'countTry' } },
} as const;

/**
 * The machine of one agent's passport. The operator sends the chain calls; only the chain states
 * the owner and the bound wallet.
 */
export const passportMachine = passportSetup.createMachine({
  id: 'passport',
  context: createPassportContext,
  initial: 'requested',
  states: {
    requested: {
      description: 'Requested by a proven wallet.',
      always: { target: 'minting' },
    },
    minting: {
      description: 'Registers the agent on the chain; idempotent.',
      tags: ['pending'],
      entry: 'begin',
      initial: 'sending',
      states: {
        sending: {
          description: 'Sends the call, or finds the earlier one.',
          invoke: {
            src: 'register',
            id: 'register',
            input: mintInput,
            onDone: [
              { guard: 'isDone', target: '#passport.custodial', actions: 'keepMint' },
              { guard: 'isRefused', target: '#passport.refused', actions: 'keepFault' },
              { target: 'waiting', actions: 'keepUnknown' },
            ],
            onError: { target: 'waiting', actions: 'keepUnknown' },
          },
        },
        waiting: WAITING_STATE,
      },
    },
    refused: {
      description: 'Not minted: rejected by the chain or the gas budget; the name is free.',
      on: { 'PASSPORT.ASKED': { target: 'minting', actions: 'keepAsk' } },
    },
    custodial: {
      description: 'Registered; the operator holds the token for the requesting wallet.',
      tags: ['registered'],
      on: {
        'WALLET.SIGNED': { target: 'binding', actions: 'keepConsent' },
        'CLAIM.ASKED': { target: 'claiming' },
        'PASSPORT.REVOKED': { target: 'revoked', actions: 'keepRevocation' },
      },
    },
    binding: {
      description: 'The wallet has signed; sends its signature to the chain.',
      tags: ['registered', 'pending'],
      entry: 'begin',
      initial: 'sending',
      states: {
        sending: {
          description: 'Sends the call, or finds the earlier one.',
          invoke: {
            src: 'setWallet',
            id: 'setWallet',
            input: bindInput,
            onDone: [
              { guard: 'isDone', target: '#passport.custodial', actions: 'keepBinding' },
              { guard: 'isRefused', target: '#passport.custodial', actions: 'keepFault' },
              { target: 'waiting', actions: 'keepUnknown' },
            ],
            onError: { target: 'waiting', actions: 'keepUnknown' },
          },
        },
        waiting: WAITING_STATE,
      },
    },
    claiming: {
      description: 'Transfers the token to the wallet, which clears the bound wallet.',
      tags: ['registered', 'pending'],
      entry: 'begin',
      initial: 'sending',
      states: {
        sending: {
          description: 'Sends the call, or finds the earlier one.',
          invoke: {
            src: 'transfer',
            id: 'transfer',
            input: claimInput,
            onDone: [
              { guard: 'isDone', target: '#passport.self', actions: 'keepClaim' },
              { guard: 'isRefused', target: '#passport.custodial', actions: 'keepFault' },
              { target: 'waiting', actions: 'keepUnknown' },
            ],
            onError: { target: 'waiting', actions: 'keepUnknown' },
          },
        },
        waiting: WAITING_STATE,
      },
    },
    self: {
      description: 'Registered; its owner holds the token.',
      tags: ['registered'],
      on: { 'PASSPORT.REVOKED': { target: 'revoked', actions: 'keepRevocation' } },
    },
    revoked: {
      description: 'Revoked by its owner; the name stays taken.',
      tags: ['registered'],
      on: { 'PASSPORT.FORGOTTEN': { target: 'forgotten' } },
    },
    forgotten: {
      description: 'Erased on request; only the chain still has it.',
      type: 'final',
    },
  },
});

type ContextArgs = { readonly context: PassportContext };

function mintInput({ context: { ask } }: ContextArgs): MintInput {
  return { order: ask.order, askedAt: ask.at };
}

function bindInput({ context: { ask, agentId, consent } }: ContextArgs): BindInput {
  const { name, wallet } = ask.order;
  const { deadlineS = 0, signature = '0x' } = consent ?? {};
  return { name, agentId: agentId ?? '', wallet, deadlineS, signature };
}

function claimInput({ context: { ask, agentId } }: ContextArgs): ClaimInput {
  return { name: ask.order.name, agentId: agentId ?? '', to: ask.order.wallet };
}
