import type {
  AnyStateMachine,
  ContextFrom,
  InputFrom,
  OutputFrom,
  ProvidedActor,
  StateMachine,
} from 'xstate';
import { actorEffects, listActorLogic } from '../effect/actor-effects.ts';
import { retentionErrors } from '../journal/journal-trim.ts';
import type { SearchAttributes } from '../search/search-types.ts';
import { findSearchErrors } from '../search/search-values.ts';
import { findMachineErrors } from '../view/inspect-machine.ts';
import { EngineError } from './error.ts';
import { isName, NAME_CHARS_MAX } from './name.ts';
import type { Definition, Effect, JournalKeep, Migration } from './types.ts';

/** Maximum microsteps per event. A loop of eventless transitions is a poison event, not a hang. */
export const MICROSTEPS_MAX = 1_000;

/** Implementations of a machine's named effects, keyed by their names in `setup({actors})`. */
export type EffectsOf<M extends AnyStateMachine> = {
  readonly [Name in NamesOf<M>]: Effect<InputFrom<LogicOf<M, Name>>, OutputFrom<LogicOf<M, Name>>>;
};

/** The input of `define`. */
export interface DefinitionSource<M extends AnyStateMachine> {
  /** Name of the kind, unique in an engine and stored in every row. */
  readonly kind: string;
  /** Integer from 1. Raise it with every change of the machine's meaning. */
  readonly version: number;
  readonly machine: M;
  /**
   * Implementations of its effects. A promise, callback or observable actor that has none here runs
   * as it is written in the machine.
   */
  readonly effects?: Partial<EffectsOf<M>>;
  /**
   * Definitions of the machines that it invokes or spawns. A machine without effects needs none
   * here: its kind is then `<kind>.<name>`.
   */
  readonly children?: Readonly<Record<string, Definition>>;
  /** One migration per older version that may still be stored. */
  readonly migrations?: readonly Migration[];
  /**
   * Definitions of earlier versions. Actors of these versions keep them until they end, instead of
   * being migrated. New actors have this version.
   */
  readonly earlier?: readonly Definition[];
  /** Limits the journal of long-lived actors. By default all rows are kept. */
  readonly keep?: JournalKeep;
  /** Attributes by which `list` finds actors, computed from their context. */
  readonly search?: SearchAttributes<ContextFrom<M>>;
}

/**
 * Defines a kind of actor from a machine and the implementations of its named effects.
 *
 * @throws {EngineError} `DEFINITION_INVALID` listing everything in the machine that an engine
 * cannot persist, with its place: actors without an implementation, undeclared actions.
 * @example
 * const counter = define({ kind: 'counter', version: 1, machine, effects: {} });
 */
export function define<M extends AnyStateMachine>(source: DefinitionSource<M>): Definition<M> {
  const { kind, version, machine, migrations = [], earlier, keep, search } = source;
  const given = (source.effects ?? {}) as Definition['effects'];
  const effects = { ...actorEffects(machine), ...given };
  const children = { ...defineChildren(source), ...source.children };
  const faults = [
    ...(isName(kind) ? [] : [`kind must have 1 to ${NAME_CHARS_MAX} printable characters`]),
    ...(Number.isSafeInteger(version) && version > 0 ? [] : ['version must be an integer from 1']),
    ...findMigrationErrors(version, migrations),
    ...findEarlierErrors(kind, version, earlier ?? []),
    ...retentionErrors(keep),
    ...findSearchErrors(search),
    ...Object.entries(effects).flatMap(([name, effect]) => findEffectErrors(name, effect)),
    ...findMachineErrors(machine, {
      effects: Object.keys(effects),
      children: Object.keys(children),
    }),
  ];
  if (faults.length > 0) {
    throw new EngineError('DEFINITION_INVALID', `${kind}: ${faults.join('; ')}`, {
      data: { kind, faults },
    });
  }
  return {
    kind,
    version,
    machine: withMicrostepLimit(machine),
    effects,
    children,
    migrations,
    ...(earlier === undefined ? {} : { earlier }),
    ...(keep === undefined ? {} : { keep }),
    ...(search === undefined ? {} : { search }),
  };
}

/** Defines the machines that a machine invokes or spawns and that have no definition yet. */
function defineChildren<M extends AnyStateMachine>(source: DefinitionSource<M>) {
  const children: Record<string, Definition> = {};
  for (const [name, logic] of listActorLogic(source.machine)) {
    if (source.effects !== undefined && Object.hasOwn(source.effects, name)) continue;
    if (source.children !== undefined && Object.hasOwn(source.children, name)) continue;
    if (!isMachine(logic)) continue;
    const { kind, version, earlier = [] } = source;
    const before = earlier.flatMap((definition) => definition.children[name] ?? []);
    const child = { kind: `${kind}.${name}`, version, machine: logic };
    children[name] = define(before.length === 0 ? child : { ...child, earlier: before });
  }
  return children;
}

function isMachine(logic: object): logic is AnyStateMachine {
  return 'root' in logic && 'implementations' in logic;
}

type ActorsOf<M extends AnyStateMachine> =
  M extends StateMachine<
    infer _Context,
    infer _Event,
    infer _Children,
    infer Actor,
    infer _Action,
    infer _Guard,
    infer _Delay,
    infer _Value,
    infer _Tag,
    infer _Input,
    infer _Output,
    infer _Emitted,
    infer _Meta,
    infer _Schema,
    infer _TransitionMeta
  >
    ? Actor
    : never;

type NamesOf<M extends AnyStateMachine> =
  ProvidedActor extends ActorsOf<M> ? never : ActorsOf<M>['src'];

type LogicOf<M extends AnyStateMachine, Name> = Extract<
  ActorsOf<M>,
  { readonly src: Name }
>['logic'];

function findEffectErrors(name: string, effect: Effect<never>): string[] {
  const { attempts, deathsMax, timeoutMs, heartbeatMs, limit } = effect;
  const counts = { attempts, deathsMax, 'limit.max': limit?.max };
  const errors = Object.entries(counts)
    .filter(([, count]) => count !== undefined && !(Number.isSafeInteger(count) && count > 0))
    .map(([what, count]) => `${what} of ${name} is ${count}; it must be an integer from 1`);
  const spans = Object.entries({ timeoutMs, heartbeatMs })
    .filter(([, ms]) => ms !== undefined && !(ms > 0))
    .map(([what, ms]) => `${what} of ${name} is ${ms}; it must be above 0`);
  return [...errors, ...spans];
}

function findMigrationErrors(version: number, migrations: readonly Migration[]): string[] {
  const froms = migrations.map(({ from }) => from);
  return froms
    .filter((from, at) => froms.indexOf(from) !== at || from < 1 || from >= version)
    .map((from) => `the migration from ${from} is a duplicate or cannot lead to ${version}`);
}

function findEarlierErrors(
  kind: string,
  version: number,
  earlier: readonly Definition[],
): string[] {
  const versions = earlier.map((definition) => definition.version);
  return earlier
    .filter(
      (each, at) =>
        each.kind !== kind || each.version >= version || versions.indexOf(each.version) !== at,
    )
    .map((each) => `${each.kind} version ${each.version} is no earlier version of ${kind}`);
}

function withMicrostepLimit<M extends AnyStateMachine>(machine: M): M {
  const copy = machine.provide({}) as M;
  const requested = copy.options.maxIterations ?? Number.POSITIVE_INFINITY;
  copy.options = { ...copy.options, maxIterations: Math.min(requested, MICROSTEPS_MAX) };
  return copy;
}
