import { assign, setup } from 'xstate';
import { MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import type { DatabaseOutcome } from '../../domain/hosting/database-host.ts';
import type { KeyValue, Postgres } from '../../domain/hosting/records.ts';
import { declareEffect } from '../common/effect.ts';

/** Incremented whenever the meaning of a state, event or context field changes. */
export const version = 2;

/** The record of a server without its status. */
export type DatabaseRecord =
  | Omit<Postgres, 'status' | 'reason'>
  | Omit<KeyValue, 'status' | 'reason'>;

/** Input of a database actor. */
export interface DatabaseInput {
  readonly record: DatabaseRecord;
  /** Encrypted passwords. */
  readonly sealedSecrets: string;
}

/** Context of a database actor. */
export interface DatabaseContext extends DatabaseInput {
  /** True if the data directory exists. */
  readonly isMade: boolean;
  /** Number of consecutive failed attempts. */
  readonly tries: number;
  readonly reason: string | null;
}

/** Names of the database effects on the host. */
type DatabaseEffect = 'make' | 'start' | 'watch' | 'reload' | 'stop' | 'erase';

/** Events that a database accepts. */
export type DatabaseEvent =
  | { readonly type: 'CONFIG.CHANGED'; readonly record: DatabaseRecord }
  | { readonly type: 'SUSPEND' }
  | { readonly type: 'RESUME' }
  | { readonly type: 'RETRY' }
  | { readonly type: 'REMOVE' }
  | {
      readonly type: `xstate.done.actor.${DatabaseEffect}`;
      readonly output: DatabaseOutcome;
    }
  | { readonly type: `xstate.error.actor.${string}`; readonly error: unknown };

/** First and longest wait before a server is restarted, in milliseconds. */
const DATABASE_WAIT_MS = { first: 2 * SECOND_MS, longest: 5 * MINUTE_MS } as const;
/** Maximum number of consecutive failed attempts before manual action is required. */
export const ATTEMPTS_MAX = 8;

const databaseSetup = setup({
  types: {} as { context: DatabaseContext; input: DatabaseInput; events: DatabaseEvent },
  actors: {
    make: declareEffect<DatabaseInput, DatabaseOutcome>(),
    start: declareEffect<DatabaseInput, DatabaseOutcome>(),
    watch: declareEffect<DatabaseInput, DatabaseOutcome>(),
    reload: declareEffect<DatabaseInput, DatabaseOutcome>(),
    stop: declareEffect<DatabaseInput, DatabaseOutcome>(),
    erase: declareEffect<DatabaseInput, DatabaseOutcome>(),
  },
  guards: {
    isOk: ({ event }) => databaseOutputOf(event)?.ok === true,
    isHopeless: ({ context, event }) => isFinalFailure(context, event),
    isMade: ({ context }) => context.isMade,
  },
  actions: {
    keepMade: assign({ isMade: true }),
    keepUp: assign({ tries: 0, reason: null }),
    keepFailure: assign(({ context, event }) => applyFailedAttempt(context, event)),
    forgetTries: assign({ tries: 0 }),
    keepRecord: assign({
      record: ({ context, event }) =>
        event.type === 'CONFIG.CHANGED' ? event.record : context.record,
    }),
  },
  delays: {
    nextTry: ({ context }) =>
      Math.min(DATABASE_WAIT_MS.longest, DATABASE_WAIT_MS.first * 2 ** (context.tries - 1)),
  },
});

/**
 * The machine of one Postgres server or Key Value instance. Its states are the statuses of the
 * record. It emits no history, because section 6 covers services only.
 */
export const databaseMachine = databaseSetup.createMachine({
  id: 'database',
  context: createDatabaseContext,
  initial: 'creating',
  states: {
    creating: {
      description: 'Creates the data directory and the initial settings.',
      invoke: {
        src: 'make',
        id: 'make',
        input: createDatabaseInput,
        onDone: [
          { guard: 'isOk', target: 'recovery_in_progress', actions: 'keepMade' },
          { guard: 'isHopeless', target: 'recovery_failed', actions: 'keepFailure' },
          { target: 'unavailable', actions: 'keepFailure' },
        ],
        onError: [
          { guard: 'isHopeless', target: 'recovery_failed', actions: 'keepFailure' },
          { target: 'unavailable', actions: 'keepFailure' },
        ],
      },
      on: { REMOVE: { target: 'removing' }, 'CONFIG.CHANGED': { actions: 'keepRecord' } },
    },
    available: {
      description: 'Accepts connections.',
      tags: ['serving'],
      invoke: {
        src: 'watch',
        id: 'watch',
        input: createDatabaseInput,
        onDone: { target: 'unavailable', actions: 'keepFailure' },
        onError: { target: 'unavailable', actions: 'keepFailure' },
      },
      initial: 'settled',
      on: { SUSPEND: { target: 'suspended' }, REMOVE: { target: 'removing' } },
      states: {
        settled: {
          description: 'Runs with the settings of its record.',
          on: { 'CONFIG.CHANGED': { target: 'reloading', actions: 'keepRecord' } },
        },
        reloading: {
          description: 'Applies changed settings without a restart.',
          invoke: {
            src: 'reload',
            id: 'reload',
            input: createDatabaseInput,
            onDone: [{ guard: 'isOk', target: 'settled' }, { target: '#database.config_restart' }],
            onError: { target: '#database.config_restart' },
          },
          on: {
            'CONFIG.CHANGED': { target: 'reloading', actions: 'keepRecord', reenter: true },
          },
        },
      },
    },
    config_restart: {
      description: 'Changed settings need a restart: stops, then starts with them.',
      invoke: {
        src: 'stop',
        id: 'stop',
        input: createDatabaseInput,
        onDone: { target: 'recovery_in_progress' },
        onError: { target: 'recovery_in_progress' },
      },
      on: {
        'CONFIG.CHANGED': { actions: 'keepRecord' },
        REMOVE: { target: 'removing' },
      },
    },
    unavailable: {
      description: 'Not running; retries with growing waits.',
      on: {
        'CONFIG.CHANGED': { actions: 'keepRecord' },
        SUSPEND: { target: 'suspended', actions: 'forgetTries' },
        REMOVE: { target: 'removing' },
      },
      after: {
        nextTry: [{ guard: 'isMade', target: 'recovery_in_progress' }, { target: 'creating' }],
      },
    },
    recovery_in_progress: {
      description: 'Starts the server, including crash recovery.',
      invoke: {
        src: 'start',
        id: 'start',
        input: createDatabaseInput,
        onDone: [
          { guard: 'isOk', target: 'available', actions: 'keepUp' },
          { guard: 'isHopeless', target: 'recovery_failed', actions: 'keepFailure' },
          { target: 'unavailable', actions: 'keepFailure' },
        ],
        onError: [
          { guard: 'isHopeless', target: 'recovery_failed', actions: 'keepFailure' },
          { target: 'unavailable', actions: 'keepFailure' },
        ],
      },
      on: {
        // A start in progress uses the previous settings; another start adopts a running server.
        'CONFIG.CHANGED': {
          target: 'recovery_in_progress',
          actions: 'keepRecord',
          reenter: true,
        },
        REMOVE: { target: 'removing' },
      },
    },
    recovery_failed: {
      description: 'Creation or start failed; waits for a manual retry.',
      on: {
        RETRY: [
          { guard: 'isMade', target: 'recovery_in_progress', actions: 'forgetTries' },
          { target: 'creating', actions: 'forgetTries' },
        ],
        'CONFIG.CHANGED': { actions: 'keepRecord' },
        REMOVE: { target: 'removing' },
      },
    },
    suspended: {
      description: 'Not running; its data is kept.',
      initial: 'stopping',
      on: { REMOVE: { target: 'removing' }, 'CONFIG.CHANGED': { actions: 'keepRecord' } },
      states: {
        stopping: {
          description: 'Stops the server.',
          invoke: {
            src: 'stop',
            id: 'stop',
            input: createDatabaseInput,
            onDone: { target: 'stopped' },
            onError: { target: 'stopped' },
          },
        },
        stopped: {
          description: 'Waits to be resumed.',
          on: {
            RESUME: [
              { guard: 'isMade', target: '#database.recovery_in_progress' },
              { target: '#database.creating' },
            ],
          },
        },
      },
    },
    removing: {
      description: 'Stops the server and deletes its data.',
      invoke: {
        src: 'erase',
        id: 'erase',
        input: createDatabaseInput,
        onDone: { target: 'removed' },
        onError: { target: 'removed' },
      },
    },
    removed: {
      description: 'Removed completely.',
      type: 'final',
    },
  },
});

/** Creates the initial context of a database. */
function createDatabaseContext({ input }: { readonly input: DatabaseInput }): DatabaseContext {
  return { ...input, isMade: false, tries: 0, reason: null };
}

/** Creates the input of the database effects. */
function createDatabaseInput({ context }: { readonly context: DatabaseContext }): DatabaseInput {
  const { record, sealedSecrets } = context;
  return { record, sealedSecrets };
}

/** Returns the output of a database effect in an event, if any. */
function databaseOutputOf(event: DatabaseEvent): DatabaseOutcome | undefined {
  return 'output' in event ? event.output : undefined;
}

/** Returns the context changes after a failed attempt. */
function applyFailedAttempt({ tries }: DatabaseContext, event: DatabaseEvent) {
  const end = databaseOutputOf(event);
  const reason = end?.ok === false ? end.reason : 'the machine lost it';
  return { reason, tries: tries + 1 };
}

/** Returns whether another attempt is pointless. */
function isFinalFailure({ tries }: DatabaseContext, event: DatabaseEvent): boolean {
  const end = databaseOutputOf(event);
  return (end?.ok === false && end.isFinal) || tries + 1 >= ATTEMPTS_MAX;
}
