import type { EngineOptions } from '../engine/engine.ts';
import { openEngine } from '../engine/engine.ts';
import { EngineError } from '../engine/error.ts';
import type { EngineStore } from '../engine/ports.ts';
import type { Definition } from '../engine/types.ts';
import { isPromise } from '../load/awaitable.ts';
import type { SearchAttributes } from '../search/search-types.ts';
import { findSearchErrors } from '../search/search-values.ts';
import { systemClock } from '../timer/clock.ts';
import { RelayObserver } from '../view/relay-observer.ts';
import { createActorKind } from './actor-kind.ts';
import { rememberParts } from './app-parts.ts';
import type { ActorSource, AppOptions, DurableApp, Machines, Searches } from './durable-types.ts';
import { keepProcessAlive } from './keep-alive.ts';
import { toDefinition } from './to-definition.ts';

/**
 * Opens an app on a store. `durable` of the package also opens the store.
 *
 * @param closeStore - Called when the app is closed.
 * @throws {EngineError} `DEFINITION_INVALID` if a kind cannot be stored, two have the same name, or
 *   one is named `engine` or `close`; `MIGRATION_MISSING` as `createEngine`.
 */
export async function openApp<All extends Machines, Found extends Searches>(
  {
    actors,
    search,
    clock = systemClock(),
    keepAlive = true,
    observer,
    ...options
  }: AppOptions<All, Found>,
  store: EngineStore,
  closeStore: () => Promise<void>,
): Promise<DurableApp<All, Found>> {
  const kinds = Object.entries(actors as Readonly<Record<string, ActorSource<All[string]>>>).map(
    ([name, source]) => [name, withSearch(toDefinition(name, source), search?.[name])] as const,
  );
  const definitions: EngineOptions['definitions'] = kinds.map(([, definition]) => definition);
  const relay = new RelayObserver(
    observer === undefined ? () => clock.now() : () => observer.now(),
  );
  if (observer !== undefined) relay.add(observer);
  const { engine, start } = openEngine({ ...options, store, clock, definitions, observer: relay });
  const closers = new Set<() => Promise<void>>();
  rememberParts(engine, { members: new Map(kinds), definitions, store, clock, relay, closers });
  const started = start();
  if (isPromise(started)) await started;
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
  return { ...Object.fromEntries(members), engine, close } as DurableApp<All, Found>;
}

/** @throws {EngineError} `DEFINITION_INVALID` */
function withSearch(definition: Definition, search: SearchAttributes | undefined): Definition {
  if (search === undefined) return definition;
  const faults = findSearchErrors(search);
  if (faults.length === 0) return { ...definition, search };
  const { kind } = definition;
  throw new EngineError('DEFINITION_INVALID', `${kind}: ${faults.join('; ')}`, {
    data: { kind, faults },
  });
}
