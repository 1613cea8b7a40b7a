import type { AnyStateMachine, AnyStateNode } from 'xstate';

/** A state configuration as written by the author, reduced to the parts that mutants change. */
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

/** A transition candidate in its long form. */
export interface CandidateConfig {
  target?: unknown;
  guard?: unknown;
  actions?: unknown;
  reenter?: boolean;
}

/** Access to the candidates of an event in a state configuration. */
export interface CandidateSlot {
  get(): readonly CandidateConfig[];
  /** An empty list removes the event. */
  set(candidates: readonly CandidateConfig[]): void;
}

/** Copies a configuration. Functions and other non-plain values are shared. */
export function cloneConfig<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item) => cloneConfig(item) as unknown) as T;
  if (typeof value !== 'object' || value === null) return value;
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, cloneConfig(item) as unknown]);
  return Object.fromEntries(entries) as T;
}

/** Copies the whole configuration of a machine. */
export function copyConfig(machine: AnyStateMachine): StateConfig {
  return cloneConfig<object>(machine.config) as StateConfig;
}

/** Returns the part of a configuration that describes a state. */
export function findStateConfig(root: StateConfig, { path }: AnyStateNode): StateConfig {
  let config = root;
  for (const key of path) config = config.states?.[key] ?? {};
  return config;
}

/** Finds the candidates of an event; `undefined` if the configuration does not contain them. */
export function findSlot(
  root: StateConfig,
  node: AnyStateNode,
  eventType: string,
): CandidateSlot | undefined {
  const config = findStateConfig(root, node);
  if (eventType === '') return createSlot(config as Members, 'always');
  if (config.on?.[eventType] !== undefined) return createSlot(config.on, eventType);
  const timer = node.after.find((after) => after.eventType === eventType);
  if (timer !== undefined && config.after !== undefined) {
    return createSlot(config.after, String(timer.delay));
  }
  if (eventType === `xstate.done.state.${node.id}`) return createSlot(config as Members, 'onDone');
  return findInvokeSlot(config, node, eventType);
}

/** Converts a value of one or many to a list. */
export function toList(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

type Members = Record<string, unknown>;

const INVOKE_EVENTS = [
  ['xstate.done.actor.', 'onDone'],
  ['xstate.error.actor.', 'onError'],
  ['xstate.snapshot.', 'onSnapshot'],
] as const;

function findInvokeSlot(
  config: StateConfig,
  node: AnyStateNode,
  eventType: string,
): CandidateSlot | undefined {
  const [prefix, member] = INVOKE_EVENTS.find(([start]) => eventType.startsWith(start)) ?? [];
  if (prefix === undefined || member === undefined) return undefined;
  const at = node.invoke.findIndex(({ id }) => eventType === `${prefix}${id}`);
  const invoke = toList(config.invoke)[at];
  return typeof invoke === 'object' && invoke !== null
    ? createSlot(invoke as Members, member)
    : undefined;
}

function createSlot(owner: Members, key: string): CandidateSlot | undefined {
  if (owner[key] === undefined) return undefined;
  return {
    get: () => toList(owner[key]).map(toLongForm),
    set: (candidates) => {
      if (candidates.length === 0) delete owner[key];
      else owner[key] = candidates;
    },
  };
}

function toLongForm(candidate: unknown): CandidateConfig {
  if (typeof candidate === 'string') return { target: candidate };
  return (candidate ?? {}) as CandidateConfig;
}
