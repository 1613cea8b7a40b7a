import type { CreateOptions, EffectContext, Ev, TellOptions } from '../engine/types.ts';
import type { AttemptContext } from './attempt.ts';
import type { EffectRun } from './effect-run.ts';
import type { EffectApi } from './effects.ts';

/** What the actors of a machine get in addition, such as a callback actor. */
export interface ActorEffectContext extends EffectContext {
  /** Gives the machine a snapshot of the actor, if its `onSnapshot` asks for it. */
  sendSnapshot(context: unknown): void;
}

/** Sends an event to the actor of an effect while the effect runs. */
export type SendBack = (run: EffectRun, event: Ev) => void;

/** Creates what an attempt of an effect receives in addition to its input. */
export function createEffectContext(
  run: EffectRun,
  attempt: number,
  { api, sendBack }: { readonly api: EffectApi; readonly sendBack: SendBack },
): AttemptContext {
  const { actorId, row } = run;
  const { tell, create, enqueue, show } = api;
  return {
    actorId,
    token: row.token,
    attempt,
    tell: (id, event, o) => tell(id, event, withTrace(o, row.trace)),
    create: (kind: NamedKind, id: string, input?: unknown, o?: CreateOptions) =>
      create(toName(kind), id, input, withTrace(o, row.trace)),
    enqueue: (queue: string, kind: NamedKind, id: string, input?: unknown) =>
      enqueue(queue, toName(kind), id, input),
    show: (event) => show(actorId, event),
    sendBack: (event) => sendBack(run, event),
    receive: (listener) => run.listen(listener),
    sendSnapshot: (context) => {
      if (row.sync === true) sendBack(run, createSnapshotEvent(row.childId, context));
    },
  };
}

/** Creates XState's event for `onSnapshot`. */
function createSnapshotEvent(childId: string, context: unknown): Ev {
  return { type: `xstate.snapshot.${childId}`, snapshot: { status: 'active', context } };
}

type NamedKind = string | { readonly kind: string };

function toName(kind: NamedKind): string {
  return typeof kind === 'string' ? kind : kind.kind;
}

function withTrace<O extends TellOptions | CreateOptions>(
  o: O | undefined,
  trace: string | undefined,
): O | TellOptions | undefined {
  return trace === undefined || o?.trace !== undefined ? o : { ...o, trace };
}
