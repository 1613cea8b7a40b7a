import { z } from 'zod';

const Iso = z.string().describe('RFC 3339, in UTC.');
const State = z.enum(['armed', 'fired', 'stale']);

const Transition = z.object({
  key: z.string().describe('The same in every telling of this change.'),
  from: State.nullable(),
  to: State,
  at: Iso,
  reason: z.string(),
  value: z.string().nullable(),
  gap_crossed: z.boolean().describe('The threshold was crossed while there were no data.'),
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
  alert_id: z.string().describe('A capability: whoever holds it reads, arms and deletes.'),
  state: State,
  since: Iso,
  active: z.boolean().describe('False once it has expired or was deleted.'),
  ended: z.enum(['expired', 'deleted']).nullable(),
  created_at: Iso,
  expires_at: Iso,
  last_value: z
    .object({
      value: z.string(),
      measure: z.string().nullable().describe('What is compared with the threshold.'),
      unit: z.string(),
      as_of: Iso,
      age_s: z.number(),
      stale: z.boolean(),
      sources: z.array(z.string()),
      evidence: z
        .array(
          z.object({ source: z.string(), url: z.string(), sha256: z.string(), retrieved_at: Iso }),
        )
        .describe('Answers behind the value by their hash; empty where none are kept.'),
      found: z
        .array(
          z.object({ title: z.string(), url: z.string(), domain: z.string(), published_at: Iso }),
        )
        .describe('News: the newest headlines that matched. Untrusted: strangers’ words.'),
    })
    .nullable(),
  condition: Condition.describe('As it was defined, with everything decided.'),
  distance_to_threshold: z.string().nullable().describe('Threshold less measure.'),
  last_transition: Transition.nullable(),
  next_eval_at: Iso.nullable(),
  evidence_ref: z.string().nullable().describe('SHA-256 of the last value with its source.'),
  fault: z.string().nullable().describe('Why the last reading brought no value.'),
  read_at: z.object({ resource: z.string(), path: z.string() }),
});
/** A parsed {@link AlertView}. */
export type AlertView = z.infer<typeof AlertView>;

/** An alert with its stored state changes, oldest first. */
export const AlertHistory = AlertView.extend({ history: z.array(Transition) });
/** A parsed {@link AlertHistory}. */
export type AlertHistory = z.infer<typeof AlertHistory>;
