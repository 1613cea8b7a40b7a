import pLimit from 'p-limit';
import { AppError, invariant } from '../../domain/common/error.ts';
import {
  CONTROL_CATALOG,
  CONTROL_IDS,
  CONTROLS,
  type ControlId,
} from '../../domain/control/control-catalog.ts';
import type {
  ControlOrder,
  ControlRegistry,
  ControlWithChange,
} from '../../domain/control/controls.ts';
import { controlMachine, version } from '../../machines/control/control.ts';
import { define } from '../../runtime/engine/define.ts';
import type { ActorEngine, Definition, ViewOf } from '../../runtime/engine/types.ts';
import { appErrorFromEngine } from '../common/engine-error.ts';
import type { Services } from '../common/services.ts';

/** Actor kind of controls. */
export const controlKind = { kind: 'control', machine: controlMachine } as const;

/** Creates the control actor, which has no effects. */
export function defineControl(): Definition {
  return define({ kind: controlKind.kind, version, machine: controlMachine, effects: {} });
}

/** Returns the actor id of a control. */
export function controlActorId(controlId: ControlId): string {
  return `control-${controlId}`;
}

/** Creates missing controls with their declared labels, and loads the current state of all. */
export async function startControls({
  engine,
  clock,
}: Pick<Services, 'clock' | 'engine'>): Promise<ControlRegistry> {
  const states = new Map<ControlId, ControlWithChange>();
  for (const controlId of CONTROL_IDS)
    states.set(controlId, await createControl(engine, controlId));
  let changes = 0;
  const storeState = (control: ControlWithChange): void => {
    states.set(control.controlId, control);
    changes += 1;
  };
  const currentState = (controlId: ControlId): ControlWithChange => {
    const found = states.get(controlId);
    invariant(found !== undefined, 'every control is loaded');
    return found;
  };
  // Changes are serialized, so that the reported state is the one committed last.
  const serialize = pLimit(1);
  return {
    get changes() {
      return changes;
    },
    labelOf: (controlId) => currentState(controlId).label,
    listWithChanges: () => CONTROL_IDS.map(currentState),
    list: async () => CONTROL_IDS.map(currentState),
    readLabel: async (controlId) => currentState(controlId).label,
    change: (controlId, order) =>
      serialize(() => applyChange(engine, controlId, { ...order, at: clock.now() }, storeState)),
  };
}

async function createControl(
  engine: ActorEngine,
  controlId: ControlId,
): Promise<ControlWithChange> {
  const id = controlActorId(controlId);
  await engine.of(controlKind).create(id, { controlId, label: CONTROLS[controlId] });
  return readControlActor(await engine.of(controlKind).view(id));
}

async function applyChange(
  engine: ActorEngine,
  controlId: ControlId,
  order: ControlOrder & { readonly at: number },
  keep: (control: ControlWithChange) => void,
): Promise<ControlWithChange> {
  assertSupportedLabel(controlId, order);
  const id = controlActorId(controlId);
  const before = readControlActor(await engine.of(controlKind).view(id));
  if (before.label === order.to) return before;
  try {
    const { who } = order;
    await engine.tell(id, { type: 'CONTROL.CHANGED', role: 'operator', ...order }, { who });
  } catch (thrown) {
    throw appErrorFromEngine(thrown);
  }
  const after = readControlActor(await engine.of(controlKind).view(id));
  keep(after);
  return after;
}

function assertSupportedLabel(controlId: ControlId, { to }: ControlOrder): void {
  const { fixed = '', labels } = CONTROL_CATALOG[controlId];
  if (labels.includes(to)) return;
  throw new AppError('INPUT_INVALID', {
    message: `${controlId} cannot be ${to}. ${fixed}`,
    data: { received: to, allowed: labels, why: fixed },
  });
}

function readControlActor({
  context: { controlId, label, change },
}: Pick<ViewOf<typeof controlMachine>, 'context'>): ControlWithChange {
  return {
    controlId: controlId as ControlId,
    label,
    changedAt: change?.at ?? null,
    change: change === null ? null : { who: change.who, why: change.why, at: change.at },
  };
}
