import { assign, enqueueActions, fromPromise } from 'xstate';
import type { Ev } from '../../../src/runtime/engine/types.ts';

/** One thing that an event can ask an actor to do; events carry lists of them. */
export type Act =
  | { readonly do: 'arm'; readonly slot: string; readonly ms: number; readonly event: Ev }
  | { readonly do: 'disarm'; readonly slot: string }
  | { readonly do: 'begin'; readonly src: SrcName; readonly child: string; readonly lane: string }
  | { readonly do: 'end'; readonly child: string }
  | { readonly do: 'send'; readonly to: string; readonly event: Ev }
  | { readonly do: 'create'; readonly to: string; readonly kind: string; readonly input: unknown }
  | { readonly do: 'say'; readonly what: string }
  | { readonly do: 'note'; readonly what: string }
  | { readonly do: 'throw' };

/** What every machine of the simulation remembers. */
export interface Memory {
  readonly notes: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  /** Set by the migration to version 2. */
  readonly since?: number;
}

/** Input of every machine of the simulation. */
export interface Start {
  readonly nonce: string;
}

/** Names of effects that every machine may begin. */
export const SRC_NAMES = ['quick', 'shared', 'person', 'single'] as const;

/** One of `SRC_NAMES`. */
export type SrcName = (typeof SRC_NAMES)[number];

/** Work that is only described: what runs stands in the definition. */
export const inert = fromPromise<unknown, unknown>(() => Promise.reject(new Error('not run')));

/** The actors of `setup` that `begin` needs. */
export const actors = { quick: inert, shared: inert, person: inert, single: inert };

/** A fresh memory. */
export function emptyMemory(): Memory {
  return { notes: [], counts: {} };
}

const NOTES_KEPT = 6;

/** The memory after one more event of a type. */
export function counted(memory: Memory, type: string): Memory {
  return { ...memory, counts: { ...memory.counts, [type]: (memory.counts[type] ?? 0) + 1 } };
}

/** Counts an event by its type. */
export const count = assign(({ context, event }) =>
  counted(context as Memory, (event as Ev).type),
) as never;

interface Enqueue {
  (action: unknown): void;
  assign(change: unknown): void;
  raise(event: Ev, o: { readonly id: string; readonly delay: number }): void;
  cancel(id: string): void;
  spawnChild(src: string, o: { readonly id: string; readonly input: unknown }): void;
  stopChild(id: string): void;
  emit(event: Ev): void;
}

/** Does what the acts of an event say, in order. */
export const perform = enqueueActions(({ enqueue, event }) => {
  const acts = ((event as Ev)['acts'] ?? []) as readonly Act[];
  for (const act of acts) performOne(enqueue as unknown as Enqueue, act);
}) as never;

function performOne(enqueue: Enqueue, act: Act): void {
  switch (act.do) {
    case 'arm':
      enqueue.raise(act.event, { id: `slot-${act.slot}`, delay: act.ms });
      return;
    case 'disarm':
      enqueue.cancel(`slot-${act.slot}`);
      return;
    case 'begin':
      enqueue.spawnChild(act.src, { id: act.child, input: { lane: act.lane } });
      return;
    case 'end':
      enqueue.stopChild(act.child);
      return;
    case 'send':
      enqueue.emit({ type: 'actor.send', to: act.to, event: act.event });
      return;
    case 'create':
      enqueue.emit({ type: 'actor.create', to: act.to, kind: act.kind, input: act.input });
      return;
    case 'say':
      enqueue.emit({ type: 'SAID', what: act.what });
      return;
    case 'note':
      enqueue.assign(({ context }: { context: Memory }) => ({
        notes: [...context.notes.slice(1 - NOTES_KEPT), act.what],
      }));
      return;
    case 'throw':
      throw new Error('an act that throws');
  }
}

/** Root transitions of every machine: acts, and the results of effects that acts began. */
export const common = {
  DO: { actions: ['perform', 'count'] },
  'xstate.done.actor.*': { actions: 'count' },
  'xstate.error.actor.*': { actions: 'count' },
} as never;

/** Actions of every machine. */
export const actions = { perform, count };
