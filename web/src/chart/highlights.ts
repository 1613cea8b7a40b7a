import type { ActorPoint } from '../../../src/domain/inspect/wire.ts';

/** Highlighted parts of a chart, by the ids of its graph; absent means none. */
export interface Highlights {
  /** Active states. */
  readonly active?: ReadonlySet<string>;
  /** States that the last row exited and that are not active again. */
  readonly left?: ReadonlySet<string>;
  /** Transitions that the last row took. */
  readonly taken?: ReadonlySet<string>;
  /** Transitions that are possible now. */
  readonly possible?: ReadonlySet<string>;
  /** States and transitions that test paths covered. */
  readonly covered?: ReadonlySet<string>;
  /** States and transitions that no test path covered. */
  readonly uncovered?: ReadonlySet<string>;
}

const STATE_CLASSES = ['active', 'left', 'covered', 'uncovered'] as const;
const TRANSITION_CLASSES = ['taken', 'possible', 'covered', 'uncovered'] as const;

/** Returns the highlights of an actor at one row of its journal. */
export function getHighlights(point: ActorPoint): Highlights {
  const active = new Set(point.activeIds);
  const left = point.last?.leftIds ?? [];
  return {
    active,
    left: new Set(left.filter((id) => !active.has(id))),
    taken: new Set(point.last?.transitionIds ?? []),
    possible: new Set(point.possible.map(({ transitionId }) => transitionId)),
  };
}

/** Applies highlights to a chart as CSS classes. */
export function applyHighlights(drawing: Element, lights: Highlights): void {
  toggleClasses(drawing, { member: 'data-state', names: STATE_CLASSES, lights });
  toggleClasses(drawing, { member: 'data-transition', names: TRANSITION_CLASSES, lights });
}

interface Part {
  readonly member: string;
  readonly names: readonly (keyof Highlights)[];
  readonly lights: Highlights;
}

function toggleClasses(drawing: Element, { member, names, lights }: Part): void {
  for (const part of drawing.querySelectorAll(`[${member}]`)) {
    const id = part.getAttribute(member) ?? '';
    for (const name of names) part.classList.toggle(`is-${name}`, lights[name]?.has(id) === true);
  }
}
