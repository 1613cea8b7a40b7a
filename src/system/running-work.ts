/** Kind of work that a process can be doing. */
export type WorkKind = 'answer' | 'effect' | 'request' | 'tool';

/** Maximum work items listed when the event loop is blocked; the rest are counted. */
const LISTED_EFFECTS_MAX = 8;
const NAME_CHARS_MAX = 120;

/**
 * Name of the function that the watchdog thread calls, through the inspector, in a blocked main
 * thread to find out what it runs.
 */
export const RUNNING_SYMBOL = 'stoa.running';

let lastKind: WorkKind | undefined;
let lastName: () => string = () => '';
const runningEffects = new Map<object, () => string>();

/**
 * Records work that starts now. Called for every request, so the name is computed only if needed.
 */
export function recordStart(kind: WorkKind, name: () => string): void {
  lastKind = kind;
  lastName = name;
}

/** Records an effect until {@link recordEffectEnd} is called with the same `key`. */
export function recordEffectStart(key: object, name: () => string): void {
  recordStart('effect', name);
  runningEffects.set(key, name);
}

/** Removes an effect recorded by {@link recordEffectStart}. */
export function recordEffectEnd(key: object): void {
  runningEffects.delete(key);
}

/** Describes what started last and which effects are running, for an operator. */
export function describeRunningWork(): string {
  const last = lastKind === undefined ? 'nothing' : `${lastKind} ${formatName(lastName)}`;
  const effects = [...runningEffects.values()].slice(0, LISTED_EFFECTS_MAX).map(formatName);
  const more =
    runningEffects.size > LISTED_EFFECTS_MAX
      ? ` and ${runningEffects.size - LISTED_EFFECTS_MAX} more`
      : '';
  const work = effects.length === 0 ? 'none' : `${effects.join(', ')}${more}`;
  return `last started: ${last}; running effects: ${work}`;
}

/** Makes {@link RUNNING_SYMBOL} callable. */
export function exposeRunningWork(): void {
  Object.assign(globalThis, { [Symbol.for(RUNNING_SYMBOL)]: describeRunningWork });
}

function formatName(name: () => string): string {
  return name()
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .slice(0, NAME_CHARS_MAX);
}
