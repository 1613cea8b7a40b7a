import { z } from 'zod';
import { Instant } from '../data/source.ts';
import { DataValue, DecimalText } from '../data/value.ts';
import { SPEND_RULES } from './findings.ts';

const Count = z.int().nonnegative();

/** Tokens in disjoint parts. */
const TokenCounts = z.object({
  uncached_input: Count,
  cache_read: Count,
  cache_write: Count,
  output: Count,
  total: Count,
});

/** Calls of one model, task, agent or hour. */
const SpendGroup = z.object({
  key: z.string().nullable().describe('null for the calls without a key.'),
  calls: Count,
  tokens: TokenCounts,
  cost: DataValue.nullable().describe('Cost of the priced calls; null if there are none.'),
  unpriced_calls: Count,
});

/** State of spend against a budget. */
export const BudgetState = z.enum(['within', 'exceeded', 'unknown']);
/** State of spend against a budget. */
export type BudgetState = z.infer<typeof BudgetState>;

/** Report of a spend audit. */
export const SpendReport = z.object({
  totals: SpendGroup.omit({ key: true }).extend({ is_cost_complete: z.boolean() }),
  by: z.object({
    model: z.array(SpendGroup),
    task: z.array(SpendGroup),
    agent: z.array(SpendGroup),
    hour: z.array(SpendGroup),
  }),
  budget: z
    .object({
      state: BudgetState.describe('unknown: calls without a known price might exceed the budget.'),
      limit: DataValue,
      used: DataValue.nullable(),
      used_percent: DecimalText.nullable(),
      burn_per_hour: DataValue.nullable().describe('Average from first to last call.'),
      projected_exhaustion: Instant.nullable().describe('At that rate; null if not within a year.'),
    })
    .nullable(),
  findings: z.array(
    z.object({
      rule: z.enum(SPEND_RULES),
      severity: z.enum(['high', 'medium', 'low']),
      why: z.string(),
      records: z.array(Count).describe('Indexes in records, from 0; at most 100.'),
      calls: Count,
      waste: DataValue.nullable().describe('Avoidable cost, if known.'),
    }),
  ),
  unpriced_models: z.array(z.string()),
  reconciliation: z
    .object({
      compared_calls: Count,
      computed: DataValue,
      reported: DataValue,
      difference_percent: DecimalText.nullable(),
    })
    .nullable()
    .describe('Over calls that have both a known price and a reported cost.'),
});
/** Report of a spend audit. */
export type SpendReport = z.infer<typeof SpendReport>;
