import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AppError } from '../../domain/common/error.ts';
import { isObject } from '../../domain/common/json.ts';
import type { ActorSource, Machines } from '../../runtime/durable/durable-types.ts';
import { toDefinition } from '../../runtime/durable/to-definition.ts';
import type { ActorEngine, Definition, Effect } from '../../runtime/engine/types.ts';
import { requireStore } from './read-store.ts';
import { withStoreErrors } from './store-faults.ts';

type Library = typeof import('../../runtime/index.ts') &
  typeof import('../../store/engine/engine-store.ts');

/**
 * Opens a store with the actors of a module, and closes it after the work. Nothing that was pending
 * is resumed, and no effect runs.
 *
 * @param file - Exports what `durable` takes as `actors`: as `actors`, or as the default.
 * @throws {AppError} `CONFIG_INVALID`, `DATA_DIR_BUSY` if a program has the store open; errors of
 *   the engine.
 */
export async function withModule<T>(
  folder: string,
  file: string,
  work: (engine: ActorEngine) => Promise<T>,
): Promise<T> {
  requireStore(folder);
  const url = pathToFileURL(resolve(file)).href;
  const actors = await importActors(file, url);
  const { openEngine, define, systemClock, openEngineStore } = await importLibrary(url);
  return withStoreErrors(folder, async () => {
    const known = new Map<Definition, Definition>();
    const definitions = Object.entries(actors).map(([name, source]) =>
      withoutEffects(toDefinition(name, source, define), known),
    );
    const store = openEngineStore({ path: folder });
    try {
      const { engine } = openEngine({ store, clock: systemClock(), definitions });
      try {
        return await work(engine);
      } finally {
        await engine.close();
      }
    } finally {
      await store.close();
    }
  });
}

async function importActors(
  file: string,
  url: string,
): Promise<Readonly<Record<string, ActorSource<Machines[string]>>>> {
  const module = await importModule(file, url);
  const actors = module['actors'] ?? module['default'];
  if (isObject(actors)) return actors as Record<string, ActorSource<Machines[string]>>;
  const names = Object.keys(module);
  const message =
    `${file} must export its actors as actors or default, as durable takes them. ` +
    `It exports ${names.length === 0 ? 'nothing' : names.join(', ')}.`;
  throw new AppError('CONFIG_INVALID', { message, data: { file, names } });
}

async function importModule(file: string, url: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(url)) as Readonly<Record<string, unknown>>;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const message = `The module ${file} cannot be loaded: ${why}`;
    throw new AppError('CONFIG_INVALID', { message, data: { file }, cause });
  }
}

/** The library that the module uses, which writes the rows that its program reads; else ours. */
async function importLibrary(url: string): Promise<Library> {
  const { resolve: find } = createRequire(url);
  try {
    const paths = ['@stoa/runtime', '@stoa/runtime/lmdb'].map((name) => find(name));
    const parts = await Promise.all(paths.map((path) => import(pathToFileURL(path).href)));
    return Object.assign({}, ...parts) as Library;
  } catch {
    const [runtime, store] = await Promise.all([
      import('../../runtime/index.ts'),
      import('../../store/engine/engine-store.ts'),
    ]);
    return { ...runtime, ...store };
  }
}

/** Effects wait until the store closes; the program runs them. Each kind is converted once. */
function withoutEffects(definition: Definition, known: Map<Definition, Definition>): Definition {
  const converted = known.get(definition);
  if (converted !== undefined) return converted;
  const { effects, children, earlier } = definition;
  const waiting = Object.entries(effects).map(([name, effect]) => [name, waitForClose(effect)]);
  const own = Object.entries(children).map(([name, child]) => [name, withoutEffects(child, known)]);
  const made: Definition = {
    ...definition,
    effects: Object.fromEntries(waiting),
    children: Object.fromEntries(own),
    ...(earlier === undefined
      ? {}
      : { earlier: earlier.map((each) => withoutEffects(each, known)) }),
  };
  known.set(definition, made);
  return made;
}

function waitForClose(effect: Effect): Effect {
  return {
    ...effect,
    run: (_input, { signal }) =>
      new Promise((_done, fail) => {
        signal.addEventListener('abort', () => fail(signal.reason as Error));
      }),
  };
}
