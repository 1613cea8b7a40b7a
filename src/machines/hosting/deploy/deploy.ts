import { createDeployContext, createDeployInput } from './context.ts';
import { deploySetup, type EndStatus } from './setup.ts';

/** Incremented whenever the meaning of a state, event or context field changes. */
export const version = 1;

const buildEndedAction = (as: EndStatus) => ({ type: 'tellBuildEnded', params: { as } }) as const;
const preDeployEndedAction = (as: EndStatus) =>
  ({ type: 'tellPreDeployEnded', params: { as } }) as const;
const deployEndedAction = (as: EndStatus) => ({ type: 'tellDeployEnded', params: { as } }) as const;
const renewalEndedAction = (as: EndStatus) =>
  ({ type: 'tellRenewalEnded', params: { as } }) as const;
/** Actions of every unsuccessful end. */
const failureActions = [deployEndedAction('failed'), 'answerEnded'] as const;
const cancelActions = [deployEndedAction('canceled'), 'answerEnded'] as const;

/** How each part fails. The first three end the deploy before anything serves. */
const onFetchFailed = {
  target: '#deploy.build_failed',
  actions: ['keepReason', 'finish', 'tellFetchFailed', buildEndedAction('failed')],
} as const;
const onBuildFailed = {
  target: '#deploy.build_failed',
  actions: ['keepReason', 'finish', buildEndedAction('failed')],
} as const;
const onPreDeployFailed = {
  target: 'pre_deploy_failed',
  actions: ['keepReason', 'finish', preDeployEndedAction('failed')],
} as const;
const onUpdateFailed = {
  target: '#deploy.update_failed',
  actions: ['keepReason', 'finish', 'drainInstances'],
} as const;
const onRenewalFailed = {
  target: 'serving',
  actions: [
    'keepReason',
    renewalEndedAction('failed'),
    'forgetReason',
    'drainNew',
    'takeBackRound',
  ],
} as const;
const onHealthy = [
  { guard: 'isLastOfRound', target: 'switching', actions: 'keepHealthy' },
  { actions: 'keepHealthy' },
] as const;

/**
 * The machine of one deploy. Its states are the statuses of the record. The previous version serves
 * until the new instances are healthy and the router has switched; a failed deploy leaves it
 * untouched.
 */
