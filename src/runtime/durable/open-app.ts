import type { EngineOptions } from '../engine/engine.ts';
import { openEngine } from '../engine/engine.ts';
import type { EngineStore } from '../engine/ports.ts';
import { systemClock } from '../timer/clock.ts';
import { RelayObserver } from '../view/relay-observer.ts';
import { createActorKind } from './actor-kind.ts';
import { rememberParts } from './app-parts.ts';
import type { ActorSource, AppOptions, DurableApp, Machines } from './durable-types.ts';
import { keepProcessAlive } from './keep-alive.ts';
import { toDefinition } from './to-definition.ts';

/**
 * Opens an app on a store. `durable` of the package also opens the store.
 *
 * @param closeStore - Called when the app is closed.
 * @throws {EngineError} `DEFINITION_INVALID` if a kind cannot be stored, two have the same name, or
 *   one is named `engine` or `close`; `MIGRATION_MISSING` as `createEngine`.
 */
export function openApp<All extends Machines>(
  { actors, clock = systemClock(), keepAlive = true, observer, ...options }: AppOptions<All>,
  store: EngineStore,
  closeStore: () => Promise<void>,
): DurableApp<All> {
  const kinds = Object.entries(actors as Readonly<Record<string, ActorSource<All[string]>>>).map(
    ([name, source]) => [name, toDefinition(name, source)] as const,
  );
  const definitions: EngineOptions['definitions'] = kinds.map(([, definition]) => definition);
  const relay = new RelayObserver(
    observer === undefined ? () => clock.now() : () => observer.now(),
  );
  if (observer !== undefined) relay.add(observer);
  const { engine, start } = openEngine({ ...options, store, clock, definitions, observer: relay });
  const closers = new Set<() => Promise<void>>();
  rememberParts(engine, { members: new Map(kinds), definitions, store, clock, relay, closers });
  start();
  const stopKeeping = keepAlive
    ? keepProcessAlive({ stats: () => engine.stats(), now: () => clock.now() })
    : () => undefined;
  const close = async (): Promise<void> => {
    await Promise.all([...closers].map((run) => run()));
    await engine.close();
    stopKeeping();
    await closeStore();
  };
  const members = kinds.map(([name, kind]) => [name, createActorKind(engine, kind)] as const);
  return { ...Object.fromEntries(members), engine, close } as DurableApp<All>;
}
