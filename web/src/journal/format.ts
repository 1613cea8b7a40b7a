import type { Json, JsonObject } from '../../../src/domain/common/json.ts';

const UNITS = [
  { word: 'd', ms: 86_400_000 },
  { word: 'h', ms: 3_600_000 },
  { word: 'min', ms: 60_000 },
  { word: 's', ms: 1000 },
] as const;

/** Formats a duration in its two largest units: `2 min 5 s`; below a second as `40 ms`. */
export function formatDuration(ms: number): string {
  const length = Math.abs(ms);
  if (length < 1000) return `${Math.round(length)} ms`;
  const first = UNITS.findIndex((unit) => length >= unit.ms);
  let rest = length;
  return UNITS.slice(first, first + 2)
    .map((unit) => {
      const count = Math.floor(rest / unit.ms);
      rest -= count * unit.ms;
      return { count, word: unit.word };
    })
    .filter(({ count }, index) => index === 0 || count > 0)
    .map(({ count, word }) => `${count} ${word}`)
    .join(' ');
}

/** Formats a due time relative to now: `in 2 min 5 s`, `overdue by 3 s`. */
export function formatDueTime(due: number, now: number): string {
  return due > now ? `in ${formatDuration(due - now)}` : `overdue by ${formatDuration(now - due)}`;
}

/** Formats the local time of day with milliseconds: `14:03:22.120`. */
export function formatPreciseTime(at: number): string {
  const date = new Date(at);
  const parts = [date.getHours(), date.getMinutes(), date.getSeconds()];
  const clock = parts.map((part) => String(part).padStart(2, '0')).join(':');
  return `${clock}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

const ENGINE_EVENTS = [
  ['xstate.done.actor.', 'done: '],
  ['xstate.error.actor.', 'error: '],
  ['xstate.done.state.', 'done: '],
  ['xstate.after.', 'after '],
] as const;

/** Formats an event as charts do: `done: fund` for `xstate.done.actor.fund`. */
export function formatEvent(event: JsonObject): string {
  const type = textOr(event['type'], '');
  const known = ENGINE_EVENTS.find(([prefix]) => type.startsWith(prefix));
  if (known === undefined) return type;
  const [prefix, words] = known;
  const rest = type.slice(prefix.length);
  // XState puts an index before the place of an actor without an id of its own.
  return `${words}${prefix.endsWith('.actor.') ? rest.replace(/^\d+\./, '') : rest}`;
}

/** Formats the cause of a journal row. */
export function formatCause(cause: JsonObject): string {
  const { who } = cause;
  return typeof who === 'string' ? `${formatCauseKind(cause)}, ${who}` : formatCauseKind(cause);
}

function textOr(value: Json | undefined, otherwise: string): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : otherwise;
}

function formatCauseKind(cause: JsonObject): string {
  const by = textOr(cause['by'], 'unknown');
  switch (by) {
    case 'create':
      return 'created';
    case 'outside':
      return 'from outside';
    case 'effect':
      // The first attempt is the normal case and is not named.
      return cause['attempt'] === 1 ? 'effect' : `effect, attempt ${textOr(cause['attempt'], '?')}`;
    case 'actor':
      return `from ${textOr(cause['from'], '?')}`;
    case 'retry':
      return 'retried dead letter';
    case 'engine':
      return `engine: ${textOr(cause['why'], '?')}`;
    default:
      return by;
  }
}

/** Formats micro-dollars as dollars without rounding: `1250000` as `$1.25`. */
export function formatMicroUsd(microUsd: string): string {
  if (!/^-?\d+$/.test(microUsd)) return microUsd;
  const sign = microUsd.startsWith('-') ? '-' : '';
  const digits = microUsd.replace('-', '').padStart(7, '0');
  return `${sign}$${digits.slice(0, -6)}.${digits.slice(-6).replace(/0{1,4}$/, '')}`;
}

/** Formats a count with its noun: `1 row`, `2,000 rows`. */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}
