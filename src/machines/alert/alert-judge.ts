import { type AlertDefinition, keepsSamples, SAMPLES_MAX } from '../../domain/alert/definition.ts';
import {
  decimalOf,
  formatDecimal,
  isDecimal,
  parseDecimal,
  percentOf,
} from '../../domain/common/decimal.ts';
import { MINUTE_MS } from '../../domain/common/time.ts';
import type {
  AlertContext,
  AlertEvent,
  AlertEvidence,
  AlertReading,
  AlertSample,
} from './alert-facts.ts';

/** A clock that was set back by more than this, in milliseconds, makes an alert stale. */
export const CLOCK_BACK_MS = MINUTE_MS;
/** Samples below which a volatility is not computed. */
export const VOLATILITY_SAMPLES_MIN = 10;

const VOLATILITY_PLACES = 6;

/** What new evidence makes of an alert's memory. */
export interface Weighed {
  readonly evidence: AlertEvidence;
  readonly samples: AlertContext['samples'];
  readonly side: AlertContext['side'];
  readonly holdSince: number | null;
  readonly clearSince: number | null;
}

/** The reading that an event brings, if it brings one. */
export function readingOf(event: AlertEvent): AlertReading | undefined {
  return event.type === 'xstate.done.actor.read' ? event.output : undefined;
}

/**
 * The sample of a reading, if it is evidence: a decimal, not from the future, not stale, and newer
 * than what was used before. Anything else changes nothing.
 */
export function evidenceIn(context: AlertContext, event: AlertEvent): AlertSample | undefined {
  const reading = readingOf(event);
  const sample = reading?.sample;
  if (reading === undefined || sample === null || sample === undefined) return undefined;
  const isUsable = isDecimal(sample.value) && isFresh(sample, reading.at, context.definition);
  const isNewer = context.evidence === null || sample.asOf > context.evidence.asOf;
  return isUsable && isNewer ? sample : undefined;
}

/** Tells whether a sample is neither too old at a moment nor from its future. */
export function isFresh(
  { asOf }: Pick<AlertSample, 'asOf'>,
  at: number,
  { maxSkewMs, staleAfterMs }: Pick<AlertDefinition, 'maxSkewMs' | 'staleAfterMs'>,
): boolean {
  const ageMs = at - asOf;
  return ageMs >= -maxSkewMs && ageMs <= staleAfterMs;
}

/** Weighs a sample that is evidence. */
export function weigh(context: AlertContext, sample: AlertSample): Weighed {
  const { definition } = context;
  const samples = samplesWith(context, sample);
  const measure = measureOf(definition, samples, sample.value);
  const { asOf } = sample;
  const side = measure === null ? null : sideOf(definition, measure);
  const isArmed = context.latch === 'armed';
  const isMet = side === 'on' && (!isCrossing(definition) || hasCome(context));
  const isClear = measure !== null && isCleared(definition, measure);
  return {
    evidence: { ...sample, measure },
    samples,
    side,
    holdSince: isArmed && isMet ? (context.holdSince ?? asOf) : null,
    clearSince: !isArmed && isClear ? (context.clearSince ?? asOf) : null,
  };
}

/** Tells whether the condition has held for as long as it must. */
export function isHeld({ definition }: AlertContext, { evidence, holdSince }: Weighed): boolean {
  return holdSince !== null && evidence.asOf - holdSince >= definition.holdForMs;
}

/** Tells whether a fired alert may arm itself again. */
export function isReleased(context: AlertContext, { evidence, clearSince }: Weighed): boolean {
  const { rearm, keepFiringMs } = context.definition;
  return rearm === 'auto' && clearSince !== null && evidence.asOf - clearSince >= keepFiringMs;
}

/** Tells whether a crossing happened while there were no data. */
export function isCrossedInGap({ definition, sideBeforeGap }: AlertContext, now: Weighed): boolean {
  return isCrossing(definition) && sideBeforeGap === 'off' && now.side === 'on';
}

/** Tells whether the last evidence was too old at a moment. */
export function isGap({ evidence, definition }: AlertContext, at: number): boolean {
  return evidence !== null && at - evidence.asOf > definition.staleAfterMs;
}

/** Tells whether the clock was set back. */
export function isClockBack({ lastAt }: AlertContext, at: number): boolean {
  return lastAt - at > CLOCK_BACK_MS;
}

/** When an alert without newer evidence becomes stale, in milliseconds. */
export function staleAt({ evidence, definition, lastAt }: AlertContext): number {
  const due = evidence === null ? lastAt : evidence.asOf + definition.staleAfterMs + 1;
  return Math.max(due, lastAt);
}

/** Tells on which side of the threshold an alert fires: above it, or below. */
export function firesAbove({ op, threshold }: AlertDefinition): boolean {
  if (op === 'pct_change') return parseDecimal(threshold) > 0n;
  return op !== 'below' && op !== 'crosses_down';
}

function isCrossing({ op }: AlertDefinition): boolean {
  return op === 'crosses_up' || op === 'crosses_down';
}

/** A crossing comes from the other side; once it has come, staying there holds it. */
function hasCome({ side, holdSince }: AlertContext): boolean {
  return side === 'off' || holdSince !== null;
}

function sideOf(definition: AlertDefinition, measure: string): 'on' | 'off' {
  const [value, threshold] = [parseDecimal(measure), parseDecimal(definition.threshold)];
  const isOn = firesAbove(definition) ? value > threshold : value < threshold;
  return isOn ? 'on' : 'off';
}

function isCleared(definition: AlertDefinition, measure: string): boolean {
  const [value, threshold] = [parseDecimal(measure), parseDecimal(definition.threshold)];
  const band = parseDecimal(definition.hysteresis);
  return firesAbove(definition) ? value <= threshold - band : value >= threshold + band;
}

function samplesWith(
  { definition, samples }: AlertContext,
  { value, asOf }: AlertSample,
): AlertContext['samples'] {
  if (!keepsSamples(definition)) return [];
  const within = samples.filter((sample) => sample.asOf >= asOf - definition.windowMs);
  return [...within, { value, asOf }].slice(-SAMPLES_MAX - 1);
}

function measureOf(
  definition: AlertDefinition,
  samples: AlertContext['samples'],
  value: string,
): string | null {
  if (!keepsSamples(definition)) return value;
  return definition.op === 'pct_change' ? changeOf(samples) : volatilityOf(samples);
}

/** From the oldest sample of the window to the newest, in percent. */
function changeOf(samples: AlertContext['samples']): string | null {
  const [oldest, newest] = [samples[0], samples.at(-1)];
  if (oldest === undefined || newest === undefined || samples.length < 2) return null;
  const base = parseDecimal(oldest.value);
  if (base <= 0n) return null;
  return formatDecimal(percentOf(parseDecimal(newest.value) - base, base));
}

/** Standard deviation of the logarithms of returns between samples, in percent. */
function volatilityOf(samples: AlertContext['samples']): string | null {
  const values = samples.map(({ value }) => Number(value));
  if (values.length < VOLATILITY_SAMPLES_MIN || values.some((value) => value <= 0)) return null;
  const returns = values.slice(1).map((value, at) => Math.log(value / (values[at] ?? value)));
  const mean = returns.reduce((sum, each) => sum + each, 0) / returns.length;
  const spread = returns.reduce((sum, each) => sum + (each - mean) ** 2, 0) / returns.length;
  return decimalOf(Math.sqrt(spread) * 100, VOLATILITY_PLACES);
}
