import { z } from 'zod';
import { Instant, Sha256 } from '../data/source.ts';
import { DecimalText } from '../data/value.ts';

/** Calls that one audit takes at the most. */
export const CALLS_MAX = 2_000;
const NAME_CHARS_MAX = 200;
const LIST_MAX = 200;
const TOKENS_MAX = 1_000_000_000;

const Name = z.string().min(1).max(NAME_CHARS_MAX);
const Tokens = z.int().min(0).max(TOKENS_MAX);
const Dollars = DecimalText.refine((text) => !text.startsWith('-'), 'not below zero');

/**
 * How `input_tokens` counts what came from a cache: `otel` and `openai` include it, `anthropic`
 * leaves it out.
 */
export const CacheConvention = z.enum(['otel', 'openai', 'anthropic']);
/** See {@link CacheConvention}. */
export type CacheConvention = z.infer<typeof CacheConvention>;

/** One call of a model, as it was metered. */
export const ModelCall = z.strictObject({
  id: Name.optional().describe('Of the request; the same id twice is found.'),
  ts: Instant,
  model: Name,
  provider: Name.optional().describe('Such as openai; without it the name of the model decides.'),
  input_tokens: Tokens,
  output_tokens: Tokens.describe('Reasoning included.'),
  cache_read_tokens: Tokens.default(0),
  cache_write_tokens: Tokens.default(0),
  reasoning_tokens: Tokens.optional(),
  task_id: Name.optional(),
  agent: Name.optional(),
  tool: Name.optional(),
  prompt_sha256: Sha256.optional().describe('Of the prompt; equal ones in a row are retries.'),
  reported_cost_usd: Dollars.optional(),
  convention: CacheConvention.optional().describe('In place of the one for all.'),
});
/** See {@link ModelCall}. */
export type ModelCall = z.infer<typeof ModelCall>;

/** What was granted to the agent. */
export const SpendBudget = z
  .strictObject({
    usd: Dollars.optional(),
    tokens: Tokens.optional(),
    from: Instant.optional(),
    to: Instant.optional(),
  })
  .refine(({ usd, tokens }) => (usd === undefined) !== (tokens === undefined), {
    message: 'either usd or tokens',
  });
/** See {@link SpendBudget}. */
export type SpendBudget = z.infer<typeof SpendBudget>;

/** What the agent was asked to do, and with what. */
export const TaskScope = z.strictObject({
  allowed_models: z.array(Name).max(LIST_MAX).optional(),
  allowed_tools: z.array(Name).max(LIST_MAX).optional(),
  task_ids: z.array(Name).max(LIST_MAX).optional(),
  from: Instant.optional(),
  to: Instant.optional(),
});
/** See {@link TaskScope}. */
export type TaskScope = z.infer<typeof TaskScope>;

/** A price of the caller's own, in dollars for a million tokens. */
export const OwnRate = z.strictObject({
  model: Name,
  input: Dollars,
  output: Dollars,
  cache_read: Dollars.optional().describe('Without it the price of input.'),
  cache_write: Dollars.optional().describe('Without it the price of input.'),
});
/** See {@link OwnRate}. */
export type OwnRate = z.infer<typeof OwnRate>;

/** What an audit of spend is asked with. */
export const SpendOrder = z.strictObject({
  records: z.array(ModelCall).min(1).max(CALLS_MAX),
  convention: CacheConvention.describe(
    'Whether input_tokens includes cached tokens: otel and openai yes, anthropic no.',
  ),
  budget: SpendBudget.optional(),
  task_scope: TaskScope.optional(),
  prices: z.array(OwnRate).max(LIST_MAX).optional().describe('Go before the table.'),
  max_output_tokens: Tokens.optional().describe('Calls with more are found.'),
});
/** See {@link SpendOrder}. */
export type SpendOrder = z.infer<typeof SpendOrder>;
