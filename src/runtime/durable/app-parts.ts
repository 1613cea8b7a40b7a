import type { EngineStore, RuntimeClock } from '../engine/ports.ts';
import type { ActorEngine, Definition } from '../engine/types.ts';
import type { RelayObserver } from '../view/relay-observer.ts';

/** What an app is made of, for tools that take any app. */
export interface AppParts {
  /** The kinds of the app by the names of its members. */
  readonly members: ReadonlyMap<string, Definition>;
  /** All kinds, those of child machines included. */
  readonly definitions: readonly Definition[];
  readonly store: EngineStore;
  readonly clock: RuntimeClock;
  /** Reports the activity of the engine to observers. */
  readonly relay: RelayObserver;
  /** Run before the engine closes: servers of the app end first. */
  readonly closers: Set<() => Promise<void>>;
}

const PARTS = new WeakMap<ActorEngine, AppParts>();

/** Remembers the parts of an app as long as its engine exists. */
export function rememberParts(engine: ActorEngine, parts: AppParts): void {
  PARTS.set(engine, { ...parts, definitions: withChildren(parts.definitions) });
}

/** Returns the parts of the app of an engine; `undefined` if `durable` did not create it. */
export function partsOf(engine: ActorEngine): AppParts | undefined {
  return PARTS.get(engine);
}

/** Returns definitions with those of their child machines, each once. */
export function withChildren(definitions: readonly Definition[]): readonly Definition[] {
  const all = new Set<Definition>();
  const add = (definition: Definition): void => {
    if (all.has(definition)) return;
    all.add(definition);
    for (const child of Object.values(definition.children)) add(child);
  };
  for (const definition of definitions) add(definition);
  return [...all];
}
