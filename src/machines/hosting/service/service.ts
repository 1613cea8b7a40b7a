import { createServiceContext } from './context.ts';
import { serviceSetup } from './setup.ts';

/** Incremented whenever the meaning of a state, event or context field changes. */
export const version = 3;

/**
 * The machine of one service: its settings and the order of its deploys. One deploy is active at a
 * time. Of the deploys requested meanwhile only the newest waits, and includes the work of the
 * others. An order replaces a build or start in progress; a push waits for it.
 */
export const serviceMachine = serviceSetup.createMachine({
  id: 'service',
  context: createServiceContext,
  initial: 'created',
  states: {
    created: {
      description: 'Created; starts the first deploy if there is a source.',
      always: [{ guard: 'hasFirst', target: 'active', actions: 'begin' }, { target: 'active' }],
    },
    active: {
      description: 'Accepts deploys, changes and commits; each of them ends a crash loop.',
      on: {
        'DEPLOY.ASKED': [
          { guard: 'asksAtRest', actions: ['endCrash', 'begin'] },
          { actions: 'wait' },
        ],
        'DEPLOY.CANCELED': [
          { guard: 'isWaiting', actions: ['passCancel', 'forgetWaiting'] },
          { guard: 'isCurrent', actions: 'passCancel' },
        ],
        'DEPLOY.LIVE': [
          { guard: 'isCurrentWithNext', actions: ['keepLive', 'endCrash', 'next'] },
          { guard: 'isCurrent', actions: ['keepLive', 'endCrash', 'rest'] },
        ],
        'DEPLOY.ENDED': [
          { guard: 'isCurrentWithNext', actions: ['keepSeen', 'endCrash', 'next'] },
          { guard: 'isCurrent', actions: ['keepSeen', 'rest'] },
        ],
        'SERVICE.CHANGED': [
          { guard: 'asksAtRest', actions: ['keepChange', 'endCrash', 'begin'] },
          { guard: 'asks', actions: ['keepChange', 'wait'] },
          { actions: 'keepChange' },
        ],
        'ENV.REPLACED': [
          { guard: 'isAtRest', actions: ['keepEnv', 'endCrash', 'begin'] },
          { actions: ['keepEnv', 'wait'] },
        ],
        'BRANCH.MOVED': [
          { guard: 'isSeen' },
          { guard: 'isPassedOver', actions: ['keepSeen', 'tellIgnored'] },
          { guard: 'isAtRest', actions: ['keepSeen', 'endCrash', 'begin'] },
          { actions: ['keepSeen', 'wait'] },
        ],
        'RUN.SUCCEEDED': { guard: 'isCronJob', actions: 'keepRun' },
        'BRANCH.GONE': { actions: ['tellBranchGone', 'stopFollowing'] },
        'DISK.MEASURED': [
          { guard: 'isDiskFilling', actions: 'tellDiskHigh' },
          { guard: 'hasDiskRecovered', actions: 'tellDiskRecovered' },
        ],
        RESTART: { guard: 'isServing', actions: 'restart' },
        SUSPEND: { target: 'suspended', actions: ['suspend', 'endAll'] },
        RESUME: { guard: 'isCrashedAtRest', actions: ['endCrash', 'begin'] },
        // The active deploy may be the fix, so it continues.
        'INSTANCE.STUCK': { guard: 'isOfLive', actions: ['suspend', 'endLive'] },
        REMOVE: { target: 'removed', actions: 'endAll' },
      },
    },
    suspended: {
      description: 'Not running; settings can change and the last build is kept.',
      on: {
        // A deploy past its cancellation still ends normally.
        'DEPLOY.LIVE': { guard: 'isCurrent', actions: ['retire', 'rest'] },
        'DEPLOY.ENDED': { guard: 'isCurrent', actions: ['keepSeen', 'rest'] },
        'SERVICE.CHANGED': { actions: 'keepChange' },
        'ENV.REPLACED': { actions: 'keepEnv' },
        'RUN.SUCCEEDED': { guard: 'isCronJob', actions: 'keepRun' },
        'DISK.MEASURED': [
          { guard: 'isDiskFilling', actions: 'tellDiskHigh' },
          { guard: 'hasDiskRecovered', actions: 'tellDiskRecovered' },
        ],
        RESUME: [
          { guard: 'isAtRest', target: 'active', actions: ['resume', 'begin'] },
          { target: 'active', actions: ['resume', 'wait'] },
        ],
        REMOVE: { target: 'removed', actions: 'endAll' },
      },
    },
    removed: {
      description: 'Removed by its owner; late messages of its deploys are ignored.',
      tags: ['ended'],
      on: { 'DEPLOY.LIVE': { guard: 'isCurrent', actions: ['retire', 'rest'] } },
      after: { kept: { target: 'gone' } },
    },
    gone: {
      description: 'Accepts no events any more.',
      type: 'final',
    },
  },
});
