import type { Json } from '../../domain/common/json.ts';
import type { ActorPoint, LastStep } from '../../domain/inspect/wire.ts';
import { activeIds } from '../../machines/graph/machine-graph.ts';
import type { Explained } from '../../runtime/view/look-types.ts';
import type { Machines } from './machines.ts';
import type { Redactor } from './redaction/redaction.ts';
import { shownCause } from './shown-rows.ts';

/** Returns the console view of an actor at one journal row. */
export function pointOf(
  explained: Explained,
  { machines, redactor }: { readonly machines: Machines; readonly redactor: Redactor },
): ActorPoint {
  const { view, possible } = explained;
  const { id, kind, version, seq, at, createdAt, status, value, tags } = view;
  return {
    id,
    kind,
    version,
    seq,
    at,
    createdAt,
    status,
    value: value as Json,
    activeIds: activeIds(value),
    context: redactor.context(view.context),
    tags,
    output: redactor.output(view.output),
    timers: view.timers.map(({ timerId, due, event }) => ({ timerId, due, eventType: event.type })),
    effects: view.effects.map(({ src, childId, attempt, waiting }) => ({
      src,
      childId,
      attempt,
      waiting,
    })),
    possible: machines.possible(kind, possible),
    last: lastOf(explained, redactor),
  };
}

function lastOf(
  { entry, taken, valueBefore, view }: Explained,
  redactor: Redactor,
): LastStep | null {
  if (entry === undefined || entry.seq === 1) return null;
  const now = new Set(activeIds(view.value));
  return {
    event: redactor.event(entry.event),
    entry: entry.entry,
    cause: shownCause(entry.cause),
    transitionIds: taken,
    leftIds: activeIds(valueBefore).filter((id) => !now.has(id)),
  };
}
