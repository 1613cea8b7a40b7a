import type { CreateOptions, Ev, TellOptions } from '../engine/types.ts';
import type { AttemptContext, EffectApi } from './context-types.ts';
import type { EffectRun } from './effect-run.ts';

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
    tell: (...args: TellArgs) => {
      const [id, event, o] = typeof args[0] === 'string' ? args : args.slice(1);
      return tell(id as string, event as Ev, withTrace(o as TellOptions | undefined, row.trace));
    },
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

type TellArgs =
  | readonly [id: string, event: unknown, o?: unknown]
  | readonly [kind: NamedKind, id: unknown, event: unknown, o?: unknown];
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
