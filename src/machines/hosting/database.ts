import { assign, setup } from 'xstate';
import type { DatabaseOutcome } from '../../domain/hosting/database-host.ts';
import { declareEffect } from '../common/effect.ts';
import {
  applyFailedAttempt,
  createDatabaseContext,
  createDatabaseInput,
  DATABASE_WAIT_MS,
  type DatabaseContext,
  type DatabaseEvent,
  type DatabaseInput,
  databaseOutputOf,
  isFinalFailure,
} from './database-context.ts';

/** Incremented whenever the meaning of a state, event or context field changes. */
export const version = 2;

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
