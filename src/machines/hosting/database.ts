import { assign, setup } from 'xstate';
import type { DatabaseEnd } from '../../domain/hosting/database-host.ts';
import { effect } from '../common/effect.ts';
import {
  askedDatabase,
  DATABASE_WAIT_MS,
  type DatabaseContext,
  type DatabaseEvent,
  type DatabaseInput,
  databaseEnd,
  databaseWork,
  failedTry,
  isHopeless,
} from './database-facts.ts';

/** Incremented whenever the meaning of a state, event or context field changes. */
export const version = 2;

const databaseSetup = setup({
  types: {} as { context: DatabaseContext; input: DatabaseInput; events: DatabaseEvent },
  actors: {
    make: effect<DatabaseInput, DatabaseEnd>(),
    start: effect<DatabaseInput, DatabaseEnd>(),
    watch: effect<DatabaseInput, DatabaseEnd>(),
    reload: effect<DatabaseInput, DatabaseEnd>(),
    stop: effect<DatabaseInput, DatabaseEnd>(),
    erase: effect<DatabaseInput, DatabaseEnd>(),
  },
  guards: {
    isOk: ({ event }) => databaseEnd(event)?.ok === true,
    isHopeless: ({ context, event }) => isHopeless(context, event),
    isMade: ({ context }) => context.isMade,
  },
  actions: {
    keepMade: assign({ isMade: true }),
    keepUp: assign({ tries: 0, reason: null }),
    keepFailure: assign(({ context, event }) => failedTry(context, event)),
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
  context: askedDatabase,
  initial: 'creating',
  states: {
    creating: {
      description: 'Its data directory and its first settings are made.',
      invoke: {
        src: 'make',
        id: 'make',
        input: databaseWork,
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
      description: 'It takes connections.',
      tags: ['serving'],
      invoke: {
        src: 'watch',
        id: 'watch',
        input: databaseWork,
        onDone: { target: 'unavailable', actions: 'keepFailure' },
        onError: { target: 'unavailable', actions: 'keepFailure' },
      },
      initial: 'settled',
      on: { SUSPEND: { target: 'suspended' }, REMOVE: { target: 'removing' } },
      states: {
        settled: {
          description: 'It runs with the settings of its record.',
          on: { 'CONFIG.CHANGED': { target: 'reloading', actions: 'keepRecord' } },
        },
        reloading: {
          description: 'It takes changed settings while it goes on.',
          invoke: {
            src: 'reload',
            id: 'reload',
            input: databaseWork,
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
      description:
        'Changed settings were not taken while it went on: it ends, and starts with them.',
      invoke: {
        src: 'stop',
        id: 'stop',
        input: databaseWork,
        onDone: { target: 'recovery_in_progress' },
        onError: { target: 'recovery_in_progress' },
      },
      on: {
        'CONFIG.CHANGED': { actions: 'keepRecord' },
        REMOVE: { target: 'removing' },
      },
    },
    unavailable: {
      description: 'It does not run; the next try waits longer each time.',
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
      description: 'The server is started, and reads what a crash may have left.',
      invoke: {
        src: 'start',
        id: 'start',
        input: databaseWork,
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
          ...{ target: 'recovery_in_progress', actions: 'keepRecord', reenter: true },
        },
        REMOVE: { target: 'removing' },
      },
    },
    recovery_failed: {
      description: 'It could not be made or started; somebody has to look, and ask for a try.',
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
      description: 'Its data is kept, and it does not run.',
      initial: 'stopping',
      on: { REMOVE: { target: 'removing' }, 'CONFIG.CHANGED': { actions: 'keepRecord' } },
      states: {
        stopping: {
          description: 'The server ends what it does.',
          invoke: {
            src: 'stop',
            id: 'stop',
            input: databaseWork,
            onDone: { target: 'stopped' },
            onError: { target: 'stopped' },
          },
        },
        stopped: {
          description: 'Until it is resumed.',
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
      description: 'It ends, and its data goes.',
      invoke: {
        src: 'erase',
        id: 'erase',
        input: databaseWork,
        onDone: { target: 'removed' },
        onError: { target: 'removed' },
      },
    },
    removed: {
      description: 'Nothing of it is left.',
      type: 'final',
    },
  },
});
