import { type ReadonlySignal, signal } from '@preact/signals';
import type { JSX } from 'preact';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const tick = signal(Date.now());
let isTicking = false;
/** Offset of the server's clock from the local clock, in milliseconds. */
let clockOffsetMs = 0;

/** Sets the clock offset, because all timestamps are from the server's clock. */
export function syncClock(serverNow: number): void {
  clockOffsetMs = serverNow - Date.now();
  tick.value = serverNow;
}

/** Returns the server's current time as a signal that updates every second. */
export function currentTime(): ReadonlySignal<number> {
  if (!isTicking) {
    isTicking = true;
    setInterval(() => {
      if (document.visibilityState === 'visible') tick.value = Date.now() + clockOffsetMs;
    }, SECOND_MS);
  }
  return tick;
}

/** Formats a duration in its largest unit: `0 s`, `42 s`, `3 min`, `5 h`, `12 d`. */
export function formatSpan(spanMs: number): string {
  const span = Math.max(0, spanMs);
  if (span < MINUTE_MS) return `${Math.floor(span / SECOND_MS)} s`;
  if (span < HOUR_MS) return `${Math.floor(span / MINUTE_MS)} min`;
  if (span < DAY_MS) return `${Math.floor(span / HOUR_MS)} h`;
  return `${Math.floor(span / DAY_MS)} d`;
}

/** Formats a time relative to now: `3 min ago`, `now` or `in 5 h`. */
export function formatRelativeTime(at: number, now: number): string {
  if (Math.abs(at - now) < SECOND_MS) return 'now';
  return at > now ? `in ${formatSpan(at - now)}` : `${formatSpan(now - at)} ago`;
}

/** Formats local date and time: `2026-01-31 14:05:09`. */
export function formatDateTime(at: number): string {
  const date = new Date(at);
  const two = (part: number): string => String(part).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${formatClock(at)}`;
}

/** Formats the local time of day: `14:05:09`. */
export function formatClock(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}

/** A time of day; the tooltip has the date, and `datetime` the exact instant. */
export function ClockTime({ at }: { readonly at: number }): JSX.Element {
  return (
    <time dateTime={new Date(at).toISOString()} title={formatDateTime(at)}>
      {formatClock(at)}
    </time>
  );
}

/** A relative time that updates every second. */
export function RelativeTime({ at }: { readonly at: number }): JSX.Element {
  const now = currentTime().value;
  return (
    <time dateTime={new Date(at).toISOString()} title={formatDateTime(at)}>
      {formatRelativeTime(at, now)}
    </time>
  );
}