export const deployMachine = deploySetup.createMachine({
  id: 'deploy',
  context: createDeployContext,
  initial: 'created',
  states: {
    created: {
      description: 'Created; starts at once or waits for its turn.',
      always: [
        { guard: 'mustWait', target: 'queued' },
        { guard: 'isBuilt', target: 'update_in_progress', actions: ['begin', 'tellStarted'] },
        { target: 'build_in_progress', actions: ['begin', 'tellStarted'] },
      ],
    },
    queued: {
      description: 'Waits while another deploy of the service is active.',
      on: {
        'TURN.COME': [
          {
            guard: 'isTurnOfBuilt',
            target: 'update_in_progress',
            actions: ['keepTurn', 'begin', 'tellStarted'],
          },
          { target: 'build_in_progress', actions: ['keepTurn', 'begin', 'tellStarted'] },
        ],
        // Nothing has started, so no end is reported.
        CANCEL: { target: 'canceled', actions: ['keepReason', 'finish'] },
      },
    },
    build_in_progress: {
      description: 'Fetches and builds the source.',
      entry: 'tellBuildStarted',
      initial: 'fetching',
      on: {
        CANCEL: {
          target: 'canceled',
          actions: ['keepReason', 'finish', buildEndedAction('canceled'), ...cancelActions],
        },
      },
      states: {
        fetching: {
          description: 'Fetches the commit from its source.',
          invoke: {
            src: 'fetch',
            id: 'fetch',
            input: createDeployInput,
            onDone: [{ guard: 'isOk', target: 'building', actions: 'keepCommit' }, onFetchFailed],
            onError: onFetchFailed,
          },
        },
        building: {
          description: 'Runs the build command in a dedicated folder.',
          invoke: {
            src: 'build',
            id: 'build',
            input: createDeployInput,
            onDone: [
              {
                guard: 'isOkWithPreDeploy',
                target: '#deploy.pre_deploy_in_progress',
                actions: buildEndedAction('succeeded'),
              },
              {
                guard: 'isOk',
                target: '#deploy.update_in_progress',
                actions: buildEndedAction('succeeded'),
              },
              onBuildFailed,
            ],
            onError: onBuildFailed,
          },
        },
      },
    },
    build_failed: {
      description: 'The build failed; the previous version keeps serving.',
      tags: ['ended'],
      entry: failureActions,
      after: { kept: { target: 'forgotten' } },
    },
    pre_deploy_in_progress: {
      description: 'Runs the pre-deploy command, such as a database migration.',
      entry: 'tellPreDeployStarted',
      invoke: {
        src: 'preDeploy',
        id: 'preDeploy',
        input: createDeployInput,
        onDone: [
          {
            guard: 'isOk',
            target: 'update_in_progress',
            actions: preDeployEndedAction('succeeded'),
          },
          onPreDeployFailed,
        ],
        onError: onPreDeployFailed,
      },
      on: {
        // A newer deploy does not interrupt a migration in progress.
        CANCEL: {
          guard: 'isCanceledByHand',
          target: 'canceled',
          actions: ['finish', preDeployEndedAction('canceled'), ...cancelActions],
        },
      },
    },
    pre_deploy_failed: {
      description: 'The pre-deploy command failed; the previous version keeps serving.',
      tags: ['ended'],
      entry: failureActions,
      after: { kept: { target: 'forgotten' } },
    },
    update_in_progress: {
      description: 'Replaces the serving instances with new ones.',
      initial: 'choosing',
      states: {
        choosing: {
          description: 'Static sites and cron jobs have no instances to wait for.',
          always: [
            {
              guard: 'hasInstances',
              target: 'starting',
              actions: ['beginRound', 'startInstances'],
            },
            { target: 'switching' },
          ],
        },
        starting: {
          description: 'Waits until every new instance has been healthy once.',
          on: {
            'INSTANCE.HEALTHY': onHealthy,
            'INSTANCE.FAILED': { guard: 'isOfRound', ...onUpdateFailed },
            CANCEL: {
              target: '#deploy.canceled',
              actions: ['keepReason', 'finish', 'drainInstances', ...cancelActions],
            },
          },
        },
        switching: {
          description: 'Switches the router, site or schedule to the new version.',
          invoke: {
            src: 'cutOver',
            id: 'cutOver',
            input: createDeployInput,
            onDone: [
              { guard: 'isOk', target: '#deploy.live', actions: ['finish', 'answerLive'] },
              onUpdateFailed,
            ],
            onError: onUpdateFailed,
          },
        },
      },
    },
    update_failed: {
      description: 'The new version did not start; the previous version keeps serving.',
      tags: ['ended'],
      entry: failureActions,
      after: { kept: { target: 'forgotten' } },
    },
    live: {
      description: 'This version is serving.',
      entry: deployEndedAction('succeeded'),
      initial: 'serving',
      on: { 'DEPLOY.REPLACED': { target: 'deactivated', actions: 'drainInstances' } },
      states: {
        serving: {
          description: 'Instances restart independently.',
          on: {
            RESTART: {
              guard: 'hasInstances',
              target: 'renewing',
              actions: ['beginRound', 'startInstances', 'tellRenewal'],
            },
          },
        },
        renewing: {
          description: 'Starts new instances of the same build beside the old ones.',
          on: {
            'INSTANCE.HEALTHY': onHealthy,
            'INSTANCE.FAILED': { guard: 'isOfRound', ...onRenewalFailed },
          },
        },
        switching: {
          description: 'Switches the router to the new instances, then drains the old ones.',
          invoke: {
            src: 'cutOver',
            id: 'cutOver',
            input: createDeployInput,
            onDone: [
              {
                guard: 'isOk',
                target: 'serving',
                actions: [renewalEndedAction('succeeded'), 'drainFormer', 'forgetFormer'],
              },
              onRenewalFailed,
            ],
            onError: onRenewalFailed,
          },
        },
      },
    },
    deactivated: {
      description: 'Replaced by another version, or the service no longer serves.',
      tags: ['ended'],
      after: { kept: { target: 'forgotten' } },
    },
    canceled: {
      description: 'Ended before serving; the previous version keeps serving.',
      tags: ['ended'],
      after: { kept: { target: 'forgotten' } },
    },
    forgotten: {
      description: 'No longer listed.',
      type: 'final',
    },
  },
});
