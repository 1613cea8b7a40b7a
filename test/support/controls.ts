import {
  CONTROL_IDS,
  CONTROLS,
  type ControlId,
  type ControlLabel,
} from '../../src/domain/control/control-catalog.ts';
import type { ControlRegistry, ControlWithChange } from '../../src/domain/control/controls.ts';

/** Labels of controls that a test sets; the others stand as declared. */
export type SomeLabels = Readonly<Partial<Record<ControlId, ControlLabel>>>;

/** Controls in memory, whose labels a test sets to anything. */
export interface MemoryControls extends ControlRegistry {
  set(labels: SomeLabels): void;
}

/** Makes them. */
export function memoryControls(labels: SomeLabels = {}): MemoryControls {
  const rows = new Map<ControlId, ControlWithChange>();
  const put = (controlId: ControlId, label: ControlLabel, at: number | null): ControlWithChange => {
    const change = at === null ? null : { who: 'operator', why: 'a test', at };
    const row = { controlId, label, changedAt: at, change };
    rows.set(controlId, row);
    return row;
  };
  for (const id of CONTROL_IDS) put(id, labels[id] ?? CONTROLS[id], null);
  const standing = () => CONTROL_IDS.flatMap((id) => rows.get(id) ?? []);
  const now = (id: ControlId) => rows.get(id)?.label ?? CONTROLS[id];
  let changes = 0;
  return {
    get changes() {
      return changes;
    },
    labelOf: now,
    listWithChanges: standing,
    list: async () => standing(),
    readLabel: async (id) => now(id),
    change: async (id, { to }) => {
      changes += 1;
      return put(id, to, changes);
    },
    set: (next) => {
      changes += 1;
      for (const id of CONTROL_IDS) put(id, next[id] ?? CONTROLS[id], null);
    },
  };
}
