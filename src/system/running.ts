/** What a process can be in the middle of. */
export type WorkKind = 'answer' | 'effect' | 'request' | 'tool';

/** Work that is listed when the event loop is blocked; more is counted. */
const SHOWN_MAX = 8;
const NAME_CHARS_MAX = 120;

/**
 * How the watchdog, a thread of its own, asks a blocked main thread what it runs: it pauses the
 * thread through the inspector and calls the function of this name.
 */
export const RUNNING_SYMBOL = 'stoa.running';

let lastKind: WorkKind | undefined;
let lastName: () => string = () => '';
const atWork = new Map<object, () => string>();

/** Notes what begins now. It is called for every request, so the name is only written if asked. */
export function begins(kind: WorkKind, name: () => string): void {
  lastKind = kind;
  lastName = name;
}

/** Notes an effect from its begin to {@link effectEnds}; `key` is the same object at both. */
export function effectBegins(key: object, name: () => string): void {
  begins('effect', name);
  atWork.set(key, name);
}

/** The end of what {@link effectBegins} noted. */
export function effectEnds(key: object): void {
  atWork.delete(key);
}

/** Says what began last and which effects are at work, for an operator. */
export function runningText(): string {
  const last = lastKind === undefined ? 'nothing' : `${lastKind} ${shown(lastName)}`;
  const effects = [...atWork.values()].slice(0, SHOWN_MAX).map(shown);
  const more = atWork.size > SHOWN_MAX ? ` and ${atWork.size - SHOWN_MAX} more` : '';
  const work = effects.length === 0 ? 'none' : `${effects.join(', ')}${more}`;
  return `begun last: ${last}; effects at work: ${work}`;
}

/** Lets {@link RUNNING_SYMBOL} be called. */
export function offerRunning(): void {
  Object.assign(globalThis, { [Symbol.for(RUNNING_SYMBOL)]: runningText });
}

function shown(name: () => string): string {
  return name()
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .slice(0, NAME_CHARS_MAX);
}
