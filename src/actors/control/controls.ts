import type { Clock } from '../../domain/common/clock.ts';
import { AppError, invariant } from '../../domain/common/error.ts';
import { CONTROL_IDS, CONTROLS, type ControlId } from '../../domain/control/catalog.ts';
import type { ControlDesk, ControlOrder, StandingControl } from '../../domain/control/controls.ts';
import { CONTROL_ROWS } from '../../domain/control/rows.ts';
import { type ControlContext, controlMachine, version } from '../../machines/control/control.ts';
import { define } from '../../runtime/engine/define.ts';
import type { ActorEngine, Definition, View } from '../../runtime/engine/types.ts';
import { fromEngine } from '../common/engine-error.ts';

/** Actor kind of controls. */
export const CONTROL_KIND = 'control';

/** Creates the control actor, which has no effects. */
export function defineControl(): Definition {
  return define({ kind: CONTROL_KIND, version, machine: controlMachine, effects: {} });
}

/** Dependencies of controls. */
export interface ControlParts {
  readonly engine: ActorEngine;
  readonly clock: Clock;
}

/** Returns the actor id of a control. */
export function controlActorId(controlId: ControlId): string {
  return `control-${controlId}`;
}

/** Creates missing controls with their declared labels, and loads the current state of all. */
export async function openControls({ engine, clock }: ControlParts): Promise<ControlDesk> {
  const standing = new Map<ControlId, StandingControl>();
  for (const controlId of CONTROL_IDS) standing.set(controlId, await opened(engine, controlId));
  let changes = 0;
  const keep = (control: StandingControl): void => {
    standing.set(control.controlId, control);
    changes += 1;
  };
  const now = (controlId: ControlId): StandingControl => {
    const found = standing.get(controlId);
    invariant(found !== undefined, 'every control is loaded');
    return found;
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    get changes() {
      return changes;
    },
    now: (controlId) => now(controlId).label,
    standing: () => CONTROL_IDS.map(now),
    all: async () => CONTROL_IDS.map(now),
    label: async (controlId) => now(controlId).label,
    change: (controlId, order) => {
      // Serialize changes, so that the reported state is the one committed last.
      const turn = last.then(() => changed(engine, controlId, { ...order, at: clock.now() }, keep));
      last = turn.catch(() => undefined);
      return turn;
    },
  };
}

async function opened(engine: ActorEngine, controlId: ControlId): Promise<StandingControl> {
  const id = controlActorId(controlId);
  await engine.create(CONTROL_KIND, id, { controlId, label: CONTROLS[controlId] });
  return standingIn(await engine.view(id));
}

async function changed(
  engine: ActorEngine,
  controlId: ControlId,
  order: ControlOrder & { readonly at: number },
  keep: (control: StandingControl) => void,
): Promise<StandingControl> {
  requireHonoured(controlId, order);
  const id = controlActorId(controlId);
  const before = standingIn(await engine.view(id));
  if (before.label === order.to) return before;
  try {
    const { who } = order;
    await engine.tell(id, { type: 'CONTROL.CHANGED', role: 'operator', ...order }, { who });
  } catch (thrown) {
    throw fromEngine(thrown);
  }
  const after = standingIn(await engine.view(id));
  keep(after);
  return after;
}

function requireHonoured(controlId: ControlId, { to }: ControlOrder): void {
  const { fixed = '', labels } = CONTROL_ROWS[controlId];
  if (labels.includes(to)) return;
  throw new AppError('INPUT_INVALID', {
    message: `${controlId} cannot be ${to}. ${fixed}`,
    data: { received: to, allowed: labels, why: fixed },
  });
}

function standingIn({ context }: Pick<View, 'context'>): StandingControl {
  const { controlId, label, change } = context as unknown as ControlContext;
  return {
    controlId: controlId as ControlId,
    label,
    changedAt: change?.at ?? null,
    change: change === null ? null : { who: change.who, why: change.why, at: change.at },
  };
}
