import type { AnyStateMachine, InputFrom, OutputFrom, ProvidedActor, StateMachine } from 'xstate';
import { retentionErrors } from '../journal/journal-trim.ts';
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
  readonly effects: EffectsOf<M>;
  /** One migration per older version that may still be stored. */
  readonly migrations?: readonly Migration[];
  /** Limits the journal of long-lived actors. By default all rows are kept. */
  readonly keep?: JournalKeep;
}

/**
 * Defines a kind of actor from a machine and the implementations of its named effects.
 *
 * @throws {EngineError} `DEFINITION_INVALID` listing everything in the machine that an engine
 * cannot persist: custom actions, sends to references, unnamed or undefined effects, system ids.
 * @example
 * const counter = define({ kind: 'counter', version: 1, machine, effects: {} });
 */
export function define<M extends AnyStateMachine>(source: DefinitionSource<M>): Definition<M> {
  const { kind, version, machine, migrations = [], keep } = source;
  const effects = source.effects as Definition['effects'];
  const faults = [
    ...(isName(kind) ? [] : [`kind must have 1 to ${NAME_CHARS_MAX} printable characters`]),
    ...(Number.isSafeInteger(version) && version > 0 ? [] : ['version must be an integer from 1']),
    ...findMigrationErrors(version, migrations),
    ...retentionErrors(keep),
    ...Object.entries(effects).flatMap(([name, effect]) => findEffectErrors(name, effect)),
    ...findMachineErrors(machine, Object.keys(effects)),
  ];
  if (faults.length > 0) {
    throw new EngineError('DEFINITION_INVALID', `${kind}: ${faults.join('; ')}`, {
      data: { kind, faults },
    });
  }
  const retention = keep === undefined ? {} : { keep };
  return { kind, version, machine: withMicrostepLimit(machine), effects, migrations, ...retention };
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

function withMicrostepLimit<M extends AnyStateMachine>(machine: M): M {
  const copy = machine.provide({}) as M;
  const requested = copy.options.maxIterations ?? Number.POSITIVE_INFINITY;
  copy.options = { ...copy.options, maxIterations: Math.min(requested, MICROSTEPS_MAX) };
  return copy;
}
