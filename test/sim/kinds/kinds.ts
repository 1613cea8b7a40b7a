import type { AnyStateMachine } from 'xstate';
import { define } from '../../../src/runtime/engine/define.ts';
import type {
  Definition,
  Effect,
  EffectContext,
  PersistedActor,
  TimerRow,
} from '../../../src/runtime/engine/types.ts';
import type { Chain } from '../chain.ts';
import { ATTEMPTS, SHARED_MAX } from './limits.ts';
import { mazeMachine, workerMachine } from './maze.ts';
import { payerMachine } from './payer.ts';
import { fragileMachine, puppetMachine } from './puppet.ts';

/** The kinds of actors of the simulation. */
export const KINDS = ['puppet', 'maze', 'worker', 'fragile', 'payer'] as const;

/** One of `KINDS`. */
export type KindName = (typeof KINDS)[number];

/** Runs one attempt of an effect: the simulation says what it does. */
export type Runner = (
  src: string,
  input: { readonly lane: string },
  context: EffectContext,
) => Promise<unknown>;

/** The definitions of one version of the program. */
export function definitionsOf(version: number, run: Runner, chain: Chain): Definition[] {
  const common = commonEffects(run);
  const migrations = version > 1 ? [{ from: 1, migrate: migrated }] : [];
  const kind = (name: KindName, machine: AnyStateMachine): Definition =>
    define({ kind: name, version, machine, effects: common as never, migrations });
  const { puppet, maze, worker, fragile } = machinesOf(version);
  return [
    kind('puppet', puppet),
    kind('maze', maze),
    kind('worker', worker),
    kind('fragile', fragile),
    define({
      kind: 'payer',
      version: 1,
      machine: payerMachine as never,
      effects: chain.effects() as never,
    }),
  ];
}

/** What the migration to version 2 makes of a timer; `undefined` lets it go. */
export function migratedTimer(row: TimerRow): TimerRow | undefined {
  return row.timerId === 'slot-x' ? undefined : row;
}

function migrated(actor: PersistedActor): PersistedActor {
  const { snapshot, timers } = actor;
  return {
    ...actor,
    snapshot: { ...snapshot, context: { ...snapshot.context, since: 2 } },
    timers: timers.filter((row) => migratedTimer(row) !== undefined),
  };
}

function machinesOf(version: number) {
  const known = machines.get(version);
  if (known !== undefined) return known;
  const made = {
    puppet: puppetMachine(version) as unknown as AnyStateMachine,
    maze: mazeMachine(version) as unknown as AnyStateMachine,
    worker: workerMachine(version) as unknown as AnyStateMachine,
    fragile: fragileMachine(version) as unknown as AnyStateMachine,
  };
  machines.set(version, made);
  return made;
}

const machines = new Map<number, Readonly<Record<Exclude<KindName, 'payer'>, AnyStateMachine>>>();

function commonEffects(run: Runner): Record<string, Effect<{ readonly lane: string }>> {
  const isFatal = (error: unknown) => (error as { code?: string }).code === 'FATAL';
  return {
    quick: {
      run: (input, context) => run('quick', input, context),
      attempts: ATTEMPTS['quick'] as number,
      timeoutMs: 10_000,
      isRetryable: (error) => !isFatal(error),
    },
    shared: {
      run: (input, context) => run('shared', input, context),
      attempts: ATTEMPTS['shared'] as number,
      backoff: () => 1_000,
      limit: { max: SHARED_MAX, key: ({ lane }) => lane },
    },
    person: {
      run: (input, context) => run('person', input, context),
      attempts: ATTEMPTS['person'] as number,
      timeoutMs: 60_000,
    },
    single: {
      run: (input, context) => run('single', input, context),
      attempts: ATTEMPTS['single'] as number,
      timeoutMs: 30_000,
    },
  };
}
