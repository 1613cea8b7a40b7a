import type { AlertDefinition } from '../../domain/alert/definition.ts';
import type { AlertSubject } from '../../domain/alert/subject.ts';
import type { AlertHistory, AlertView } from '../../domain/alert/view.ts';
import { hashJson } from '../../domain/common/hash.ts';
import { SECOND_MS, toIsoTime } from '../../domain/common/time.ts';
import type { alertMachine } from '../../machines/alert/alert.ts';
import type { AlertContext, AlertTransition } from '../../machines/alert/alert-context.ts';
import { evidenceData } from '../../machines/alert/alert-messages.ts';
import { thresholdDistance } from '../../machines/alert/alert-transitions.ts';
import type { ViewOf } from '../../runtime/engine/types.ts';

/** The committed state of an alert. */
export type AlertActorView = ViewOf<typeof alertMachine>;

/** What a view of an alert is created from. */
interface AlertFacts extends Pick<AlertActorView, 'timers'> {
  readonly context: AlertContext;
}

/** Returns the public view of an alert. */
export function createAlertView({ context: alert, timers }: AlertFacts, now: number): AlertView {
  const { definition, history } = alert;
  const last = history.at(-1);
  const next = timers.find(({ timerId }) => timerId.includes('nextReading'));
  return {
    alert_id: alert.alertId,
    state: alert.state,
    since: toIsoTime(alert.since),
    active: alert.ended === null,
    ended: alert.ended,
    created_at: toIsoTime(alert.createdAt),
    expires_at: toIsoTime(alert.expiresAt),
    last_value: lastValueView(alert, now),
    condition: conditionView(definition),
    distance_to_threshold: thresholdDistance(alert),
    last_transition: last === undefined ? null : transitionView(last),
    next_eval_at: next === undefined ? null : toIsoTime(next.due),
    evidence_ref: hashEvidence(alert),
    fault: alert.fault === null ? null : `${alert.fault.reason}: ${alert.fault.detail}`,
    read_at: {
      resource: `stoa://alerts/${alert.alertId}`,
      path: `/a2a/alerts/${alert.alertId}`,
    },
  };
}

/** Returns the public view with the recorded transitions. */
export function createAlertHistory(view: AlertFacts, now: number): AlertHistory {
  return { ...createAlertView(view, now), history: view.context.history.map(transitionView) };
}

function lastValueView({ evidence, definition, state }: AlertContext, now: number) {
  if (evidence === null) return null;
  const { staleAfterMs } = definition;
  const { sources = [], found = [] } = evidenceData({ evidence });
  const ageMs = Math.max(0, now - evidence.asOf);
  return {
    value: evidence.value,
    measure: evidence.measure,
    unit: unitOf(definition),
    as_of: toIsoTime(evidence.asOf),
    age_s: ageMs / SECOND_MS,
    stale: state === 'stale' || ageMs > staleAfterMs,
    sources: evidence.source.split('+'),
    evidence: sources,
    found,
  };
}

/** Returns the unit of an alert's value. */
function unitOf({ subject, windowMs }: AlertDefinition): string {
  switch (subject.kind) {
    case 'price':
      return quoteOf(subject.pair);
    case 'candles':
      return windowMs === 0 ? quoteOf(subject.pair) : 'percent';
    case 'spread':
      return 'bps';
    case 'news':
      return 'stories';
    case 'event':
      return 'events';
  }
}

function quoteOf(pair: string): string {
  return pair.split('/')[1] ?? '';
}

function conditionView(definition: AlertDefinition) {
  const { subject, notify } = definition;
  const seconds = (ms: number): number => ms / SECOND_MS;
  return {
    subject: subjectView(subject),
    op: definition.op,
    threshold: definition.threshold,
    window_s: seconds(definition.windowMs),
    hysteresis: definition.hysteresis,
    hold_for_s: seconds(definition.holdForMs),
    keep_firing_s: seconds(definition.keepFiringMs),
    eval_interval_s: seconds(definition.evalIntervalMs),
    stale_after_s: seconds(definition.staleAfterMs),
    rearm: definition.rearm,
    cooldown_s: seconds(definition.cooldownMs),
    max_skew_s: seconds(definition.maxSkewMs),
    notify: { webhook_id: notify.webhookId, operator: notify.operator },
  };
}

function subjectView(subject: AlertSubject): AlertView['condition']['subject'] {
  switch (subject.kind) {
    case 'price':
      return { pair: subject.pair, venue: subject.venue };
    case 'candles':
      return { pair: subject.pair, venue: subject.venue, candle: subject.candle };
    case 'spread': {
      const between = subject.between.map(({ venue, feeBps }) => ({ venue, fee_bps: feeBps }));
      return { pair: subject.pair, between, size_quote: subject.sizeQuote };
    }
    case 'news':
      return { news: subject.query, domains: [...subject.domains] };
    case 'event':
      return { topic: subject.topic, query: subject.query };
  }
}

function transitionView(row: AlertTransition) {
  const { key, from, to, reason, value, gapCrossed } = row;
  return { key, from, to, at: toIsoTime(row.at), reason, value, gap_crossed: gapCrossed };
}

function hashEvidence({ evidence, definition }: AlertContext): string | null {
  if (evidence === null) return null;
  const { value, asOf, source } = evidence;
  const what = { subject: definition.subject, value, as_of: toIsoTime(asOf), source };
  return hashJson({ ...what, ...evidenceData({ evidence }) });
}
