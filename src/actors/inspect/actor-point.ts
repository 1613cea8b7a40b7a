import type { Json } from '../../domain/common/json.ts';
import type { ActorPoint, LastStep } from '../../domain/inspect/wire.ts';
import { activeStateIds } from '../../machines/graph/machine-graph.ts';
import type { Explained } from '../../runtime/engine/types.ts';
import { redactCause } from './console-rows.ts';
import type { MachineGraphs } from './machine-graphs.ts';
import type { Redactor } from './redaction/redaction.ts';

/** Returns the console view of an actor at one journal row. */
export function createActorPoint(
  explained: Explained,
  { machines, redactor }: { readonly machines: MachineGraphs; readonly redactor: Redactor },
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
    activeIds: activeStateIds(value),
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
    last: lastStep(explained, redactor),
  };
}

function lastStep(
  { entry, taken, valueBefore, view }: Explained,
  redactor: Redactor,
): LastStep | null {
  if (entry === undefined || entry.seq === 1) return null;
  const now = new Set(activeStateIds(view.value));
  return {
    event: redactor.event(entry.event),
    entry: entry.entry,
    cause: redactCause(entry.cause),
    transitionIds: taken,
    leftIds: activeStateIds(valueBefore).filter((id) => !now.has(id)),
  };
}
