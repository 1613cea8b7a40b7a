import type { AlertSubject } from '../../domain/alert/subject.ts';
import { type AppError, toAppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { PublicEvent } from '../../domain/event/event-log.ts';
import type {
  AlertReadInput,
  AlertReading,
  AlertSample,
  ReadingFailure,
} from '../../machines/alert/alert-context.ts';
import type { Services } from '../common/services.ts';
import { readCandlesSample, readSpreadSample } from './market-samples.ts';
import { readNewsSample } from './news-sample.ts';
import { toAlertProof } from './source-error.ts';

/** Maximum number of public events per reading; the next reading continues after them. */
export const EVENTS_PER_READING_MAX = 1_000;
/** Time limit for all sources of one reading, in milliseconds. */
export const SOURCES_TIMEOUT_MS = 10 * SECOND_MS;

type Ports = Pick<Services, 'events' | 'feeds' | 'markets' | 'prices'>;

/** Clock and abort signal of a reading. */
export interface ReadingTime {
  now(): number;
  readonly signal?: AbortSignal;
}

/** Reads the subject of an alert once. A failed source gives a reading with its error. */
export async function readSubject(
  sources: Ports,
  look: AlertReadInput,
  time: ReadingTime,
): Promise<AlertReading> {
  const { subject, eventSeq } = look;
  if (subject.kind === 'event') return readEvents(sources.events, subject, eventSeq, time.now());
  try {
    const sample = await readSample(sources, { ...look, subject }, time);
    return { at: time.now(), sample, fault: null };
  } catch (thrown) {
    return { at: time.now(), sample: null, fault: toReadingFault(toAppError(thrown)) };
  }
}

/** A reading that needs an external source. */
export type ExternalReading = Omit<AlertReadInput, 'subject'> & {
  readonly subject: Exclude<AlertSubject, { readonly kind: 'event' }>;
};

/**
 * Reads the source of an alert.
 *
 * @throws {AppError} the source's error; `EGRESS_FAILED` with kind `no_data` if the source has no
 *   usable value
 */
export async function readSample(
  { prices, markets, feeds }: Ports,
  { subject, op, windowMs, since }: ExternalReading,
  { now, signal }: ReadingTime,
): Promise<AlertSample> {
  const time = { now, deadline: now() + SOURCES_TIMEOUT_MS, signal };
  switch (subject.kind) {
    case 'price': {
      const { pair, venue } = subject;
      const order = { pair, venue, ...(signal === undefined ? {} : { signal }) };
      const { value, asOf, sources: from, read } = await prices.price(order);
      const proof = read === undefined ? {} : { proof: read.map(toAlertProof) };
      return { value, asOf, source: from.join('+'), ...proof };
    }
    case 'candles':
      return readCandlesSample(markets, subject, { op, windowMs, ...time });
    case 'spread':
      return readSpreadSample(markets, subject, time);
    case 'news':
      return readNewsSample(feeds, subject, { windowMs, since, ...time });
  }
}

/** Returns whether an alert watches a public event. */
export function matchesSubject(
  { topic, query }: Extract<AlertSubject, { readonly kind: 'event' }>,
  { type, ref, subjects }: PublicEvent,
): boolean {
  const isOfTopic = type === topic || type.startsWith(`${topic}.`);
  return isOfTopic && (query === null || ref.toLowerCase() === query || subjects.includes(query));
}

function readEvents(
  events: Ports['events'],
  subject: Extract<AlertSubject, { readonly kind: 'event' }>,
  from: number,
  at: number,
): AlertReading {
  const rows = events.read(from, EVENTS_PER_READING_MAX);
  const matches = rows.filter((row) => matchesSubject(subject, row));
  const sample = { value: String(matches.length), asOf: at, source: 'events' };
  return { at, sample, fault: null, eventSeq: from + rows.length };
}

function toReadingFault({ code, data, message }: AppError): ReadingFailure {
  const detail = `${code}: ${message}`.slice(0, 200);
  if (code === 'INPUT_INVALID') return { reason: 'no_data', detail };
  if (data['kind'] === 'payload') return { reason: 'schema', detail };
  if (data['kind'] === 'no_data') return { reason: 'no_data', detail };
  return { reason: data['kind'] === 'closed' ? 'market_closed' : 'upstream_error', detail };
}
