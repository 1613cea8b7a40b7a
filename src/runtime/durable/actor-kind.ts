import type { AnyStateMachine, InputFrom } from 'xstate';
import type {
  ActorEngine,
  CreateOptions,
  EnqueueOptions,
  Kind,
  ListQuery,
} from '../engine/types.ts';
import { createActorHandle } from './actor-handle.ts';
import type { DurableActors } from './durable-types.ts';

/** Creates the member of an app for one kind of actor. */
export function createActorKind<M extends AnyStateMachine>(
  engine: ActorEngine,
  kind: Kind<M>,
): DurableActors<M> {
  return {
    start: async (id, ...args) => {
      const [input, options] = args as readonly [InputFrom<M>?, CreateOptions?];
      await engine.create(kind.kind, id, input, options);
      return createActorHandle(engine, kind, id);
    },
    get: (id) => createActorHandle(engine, kind, id),
    list: (query = {}) => engine.list({ ...(query as ListQuery), kind: kind.kind }),
    schedule: (name, schedule) => engine.schedule(name, { ...schedule, kind: kind.kind }),
    enqueue: (queue, id, ...args) => {
      const [input, options] = args as readonly [InputFrom<M>?, EnqueueOptions?];
      return engine.enqueue(queue, kind.kind, id, input, options);
    },
  };
}
