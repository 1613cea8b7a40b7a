import { type AlertDefinition, hasOwnSamples, SAMPLES_MAX } from '../../domain/alert/definition.ts';
import {
  computePercent,
  formatDecimal,
  isDecimal,
  parseDecimal,
  toDecimal,
} from '../../domain/common/decimal.ts';
import { MINUTE_MS } from '../../domain/common/time.ts';
import type {
  AlertContext,
  AlertEvent,
  AlertEvidence,
  AlertReading,
  AlertSample,
} from './alert-context.ts';

/** Backward clock jump, in milliseconds, above which an alert becomes stale. */
export const CLOCK_BACK_MS = MINUTE_MS;
/** Minimum number of samples for a volatility. */
export const VOLATILITY_SAMPLES_MIN = 10;

const VOLATILITY_PLACES = 6;

/** Context changes from new evidence. */
export interface EvidenceUpdate {
  readonly evidence: AlertEvidence;
  readonly samples: AlertContext['samples'];
  readonly side: AlertContext['side'];
  readonly holdSince: number | null;
  readonly clearSince: number | null;
}

/** Returns the reading in an event, if any. */
export function readReading(event: AlertEvent): AlertReading | undefined {
  return event.type === 'xstate.done.actor.read' ? event.output : undefined;
}

/**
 * Returns the sample of a reading if it is evidence: a decimal, not in the future, not stale, and
 * newer than the last evidence.
 */
export function findEvidence(context: AlertContext, event: AlertEvent): AlertSample | undefined {
  const reading = readReading(event);
  const sample = reading?.sample;
  if (reading === undefined || sample === null || sample === undefined) return undefined;
  const isUsable = isDecimal(sample.value) && isFresh(sample, reading.at, context.definition);
  const isNewer = context.evidence === null || sample.asOf > context.evidence.asOf;
  return isUsable && isNewer ? sample : undefined;
}

/** Returns whether a sample is neither too old nor in the future. */
export function isFresh(
  { asOf }: Pick<AlertSample, 'asOf'>,
  at: number,
  { maxSkewMs, staleAfterMs }: Pick<AlertDefinition, 'maxSkewMs' | 'staleAfterMs'>,
): boolean {
  const ageMs = at - asOf;
  return ageMs >= -maxSkewMs && ageMs <= staleAfterMs;
}

/** Evaluates a sample that is evidence. */
export function evaluateSample(context: AlertContext, sample: AlertSample): EvidenceUpdate {
  const { definition } = context;
  const samples = appendSample(context, sample);
  const measure = computeMeasure(definition, samples, sample.value);
  const { asOf } = sample;
  const side = measure === null ? null : thresholdSide(definition, measure);
  const isArmed = context.latch === 'armed';
  const isMet = side === 'on' && (!isCrossing(definition) || hasCrossed(context));
  const isClear = measure !== null && isCleared(definition, measure);
  return {
    evidence: { ...sample, measure },
    samples,
    side,
    holdSince: isArmed && isMet ? (context.holdSince ?? asOf) : null,
    clearSince: !isArmed && isClear ? (context.clearSince ?? asOf) : null,
  };
}

/** Returns whether the condition has held long enough. */
export function hasHeldLongEnough(
  { definition }: AlertContext,
  { evidence, holdSince }: EvidenceUpdate,
): boolean {
  return holdSince !== null && evidence.asOf - holdSince >= definition.holdForMs;
}

/** Returns whether a fired alert may rearm automatically. */
export function mayRearm(context: AlertContext, { evidence, clearSince }: EvidenceUpdate): boolean {
  const { rearm, keepFiringMs } = context.definition;
  return rearm === 'auto' && clearSince !== null && evidence.asOf - clearSince >= keepFiringMs;
}

/** Returns whether a crossing happened while no data was available. */
export function hasCrossedInGap(
  { definition, sideBeforeGap }: AlertContext,
  now: EvidenceUpdate,
): boolean {
  return isCrossing(definition) && sideBeforeGap === 'off' && now.side === 'on';
}

/** Returns whether the last evidence was too old at a time. */
export function hasGap({ evidence, definition }: AlertContext, at: number): boolean {
  return evidence !== null && at - evidence.asOf > definition.staleAfterMs;
}

/** Returns whether the clock was set back. */
export function isClockSetBack({ lastAt }: AlertContext, at: number): boolean {
  return lastAt - at > CLOCK_BACK_MS;
}

/** Returns when an alert without newer evidence becomes stale, in milliseconds. */
export function computeStaleAt({ evidence, definition, lastAt }: AlertContext): number {
  const due = evidence === null ? lastAt : evidence.asOf + definition.staleAfterMs + 1;
  return Math.max(due, lastAt);
}

/** Returns whether an alert fires above the threshold rather than below. */
export function isFiringAbove({ op, threshold }: AlertDefinition): boolean {
  if (op === 'pct_change') return parseDecimal(threshold) > 0n;
  return op !== 'below' && op !== 'crosses_down';
}

function isCrossing({ op }: AlertDefinition): boolean {
  return op === 'crosses_up' || op === 'crosses_down';
}

/** A crossing must start on the other side; afterwards the new side holds it. */
function hasCrossed({ side, holdSince }: AlertContext): boolean {
  return side === 'off' || holdSince !== null;
}

function thresholdSide(definition: AlertDefinition, measure: string): 'on' | 'off' {
  const [value, threshold] = [parseDecimal(measure), parseDecimal(definition.threshold)];
  const isOn = isFiringAbove(definition) ? value > threshold : value < threshold;
  return isOn ? 'on' : 'off';
}

function isCleared(definition: AlertDefinition, measure: string): boolean {
  const [value, threshold] = [parseDecimal(measure), parseDecimal(definition.threshold)];
  const band = parseDecimal(definition.hysteresis);
  return isFiringAbove(definition) ? value <= threshold - band : value >= threshold + band;
}

function appendSample(
  { definition, samples }: AlertContext,
  { value, asOf }: AlertSample,
): AlertContext['samples'] {
  if (!hasOwnSamples(definition)) return [];
  const within = samples.filter((sample) => sample.asOf >= asOf - definition.windowMs);
  return [...within, { value, asOf }].slice(-SAMPLES_MAX - 1);
}

function computeMeasure(
  definition: AlertDefinition,
  samples: AlertContext['samples'],
  value: string,
): string | null {
  if (!hasOwnSamples(definition)) return value;
  return definition.op === 'pct_change' ? computeChange(samples) : computeVolatility(samples);
}

/** Returns the percent change from the oldest to the newest sample of the window. */
function computeChange(samples: AlertContext['samples']): string | null {
  const [oldest, newest] = [samples[0], samples.at(-1)];
  if (oldest === undefined || newest === undefined || samples.length < 2) return null;
  const base = parseDecimal(oldest.value);
  if (base <= 0n) return null;
  return formatDecimal(computePercent(parseDecimal(newest.value) - base, base));
}

/** Returns the standard deviation of log returns between samples, in percent. */
function computeVolatility(samples: AlertContext['samples']): string | null {
  const values = samples.map(({ value }) => Number(value));
  if (values.length < VOLATILITY_SAMPLES_MIN || values.some((value) => value <= 0)) return null;
  const returns = values.slice(1).map((value, at) => Math.log(value / (values[at] ?? value)));
  const mean = returns.reduce((sum, each) => sum + each, 0) / returns.length;
  const spread = returns.reduce((sum, each) => sum + (each - mean) ** 2, 0) / returns.length;
  return toDecimal(Math.sqrt(spread) * 100, VOLATILITY_PLACES);
}
