import type { AlertDefinition } from '../../domain/alert/definition.ts';
import type { AlertHistory, AlertView } from '../../domain/alert/view.ts';
import { hashJson } from '../../domain/hash.ts';
import { SECOND_MS } from '../../domain/time.ts';
import type { AlertContext, AlertTransition } from '../../machines/parts/alert-facts.ts';
import { distanceOf } from '../../machines/parts/alert-moves.ts';
import type { View } from '../../runtime/types.ts';

/** The memory of an alert actor. */
export function alertOf(view: View): AlertContext {
  return view.context as unknown as AlertContext;
}

/** What is told of an alert. */
export function alertView(view: View, now: number): AlertView {
  const alert = alertOf(view);
  const { definition, history } = alert;
  const last = history.at(-1);
  const next = view.timers.find(({ timerId }) => timerId.includes('nextReading'));
  return {
    alert_id: alert.alertId,
    state: alert.state,
    since: iso(alert.since),
    active: alert.ended === null,
    ended: alert.ended,
    created_at: iso(alert.createdAt),
    expires_at: iso(alert.expiresAt),
    last_value: shownValue(alert, now),
    condition: conditionOf(definition),
    distance_to_threshold: distanceOf(alert),
    last_transition: last === undefined ? null : transitionOf(last),
    next_eval_at: next === undefined ? null : iso(next.due),
    evidence_ref: evidenceRef(alert),
    fault: alert.fault === null ? null : `${alert.fault.reason}: ${alert.fault.detail}`,
    read_at: {
      resource: `stoa://alerts/${alert.alertId}`,
      path: `/a2a/alerts/${alert.alertId}`,
    },
  };
}

/** The same with the changes that it remembers. */
export function alertHistory(view: View, now: number): AlertHistory {
  return { ...alertView(view, now), history: alertOf(view).history.map(transitionOf) };
}

function shownValue({ evidence, definition, state }: AlertContext, now: number) {
  if (evidence === null) return null;
  const { subject, staleAfterMs } = definition;
  const ageMs = Math.max(0, now - evidence.asOf);
  return {
    value: evidence.value,
    measure: evidence.measure,
    unit: subject.kind === 'price' ? (subject.pair.split('/')[1] ?? '') : 'events',
    as_of: iso(evidence.asOf),
    age_s: ageMs / SECOND_MS,
    stale: state === 'stale' || ageMs > staleAfterMs,
    sources: evidence.source.split('+'),
  };
}

function conditionOf(definition: AlertDefinition) {
  const { subject, notify } = definition;
  const seconds = (ms: number): number => ms / SECOND_MS;
  return {
    subject:
      subject.kind === 'price'
        ? { pair: subject.pair, venue: subject.venue }
        : { topic: subject.topic, query: subject.query },
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

function transitionOf(row: AlertTransition) {
  const { key, from, to, reason, value, gapCrossed } = row;
  return { key, from, to, at: iso(row.at), reason, value, gap_crossed: gapCrossed };
}

function evidenceRef({ evidence, definition }: AlertContext): string | null {
  if (evidence === null) return null;
  const { value, asOf, source } = evidence;
  return hashJson({ subject: definition.subject, value, as_of: iso(asOf), source });
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
