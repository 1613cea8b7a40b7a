import { assign, setup } from 'xstate';

/** Incremented whenever the meaning of a state, event or context field changes. */
export const version = 1;

/** Status labels of a control (specification section 3). */
export type ControlLabel = 'LIVE' | 'SHADOW' | 'OFF';

/** A requested or stored change of a control. */
export interface ControlChange {
  readonly to: ControlLabel;
  readonly who: string;
  readonly why: string;
  /** Milliseconds. */
  readonly at: number;
}

/** Input of a control. */
export interface ControlInput {
  readonly controlId: string;
  readonly label: ControlLabel;
}

/** Context of a control actor. */
export interface ControlContext extends ControlInput {
  /** Change that led to the current label; `null` if never changed. */
  readonly change: ControlChange | null;
  readonly changes: number;
}

/** The only event: a change requested by a role. */
export type ControlEvent = {
  readonly type: 'CONTROL.CHANGED';
  readonly role: 'operator' | 'caller';
} & ControlChange;

const controlSetup = setup({
  types: {} as { context: ControlContext; input: ControlInput; events: ControlEvent },
  guards: {
    isDeclaredLive: ({ context }) => context.label === 'LIVE',
    isDeclaredShadow: ({ context }) => context.label === 'SHADOW',
    isToLive: ({ event }) => isAllowed(event) && event.to === 'LIVE',
    isToShadow: ({ event }) => isAllowed(event) && event.to === 'SHADOW',
    isToOff: ({ event }) => isAllowed(event) && event.to === 'OFF',
  },
  actions: {
    keepChange: assign({
      label: ({ event }) => event.to,
      change: ({ event: { to, who, why, at } }) => ({ to, who, why, at }),
      changes: ({ context }) => context.changes + 1,
    }),
  },
});

/** The machine of one control. Only the operator can change it, with author and reason. */
export const controlMachine = controlSetup.createMachine({
  id: 'control',
  context: createControlContext,
  initial: 'declared',
  states: {
    declared: {
      description: 'Starts with its declared label.',
      always: [
        { guard: 'isDeclaredLive', target: 'LIVE' },
        { guard: 'isDeclaredShadow', target: 'SHADOW' },
        { target: 'OFF' },
      ],
    },
    LIVE: {
      description: 'Runs and acts.',
      on: {
        'CONTROL.CHANGED': [
          { guard: 'isToShadow', target: 'SHADOW', actions: 'keepChange' },
          { guard: 'isToOff', target: 'OFF', actions: 'keepChange' },
        ],
      },
    },
    SHADOW: {
      description: 'Runs and records; does not act.',
      on: {
        'CONTROL.CHANGED': [
          { guard: 'isToLive', target: 'LIVE', actions: 'keepChange' },
          { guard: 'isToOff', target: 'OFF', actions: 'keepChange' },
        ],
      },
    },
    OFF: {
      description: 'Built; not enabled.',
      on: {
        'CONTROL.CHANGED': [
          { guard: 'isToLive', target: 'LIVE', actions: 'keepChange' },
          { guard: 'isToShadow', target: 'SHADOW', actions: 'keepChange' },
        ],
      },
    },
  },
});

function createControlContext({ input }: { readonly input: ControlInput }): ControlContext {
  return { ...input, change: null, changes: 0 };
}

function isAllowed({ role, who, why }: ControlEvent): boolean {
  return role === 'operator' && who.trim() !== '' && why.trim() !== '';
}
