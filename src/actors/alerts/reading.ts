import type { AlertSubject } from '../../domain/alert/definition.ts';
import { type AppError, toAppError } from '../../domain/error.ts';
import type { EventLog, PublicEvent } from '../../domain/ports/event-log.ts';
import type { PriceSource } from '../../domain/ports/price-source.ts';
import type { AlertLook, AlertReading, ReadingFault } from '../../machines/parts/alert-facts.ts';

/** Public events that one reading looks at; the next one goes on behind them. */
export const EVENTS_A_READING_MAX = 1_000;

/** What alerts look at. */
export interface AlertSources {
  readonly prices: PriceSource;
  readonly events: Pick<EventLog, 'size' | 'read'>;
}

/** Looks once. A source that gives nothing is a reading too: it says why. */
export async function readSubject(
  sources: AlertSources,
  { subject, eventSeq }: AlertLook,
  { now, signal }: { now(): number; readonly signal: AbortSignal },
): Promise<AlertReading> {
  if (subject.kind === 'event') return readEvents(sources.events, subject, eventSeq, now());
  try {
    const { pair, venue } = subject;
    const { value, asOf, sources: from } = await sources.prices.price({ pair, venue, signal });
    return { at: now(), sample: { value, asOf, source: from.join('+') }, fault: null };
  } catch (thrown) {
    return { at: now(), sample: null, fault: faultOf(toAppError(thrown)) };
  }
}

/** Tells whether a public event is one that an alert watches. */
export function isWatched(
  { topic, query }: Extract<AlertSubject, { readonly kind: 'event' }>,
  { type, ref, subjects }: PublicEvent,
): boolean {
  const isOfTopic = type === topic || type.startsWith(`${topic}.`);
  return isOfTopic && (query === null || ref.toLowerCase() === query || subjects.includes(query));
}

function readEvents(
  events: AlertSources['events'],
  subject: Extract<AlertSubject, { readonly kind: 'event' }>,
  from: number,
  at: number,
): AlertReading {
  const rows = events.read(from, EVENTS_A_READING_MAX);
  const matches = rows.filter((row) => isWatched(subject, row));
  const sample = { value: String(matches.length), asOf: at, source: 'events' };
  return { at, sample, fault: null, eventSeq: from + rows.length };
}

function faultOf({ code, data, message }: AppError): ReadingFault {
  const detail = `${code}: ${message}`.slice(0, 200);
  if (code === 'INPUT_INVALID') return { reason: 'no_data', detail };
  if (data['kind'] === 'payload') return { reason: 'schema', detail };
  return { reason: data['kind'] === 'closed' ? 'market_closed' : 'upstream_error', detail };
}
