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
      description: 'Written down; the service says whether it is its turn.',
      always: [
        { guard: 'mustWait', target: 'queued' },
        { guard: 'isBuilt', target: 'update_in_progress', actions: ['begin', 'tellStarted'] },
        { target: 'build_in_progress', actions: ['begin', 'tellStarted'] },
      ],
    },
    queued: {
      description: 'Another deploy of the service is at work.',
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
      description: 'The source is fetched and built.',
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
          description: 'The commit is taken from where the source comes from.',
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
          description: 'The build command runs, in a folder of its own.',
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
      description: 'There is no build; what served before goes on.',
      tags: ['ended'],
      entry: failed,
      after: { kept: { target: 'forgotten' } },
    },
    pre_deploy_in_progress: {
      description: 'The command before the cut-over runs, such as a migration of a database.',
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
      description: 'The command before the cut-over failed; what served before goes on.',
      tags: ['ended'],
      entry: failed,
      after: { kept: { target: 'forgotten' } },
    },
    update_in_progress: {
      description: 'New instances take the place of those that serve.',
      initial: 'choosing',
      states: {
        choosing: {
          description: 'A site and a cron job have no instances to wait for.',
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
          description: 'Until every new instance is healthy, once.',
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
          description: 'The router, the site or the schedule takes the new version.',
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
      description: 'The new version did not come up; what served before goes on.',
      tags: ['ended'],
      entry: failed,
      after: { kept: { target: 'forgotten' } },
    },
    live: {
      description: 'This version serves.',
      entry: deployEnded('succeeded'),
      initial: 'serving',
      on: { 'DEPLOY.REPLACED': { target: 'deactivated', actions: 'drainInstances' } },
      states: {
        serving: {
          description: 'Its instances look after themselves.',
          on: {
            RESTART: {
              guard: 'hasInstances',
              target: 'renewing',
              actions: ['beginRound', 'startInstances', 'tellRenewal'],
            },
          },
        },
        renewing: {
          description: 'New instances of the same build are started beside the old ones.',
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
          description: 'The router takes the new instances; then the old ones end.',
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
      description: 'Another version serves in its place, or the service does not serve any more.',
      tags: ['ended'],
      after: { kept: { target: 'forgotten' } },
    },
    canceled: {
      description: 'Ended before it served; what served before goes on.',
      tags: ['ended'],
      after: { kept: { target: 'forgotten' } },
    },
    forgotten: {
      description: 'So long ago that it is not listed any more.',
      type: 'final',
    },
  },
});
