import type { AnyStateMachine, AnyStateNode } from 'xstate';

/** A state as the author of a machine wrote it; only what mutants touch is named. */
export interface StateConfig {
  on?: Record<string, unknown>;
  after?: Record<string, unknown>;
  always?: unknown;
  onDone?: unknown;
  invoke?: unknown;
  entry?: unknown;
  exit?: unknown;
  initial?: unknown;
  type?: string;
  states?: Record<string, StateConfig>;
}

/** One candidate of a transition as it was written, in its long form. */
export interface CandidateConfig {
  target?: unknown;
  guard?: unknown;
  actions?: unknown;
  reenter?: boolean;
}

/** Where the candidates of an event stand in a state's configuration. */
export interface CandidateSlot {
  get(): readonly CandidateConfig[];
  /** An empty list takes the event away. */
  set(candidates: readonly CandidateConfig[]): void;
}

/** Copies a configuration; functions and other values that are no plain data are shared. */
export function cloneConfig<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item) => cloneConfig(item) as unknown) as T;
  if (typeof value !== 'object' || value === null) return value;
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, cloneConfig(item) as unknown]);
  return Object.fromEntries(entries) as T;
}

/** A copy of a machine's whole configuration. */
export function configOf(machine: AnyStateMachine): StateConfig {
  return cloneConfig(machine.config) as unknown as StateConfig;
}

/** The part of a configuration that describes a state. */
export function stateConfig(root: StateConfig, { path }: AnyStateNode): StateConfig {
  let config = root;
  for (const key of path) config = config.states?.[key] ?? {};
  return config;
}

/** Finds the candidates of an event; `undefined` where they are not written down. */
export function slotOf(
  root: StateConfig,
  node: AnyStateNode,
  eventType: string,
): CandidateSlot | undefined {
  const config = stateConfig(root, node);
  if (eventType === '') return slot(config as Members, 'always');
  if (config.on?.[eventType] !== undefined) return slot(config.on, eventType);
  const timer = node.after.find((after) => after.eventType === eventType);
  if (timer !== undefined && config.after !== undefined) {
    return slot(config.after, String(timer.delay));
  }
  if (eventType === `xstate.done.state.${node.id}`) return slot(config as Members, 'onDone');
  return invokeSlot(config, node, eventType);
}

/** What a list of one or many may be written as. */
export function listOf(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

type Members = Record<string, unknown>;

const ENDS = [
  ['xstate.done.actor.', 'onDone'],
  ['xstate.error.actor.', 'onError'],
  ['xstate.snapshot.', 'onSnapshot'],
] as const;

function invokeSlot(
  config: StateConfig,
  node: AnyStateNode,
  eventType: string,
): CandidateSlot | undefined {
  const [prefix, member] = ENDS.find(([start]) => eventType.startsWith(start)) ?? [];
  if (prefix === undefined || member === undefined) return undefined;
  const at = node.invoke.findIndex(({ id }) => eventType === `${prefix}${id}`);
  const invoke = listOf(config.invoke)[at];
  return typeof invoke === 'object' && invoke !== null
    ? slot(invoke as Members, member)
    : undefined;
}

function slot(owner: Members, key: string): CandidateSlot | undefined {
  if (owner[key] === undefined) return undefined;
  return {
    get: () => listOf(owner[key]).map(longForm),
    set: (candidates) => {
      if (candidates.length === 0) delete owner[key];
      else owner[key] = candidates;
    },
  };
}

function longForm(candidate: unknown): CandidateConfig {
  if (typeof candidate === 'string') return { target: candidate };
  return (candidate ?? {}) as CandidateConfig;
}
