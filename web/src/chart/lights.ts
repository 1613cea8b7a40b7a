import type { ActorPoint } from '../../../src/domain/inspect/wire.ts';

/** Which parts of a chart are lit, by the ids of its graph; what is left out is empty. */
export interface Lights {
  /** States. */
  readonly active?: ReadonlySet<string>;
  /** States that the last row left and that are not active again. */
  readonly left?: ReadonlySet<string>;
  /** Transitions that the last row took. */
  readonly taken?: ReadonlySet<string>;
  /** Transitions that can be taken from here. */
  readonly possible?: ReadonlySet<string>;
  /** States and transitions that were walked by paths. */
  readonly covered?: ReadonlySet<string>;
  /** States and transitions that were not. */
  readonly uncovered?: ReadonlySet<string>;
}

const OF_STATES = ['active', 'left', 'covered', 'uncovered'] as const;
const OF_TRANSITIONS = ['taken', 'possible', 'covered', 'uncovered'] as const;

/** What a point lights. */
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

/** Lights the parts of a drawing. */
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
