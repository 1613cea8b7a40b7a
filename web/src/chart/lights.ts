import type { ActorPoint } from '../../../src/domain/inspect/wire.ts';

/** Highlighted parts of a chart, by the ids of its graph; absent means none. */
export interface Lights {
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

const OF_STATES = ['active', 'left', 'covered', 'uncovered'] as const;
const OF_TRANSITIONS = ['taken', 'possible', 'covered', 'uncovered'] as const;

/** Returns the highlights of an actor at one row of its journal. */
export function lightsOf(point: ActorPoint): Lights {
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
export function applyLights(drawing: Element, lights: Lights): void {
  light(drawing, { member: 'data-state', names: OF_STATES, lights });
  light(drawing, { member: 'data-transition', names: OF_TRANSITIONS, lights });
}

interface Part {
  readonly member: string;
  readonly names: readonly (keyof Lights)[];
  readonly lights: Lights;
}

function light(drawing: Element, { member, names, lights }: Part): void {
  for (const part of drawing.querySelectorAll(`[${member}]`)) {
    const id = part.getAttribute(member) ?? '';
    for (const name of names) part.classList.toggle(`is-${name}`, lights[name]?.has(id) === true);
  }
}
