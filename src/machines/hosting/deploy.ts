import { askedDeploy, workOf } from './deploy-facts.ts';
import { deploySetup } from './deploy-setup.ts';
import type { Ended } from './deploy-told.ts';

/** Incremented whenever the meaning of a state, event or context field changes. */
export const version = 1;

const buildEnded = (as: Ended) => ({ type: 'tellBuildEnded', params: { as } }) as const;
const preDeployEnded = (as: Ended) => ({ type: 'tellPreDeployEnded', params: { as } }) as const;
const deployEnded = (as: Ended) => ({ type: 'tellDeployEnded', params: { as } }) as const;
const renewalEnded = (as: Ended) => ({ type: 'tellRenewalEnded', params: { as } }) as const;
/** Actions of every unsuccessful end. */
const failed = [deployEnded('failed'), 'answerEnded'] as const;
const canceled = [deployEnded('canceled'), 'answerEnded'] as const;

/**
 * The machine of one deploy. Its states are the statuses of the record. The previous version serves
 * until the new instances are healthy and the router has switched; a failed deploy leaves it
 * untouched.
 */
export const deployMachine = deploySetup.createMachine({
  id: 'deploy',
  context: askedDeploy,
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
          actions: ['keepReason', 'finish', buildEnded('canceled'), ...canceled],
        },
      },
      states: {
        fetching: {
          description: 'Fetches the commit from its source.',
          invoke: {
            src: 'fetch',
            id: 'fetch',
            input: workOf,
            onDone: [
              { guard: 'isOk', target: 'building', actions: 'keepCommit' },
              {
                target: '#deploy.build_failed',
                actions: ['keepReason', 'finish', 'tellFetchFailed', buildEnded('failed')],
              },
            ],
            onError: {
              target: '#deploy.build_failed',
              actions: ['keepReason', 'finish', 'tellFetchFailed', buildEnded('failed')],
            },
          },
        },
        building: {
          description: 'Runs the build command in a dedicated folder.',
          invoke: {
            src: 'build',
            id: 'build',
            input: workOf,
            onDone: [
              {
                guard: 'isOkWithPreDeploy',
                target: '#deploy.pre_deploy_in_progress',
                actions: buildEnded('succeeded'),
              },
              {
                guard: 'isOk',
                target: '#deploy.update_in_progress',
                actions: buildEnded('succeeded'),
              },
              {
                target: '#deploy.build_failed',
                actions: ['keepReason', 'finish', buildEnded('failed')],
              },
            ],
            onError: {
              target: '#deploy.build_failed',
              actions: ['keepReason', 'finish', buildEnded('failed')],
            },
          },
        },
      },
    },
    build_failed: {
      description: 'The build failed; the previous version keeps serving.',
      tags: ['ended'],
      entry: failed,
      after: { kept: { target: 'forgotten' } },
    },
    pre_deploy_in_progress: {
      description: 'Runs the pre-deploy command, such as a database migration.',
      entry: 'tellPreDeployStarted',
      invoke: {
        src: 'preDeploy',
        id: 'preDeploy',
        input: workOf,
        onDone: [
          { guard: 'isOk', target: 'update_in_progress', actions: preDeployEnded('succeeded') },
          {
            target: 'pre_deploy_failed',
            actions: ['keepReason', 'finish', preDeployEnded('failed')],
          },
        ],
        onError: {
          target: 'pre_deploy_failed',
          actions: ['keepReason', 'finish', preDeployEnded('failed')],
        },
      },
      on: {
        // A newer deploy does not interrupt a migration in progress.
        CANCEL: {
          guard: 'isCanceledByHand',
          target: 'canceled',
          actions: ['finish', preDeployEnded('canceled'), ...canceled],
        },
      },
    },
    pre_deploy_failed: {
      description: 'The pre-deploy command failed; the previous version keeps serving.',
      tags: ['ended'],
      entry: failed,
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
            'INSTANCE.HEALTHY': [
              { guard: 'isLastOfRound', target: 'switching', actions: 'keepHealthy' },
              { actions: 'keepHealthy' },
            ],
            'INSTANCE.FAILED': {
              guard: 'isOfRound',
              target: '#deploy.update_failed',
              actions: ['keepReason', 'finish', 'drainInstances'],
            },
            CANCEL: {
              target: '#deploy.canceled',
              actions: ['keepReason', 'finish', 'drainInstances', ...canceled],
            },
          },
        },
        switching: {
          description: 'Switches the router, site or schedule to the new version.',
          invoke: {
            src: 'cutOver',
            id: 'cutOver',
            input: workOf,
            onDone: [
              { guard: 'isOk', target: '#deploy.live', actions: ['finish', 'answerLive'] },
              {
                target: '#deploy.update_failed',
                actions: ['keepReason', 'finish', 'drainInstances'],
              },
            ],
            onError: {
              target: '#deploy.update_failed',
              actions: ['keepReason', 'finish', 'drainInstances'],
            },
          },
        },
      },
    },
    update_failed: {
      description: 'The new version did not start; the previous version keeps serving.',
      tags: ['ended'],
      entry: failed,
      after: { kept: { target: 'forgotten' } },
    },
    live: {
      description: 'This version is serving.',
      entry: deployEnded('succeeded'),
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
            'INSTANCE.HEALTHY': [
              { guard: 'isLastOfRound', target: 'switching', actions: 'keepHealthy' },
              { actions: 'keepHealthy' },
            ],
            'INSTANCE.FAILED': {
              guard: 'isOfRound',
              target: 'serving',
              actions: [
                'keepReason',
                renewalEnded('failed'),
                'forgetReason',
                'drainNew',
                'takeBackRound',
              ],
            },
          },
        },
        switching: {
          description: 'Switches the router to the new instances, then drains the old ones.',
          invoke: {
            src: 'cutOver',
            id: 'cutOver',
            input: workOf,
            onDone: [
              {
                guard: 'isOk',
                target: 'serving',
                actions: [renewalEnded('succeeded'), 'drainFormer', 'forgetFormer'],
              },
              {
                target: 'serving',
                actions: [
                  'keepReason',
                  renewalEnded('failed'),
                  'forgetReason',
                  'drainNew',
                  'takeBackRound',
                ],
              },
            ],
            onError: {
              target: 'serving',
              actions: [
                'keepReason',
                renewalEnded('failed'),
                'forgetReason',
                'drainNew',
                'takeBackRound',
              ],
            },
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
