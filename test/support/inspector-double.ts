import { AppError } from '../../src/domain/common/error.ts';
import type { Json } from '../../src/domain/common/json.ts';
import type { Inspector, PushBody, PushSink } from '../../src/domain/inspect/inspector.ts';
import type { Action, ReadQuery, Topic } from '../../src/domain/inspect/message.ts';
import { type Deferred, deferred } from './deferred.ts';

/** A subscription as the inspector sees it. */
export interface SeenSubscription {
  readonly topic: Topic;
  readonly sink: PushSink;
  resumed: number;
  isEnded: boolean;
}

/** An inspector that does what a test tells it, and notes what it was asked. */
export interface InspectorDouble extends Inspector {
  readonly subscriptions: SeenSubscription[];
  readonly actions: { readonly action: Action; readonly by: string }[];
  /** Reads of `coverage` and subscriptions to the actor `slow` wait for it. */
  readonly held: Deferred<Json>[];
}

/** A push that carries a number. */
export function numbered(at: number, size = 0): PushBody {
  return { kind: 'shown', event: { at, text: 'x'.repeat(size) } };
}

/** Makes one. Actors are known by ids that do not begin with `no`. */
export function inspectorDouble(): InspectorDouble {
  const subscriptions: SeenSubscription[] = [];
  const actions: InspectorDouble['actions'] = [];
  const held: Deferred<Json>[] = [];
  return {
    subscriptions,
    actions,
    held,
    hello: () => ({
      topic: 'hello',
      version: '0',
      now: 0,
      epoch: 'e',
      actions: [],
      developmentKinds: [],
    }),
    subscribe: async (topic, sink) => {
      if ('actorId' in topic && topic.actorId.startsWith('no')) {
        throw new AppError('ACTOR_UNKNOWN', { data: { received: topic.actorId } });
      }
      if ('actorId' in topic && topic.actorId === 'slow') {
        const waiting = deferred<Json>();
        held.push(waiting);
        await waiting.promise;
      }
      const seen: SeenSubscription = { topic, sink, resumed: 0, isEnded: false };
      subscriptions.push(seen);
      // An actor shows itself before the subscription has begun.
      if (topic.name === 'actor') sink.push(numbered(0));
      return {
        resume: () => {
          seen.resumed += 1;
        },
        close: () => {
          seen.isEnded = true;
        },
      };
    },
    read: (reading: ReadQuery) => {
      if (reading.name === 'coverage') {
        const waiting = deferred<Json>();
        held.push(waiting);
        return waiting.promise;
      }
      if (reading.name === 'find' && reading.text === 'fault') {
        return Promise.reject(new Error('the inside of this must not be seen'));
      }
      if (reading.name === 'find') return Promise.resolve({ rows: ['y'.repeat(200_000)] });
      return Promise.resolve({ asked: reading as unknown as Json });
    },
    act: async (action, by) => {
      actions.push({ action, by });
      return null;
    },
  };
}
