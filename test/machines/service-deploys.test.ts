import { expect, test } from 'vitest';
import { initialTransition, transition } from 'xstate';
import type {
  DeployRequest,
  ServiceActorEvent,
  ServiceContext,
} from '../../src/machines/hosting/service/context.ts';
import { serviceMachine } from '../../src/machines/hosting/service/service.ts';
import { webService } from '../../src/testing/plans/hosting.ts';

const at = 1;
const commit = { id: 'c0ffee', message: 'm', createdAt: '2026-01-01T00:00:00.000Z' };

test('an order takes the place of what is at work, and does what that would have done', () => {
  const orders: readonly (readonly [string, ServiceActorEvent])[] = [
    ['a deploy', { type: 'DEPLOY.ASKED', ...ask('dep-2', { kind: 'branch' }), at }],
    ['variables', { type: 'ENV.REPLACED', sealedEnv: 'x', ask: ask('dep-2'), at }],
    ['settings', { type: 'SERVICE.CHANGED', service: webService, ask: ask('dep-2'), at }],
  ];
  for (const [name, order] of orders) {
    const story = play(moved('beef01', 'dep-1'), order);
    expect(story.sent('dep-1'), name).toEqual([{ type: 'CANCEL', by: 'dep-2', at }]);
    expect(story.context, name).toMatchObject({ current: 'dep-1', isYielding: true });
    story.play(ended('dep-1', 'beef01'));
    const isBranch = name === 'a deploy';
    const source = isBranch ? { kind: 'branch' } : { kind: 'commit', commitId: 'beef01' };
    expect(story.sent('dep-2'), name).toEqual([{ type: 'TURN.COME', source, at }]);
    expect(story.context, name).toMatchObject({ current: 'dep-2', isYielding: false });
  }
});

test('what goes live all the same leaves its build to the order that waited', () => {
  const story = play(moved('beef01', 'dep-1'), env('dep-2'));
  story.play({ type: 'DEPLOY.LIVE', deployId: 'dep-1', releaseId: 'dep-1', commit, at });
  const source = { kind: 'release', releaseId: 'dep-1', commit };
  expect(story.sent('dep-2')).toEqual([{ type: 'TURN.COME', source, at }]);
});

test('a build that failed by itself is not built again by the variables that waited', () => {
  const story = play(live('dep-0'), moved('beef01', 'dep-1'));
  story.play(moved('beef02', 'dep-2'), ended('dep-1', 'beef01'));
  expect(story.sent('dep-1')).toEqual([]);
  expect(story.sent('dep-2').at(-1)).toMatchObject({ source: { commitId: 'beef02' } });
});

test('a cleared cache is not forgotten over what takes its place', () => {
  const order = { ...ask('dep-1', { kind: 'branch' }), clearCache: true };
  const story = play({ type: 'DEPLOY.ASKED', ...order, at }, env('dep-2'));
  expect(story.made('dep-2')).toMatchObject({ clearCache: true, mustWait: true });
});

const ENDS: readonly (readonly [string, ServiceActorEvent])[] = [
  ['a deploy', { type: 'DEPLOY.ASKED', ...ask('dep-2', { kind: 'branch' }), at }],
  ['variables', { type: 'ENV.REPLACED', sealedEnv: 'x', ask: ask('dep-2'), at }],
  ['settings', { type: 'SERVICE.CHANGED', service: crashed(), ask: ask('dep-2'), at }],
  ['a push', moved('beef09', 'dep-2')],
  ['a resumption', { type: 'RESUME', deployId: 'dep-2', at }],
];

test.each(ENDS)('a crash loop ends with %s', (_name, end) => {
  const story = play(live('dep-1'), stuck('dep-1'));
  expect(story.context.service).toMatchObject({
    suspended: 'suspended',
    suspenders: ['stuck_crashlooping'],
  });
  expect(story.context.isServing).toBe(false);
  expect(story.sent('dep-1').at(-1)).toEqual({ type: 'DEPLOY.REPLACED', at });
  story.play(end);
  expect(story.context.service).toMatchObject({ suspended: 'not_suspended', suspenders: [] });
  expect(story.made('dep-2')).toMatchObject({
    mustWait: false,
    service: { suspended: 'not_suspended' },
  });
  expect(story.told().slice(-2)).toEqual(['suspender_removed', 'service_resumed']);
});

test('a repair that is at work when the crashes end goes on, and ends the suspension', () => {
  const story = play(live('dep-1'), moved('beef01', 'dep-2'), stuck('dep-1'));
  expect(story.sent('dep-2')).toEqual([]);
  story.play({ type: 'DEPLOY.LIVE', deployId: 'dep-2', releaseId: 'dep-2', commit, at });
  expect(story.context).toMatchObject({ isServing: true, current: null });
  expect(story.context.service.suspended).toBe('not_suspended');
});

test('a service that a user suspended takes no deploys', () => {
  const story = play(live('dep-1'), { type: 'SUSPEND', at });
  for (const [, event] of ENDS.slice(0, 4)) story.play(event);
  expect(story.made('dep-2')).toBeUndefined();
  expect(story.context.service.suspended).toBe('suspended');
});

function ask(deployId: string, source: DeployRequest['source'] = { kind: 'same' }): DeployRequest {
  return { deployId, trigger: 'api', clearCache: false, source };
}

function env(deployId: string): ServiceActorEvent {
  return { type: 'ENV.REPLACED', sealedEnv: 'x', ask: ask(deployId), at };
}

function moved(commitId: string, deployId: string): ServiceActorEvent {
  return { type: 'BRANCH.MOVED', commitId, isSkipped: false, deployId, at };
}

function ended(deployId: string, id: string): ServiceActorEvent {
  return { type: 'DEPLOY.ENDED', deployId, commit: { ...commit, id }, at };
}

function stuck(deployId: string): ServiceActorEvent {
  return { type: 'INSTANCE.STUCK', instanceId: 'srv-x', deployId, at };
}

/** A deploy that was asked for and went live. */
function live(deployId: string): readonly ServiceActorEvent[] {
  return [
    { type: 'DEPLOY.ASKED', ...ask(deployId, { kind: 'branch' }), at },
    { type: 'DEPLOY.LIVE', deployId, releaseId: deployId, commit, at },
  ];
}

function crashed() {
  return { ...webService, suspended: 'suspended', suspenders: ['stuck_crashlooping'] } as const;
}

interface Emitted {
  readonly type: string;
  readonly to?: string;
  readonly event?: { readonly type: string } | string;
  readonly input?: unknown;
}

/** Plays events on a service that waits for its first push. */
function play(...events: readonly (ServiceActorEvent | readonly ServiceActorEvent[])[]) {
  const input = { service: webService, sealedEnv: '', first: null, orderHash: '', at };
  let [snapshot] = initialTransition(serviceMachine, input);
  const emitted: Emitted[] = [];
  const story = {
    get context(): ServiceContext {
      return snapshot.context;
    },
    play: (...more: typeof events) => {
      for (const event of more.flat()) {
        const [next, actions] = transition(serviceMachine, snapshot, event as ServiceActorEvent);
        snapshot = next;
        for (const { type, params } of actions) {
          if (String(type) === 'xstate.emit') emitted.push((params as { event: Emitted }).event);
        }
      }
    },
    sent: (to: string) =>
      emitted.filter((one) => one.type === 'actor.send' && one.to === to).map(({ event }) => event),
    made: (to: string) =>
      emitted.find((one) => one.type === 'actor.create' && one.to === to)?.input,
    told: () => emitted.filter(({ type }) => !type.startsWith('actor.')).map(({ event }) => event),
  };
  story.play(...events);
  return story;
}
