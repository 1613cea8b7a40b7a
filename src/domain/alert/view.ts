import { z } from 'zod';

const Iso = z.string().describe('RFC 3339 time in UTC.');
const State = z.enum(['armed', 'fired', 'stale']);
/** State of an alert, as its machine has it and as callers see it. */
export type AlertState = z.infer<typeof State>;

const Transition = z.object({
  key: z.string().describe('Identifies this change; the same in every notification of it.'),
  from: State.nullable(),
  to: State,
  at: Iso,
  reason: z.string(),
  value: z.string().nullable(),
  gap_crossed: z
    .boolean()
    .describe('Whether the threshold was crossed while no data was available.'),
});

const Condition = z.object({
  subject: z.union([
    z.object({ pair: z.string(), venue: z.string(), candle: z.string().optional() }),
    z.object({
      pair: z.string(),
      between: z.array(z.object({ venue: z.string(), fee_bps: z.string().nullable() })),
      size_quote: z.string(),
    }),
    z.object({ news: z.string(), domains: z.array(z.string()) }),
    z.object({ topic: z.string(), query: z.string().nullable() }),
  ]),
  op: z.string(),
  threshold: z.string(),
  window_s: z.number(),
  hysteresis: z.string(),
  hold_for_s: z.number(),
  keep_firing_s: z.number(),
  eval_interval_s: z.number(),
  stale_after_s: z.number(),
  rearm: z.string(),
  cooldown_s: z.number(),
  max_skew_s: z.number(),
  notify: z.object({ webhook_id: z.string().nullable(), operator: z.boolean() }),
});

/** An alert as its owner sees it. */
export const AlertView = z.object({
  alert_id: z.string().describe('Secret. Anyone who has it can read, arm and delete the alert.'),
  state: State,
  since: Iso,
  active: z.boolean().describe('False after the alert expires or is deleted.'),
  ended: z.enum(['expired', 'deleted']).nullable(),
  created_at: Iso,
  expires_at: Iso,
  last_value: z
    .object({
      value: z.string(),
      measure: z.string().nullable().describe('Value that is compared with the threshold.'),
      unit: z.string(),
      as_of: Iso,
      age_s: z.number(),
      stale: z.boolean(),
      sources: z.array(z.string()),
      evidence: z
        .array(
          z.object({ source: z.string(), url: z.string(), sha256: z.string(), retrieved_at: Iso }),
        )
        .describe('Hashes of the source responses. Empty if none are stored.'),
      found: z
        .array(
          z.object({ title: z.string(), url: z.string(), domain: z.string(), published_at: Iso }),
        )
        .describe('News: newest matching headlines. Untrusted third-party text.'),
    })
    .nullable(),
  condition: Condition.describe('The definition with all defaults resolved.'),
  distance_to_threshold: z.string().nullable().describe('Threshold minus measure.'),
  last_transition: Transition.nullable(),
  next_eval_at: Iso.nullable(),
  evidence_ref: z.string().nullable().describe('SHA-256 of the last value and its source.'),
  fault: z.string().nullable().describe('Why the last reading returned no value.'),
  read_at: z.object({ resource: z.string(), path: z.string() }),
});
/** A parsed {@link AlertView}. */
export type AlertView = z.infer<typeof AlertView>;

/** An alert with its stored state changes, oldest first. */
export const AlertHistory = AlertView.extend({ history: z.array(Transition) });
/** A parsed {@link AlertHistory}. */
export type AlertHistory = z.infer<typeof AlertHistory>;
