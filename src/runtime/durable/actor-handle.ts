import type { AnyStateMachine, EmittedFrom, EventFrom, OutputFrom } from 'xstate';
import { errorMessage } from '../effect/effect-error.ts';
import { EngineError } from '../engine/error.ts';
import type { Ack, ActorEngine, Kind, TellOptions, ViewOf } from '../engine/types.ts';
import type { DurableActor, DurableWait, EmittedOptions } from './durable-types.ts';

/** Creates the handle of an actor. Whether it exists is checked on the first use. */
export function createActorHandle<M extends AnyStateMachine>(
  engine: ActorEngine,
  kind: Kind<M>,
  id: string,
): DurableActor<M> {
  const actors = engine.of(kind);
  const waitFor = async (until: (view: ViewOf<M>) => boolean, o: DurableWait = {}) => {
    const { timeoutMs = Number.POSITIVE_INFINITY, signal } = o;
    return await actors.waitFor(id, until, {
      timeoutMs,
      ...(signal === undefined ? {} : { signal }),
    });
  };
  let isKnown = false;
  const check = async (): Promise<void> => {
    if (!isKnown) await actors.view(id);
    isKnown = true;
  };
  return {
    id,
    send: async (event: EventFrom<M>, o?: TellOptions): Promise<Ack> => {
      await check();
      return await actors.tell(id, event, o);
    },
    query: () => actors.view(id),
    waitFor,
    result: async (o) => toResult(await waitFor(hasEnded, o)),
    stop: async () => {
      await check();
      return await engine.stop(id);
    },
    emitted: (listener: (event: EmittedFrom<M>) => void, { fromSeq = 1 }: EmittedOptions = {}) =>
      engine.watch(id, fromSeq, ({ emits }) => {
        for (const event of emits) listener(event as EmittedFrom<M>);
      }),
    journal: (from, limit) => engine.journal(id, from, limit),
  };
}

function hasEnded({ status }: { readonly status: string }): boolean {
  return status !== 'active' && status !== 'stuck';
}

/** @throws {EngineError} `ACTOR_FAILED` or `ACTOR_STOPPED` */
function toResult<M extends AnyStateMachine>({ id, seq, ...view }: ViewOf<M>): OutputFrom<M> {
  const { status, error } = view;
  if (status === 'error') {
    const message = `${id} ended in an error: ${errorMessage(error)}`;
    throw new EngineError('ACTOR_FAILED', message, { data: { id, seq, error }, cause: error });
  }
  if (status === 'stopped') {
    throw new EngineError('ACTOR_STOPPED', `${id} was stopped at row ${seq}.`, {
      data: { id, seq },
    });
  }
  // The machine of this kind produced it; it is absent only if the machine declares none.
  return view.output as OutputFrom<M>;
}
