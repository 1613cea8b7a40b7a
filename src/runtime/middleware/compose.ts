import { errorMessage } from '../effect/effect-error.ts';
import type { CommitStore } from '../engine/committer.ts';
import { EngineError } from '../engine/error.ts';
import type { Write } from '../engine/ports.ts';
import type { EffectAttempt } from '../view/observer.ts';
import type { CommitInfo, MessageInfo, Middleware } from './middleware-types.ts';

/** The middleware of an engine, composed; a part that no middleware has is absent. */
export interface Composed {
  readonly commit: ((run: () => Promise<void>, info: CommitInfo) => Promise<void>) | undefined;
  readonly effect:
    | ((run: () => Promise<unknown>, info: EffectAttempt) => Promise<unknown>)
    | undefined;
  readonly message: (<T>(run: () => T, info: MessageInfo) => T) | undefined;
}

/**
 * Composes the middleware of an engine.
 *
 * @throws {EngineError} `DEFINITION_INVALID` if a part is no function.
 */
export function composeMiddleware(use: readonly Middleware[]): Composed {
  const faults = use.flatMap((each, at) => findFaults(each, at));
  if (faults.length > 0) {
    throw new EngineError('DEFINITION_INVALID', `use: ${faults.join('; ')}`, { data: { faults } });
  }
  const commits = use.flatMap((each) =>
    each.commit === undefined ? [] : [each.commit.bind(each)],
  );
  const effects = use.flatMap((each) =>
    each.effect === undefined ? [] : [each.effect.bind(each)],
  );
  const messages = use.flatMap((each) =>
    each.message === undefined ? [] : [each.message.bind(each)],
  );
  return {
    commit: commits.length === 0 ? undefined : (run, info) => nest(commits, run, info),
    effect: effects.length === 0 ? undefined : (run, info) => nest(effects, run, info),
    message: messages.length === 0 ? undefined : (run, info) => runMessage(messages, run, info),
  };
}

/**
 * Puts middleware around the commits of a store. Commits are then written one after the other, and
 * nothing is written after one has failed.
 */
export function wrapCommits(store: CommitStore, commit: Composed['commit']): CommitStore {
  if (commit === undefined) return store;
  let last: Promise<void> = Promise.resolve();
  const write = async (writes: readonly Write[]): Promise<void> => {
    let written: Promise<void> | undefined;
    const next = (): Promise<void> => {
      if (written !== undefined) throw wrongNext('called next twice');
      written = store.commit(writes);
      return written;
    };
    await commit(next, describeCommit(writes));
    if (written === undefined) throw wrongNext('did not call next');
    // Middleware cannot hide that the commit failed.
    await written;
  };
  return {
    lastGlobalSeq: () => store.lastGlobalSeq(),
    commit: (writes) => {
      last = last.then(() => write(writes));
      return last;
    },
  };
}

type Layer<Info, T> = (next: () => Promise<T>, info: Info) => Promise<T>;

async function nest<Info, T>(
  layers: readonly Layer<Info, T>[],
  run: () => Promise<T>,
  info: Info,
): Promise<T> {
  const call = async (at: number): Promise<T> => {
    const layer = layers[at];
    return layer === undefined ? await run() : await layer(() => call(at + 1), info);
  };
  return await call(0);
}

function runMessage<T>(
  layers: readonly ((next: () => void, info: MessageInfo) => void)[],
  run: () => T,
  info: MessageInfo,
): T {
  let result: { readonly value: T } | undefined;
  const call = (at: number): void => {
    const layer = layers[at];
    if (layer !== undefined) layer(() => call(at + 1), info);
    else if (result === undefined) result = { value: run() };
    else throw wrongNext('called next twice');
  };
  try {
    call(0);
    if (result === undefined) throw wrongNext('did not call next');
    return (result as { readonly value: T }).value;
  } catch (cause) {
    if (cause instanceof EngineError && cause.code === 'EVENT_POISON') throw cause;
    const message = `${info.event.type}: middleware failed: ${errorMessage(cause)}`;
    throw new EngineError('EVENT_POISON', message, {
      data: { kind: info.kind, eventType: info.event.type },
      cause,
    });
  }
}

function describeCommit(writes: readonly Write[]): CommitInfo {
  const ids = writes.flatMap((write) =>
    'put' in write && write.put === 'journal' ? [write.row.id] : [],
  );
  return { writes: writes.length, actorIds: [...new Set(ids)] };
}

function findFaults(each: Middleware, at: number): readonly string[] {
  const parts = ['commit', 'effect', 'message'] as const;
  if (typeof each !== 'object' || each === null) return [`entry ${at} is no object`];
  return parts
    .filter((part) => each[part] !== undefined && typeof each[part] !== 'function')
    .map((part) => `${part} of entry ${at} must be a function`);
}

function wrongNext(what: string): EngineError {
  return new EngineError('STORE_FAILED', `A middleware ${what}; it must call it once.`);
}
