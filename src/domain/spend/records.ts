import { z } from 'zod';
import { Instant, Sha256 } from '../data/source.ts';
import { DecimalText } from '../data/value.ts';

/** Maximum number of calls per audit. */
export const CALLS_MAX = 2_000;
const NAME_CHARS_MAX = 200;
const LIST_MAX = 200;
const TOKENS_MAX = 1_000_000_000;

const Name = z.string().min(1).max(NAME_CHARS_MAX);
const Tokens = z.int().min(0).max(TOKENS_MAX);
const Dollars = DecimalText.refine((text) => !text.startsWith('-'), 'not below zero');

/**
 * Whether `input_tokens` includes cached tokens: yes for `otel` and `openai`, no for `anthropic`.
 */
export const CacheConvention = z.enum(['otel', 'openai', 'anthropic']);
/** Whether `input_tokens` includes cached tokens. */
export type CacheConvention = z.infer<typeof CacheConvention>;

/** A metered model call. */
export const ModelCall = z.strictObject({
  id: Name.optional().describe('Request id. Duplicate ids are reported.'),
  ts: Instant,
  model: Name,
  provider: Name.optional().describe('Such as openai. Defaults to the provider of the model name.'),
  input_tokens: Tokens,
  output_tokens: Tokens.describe('Includes reasoning tokens.'),
  cache_read_tokens: Tokens.default(0),
  cache_write_tokens: Tokens.default(0),
  reasoning_tokens: Tokens.optional(),
  task_id: Name.optional(),
  agent: Name.optional(),
  tool: Name.optional(),
  prompt_sha256: Sha256.optional().describe('SHA-256 of the prompt. Repeats count as retries.'),
  reported_cost_usd: Dollars.optional(),
  convention: CacheConvention.optional().describe('Overrides the common convention.'),
});
/** A metered model call. */
export type ModelCall = z.infer<typeof ModelCall>;

/** The budget of an agent. */
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
/** The budget of an agent. */
export type SpendBudget = z.infer<typeof SpendBudget>;

/** The task and the resources assigned to an agent. */
export const TaskScope = z.strictObject({
  allowed_models: z.array(Name).max(LIST_MAX).optional(),
  allowed_tools: z.array(Name).max(LIST_MAX).optional(),
  task_ids: z.array(Name).max(LIST_MAX).optional(),
  from: Instant.optional(),
  to: Instant.optional(),
});
/** The task and the resources assigned to an agent. */
export type TaskScope = z.infer<typeof TaskScope>;

/** A price given by the caller, in dollars per million tokens. */
export const CustomRate = z.strictObject({
  model: Name,
  input: Dollars,
  output: Dollars,
  cache_read: Dollars.optional().describe('Without it the price of input.'),
  cache_write: Dollars.optional().describe('Without it the price of input.'),
});
/** A price given by the caller. */
export type CustomRate = z.infer<typeof CustomRate>;

/** Input of a spend audit. */
export const SpendOrder = z.strictObject({
  records: z.array(ModelCall).min(1).max(CALLS_MAX),
  convention: CacheConvention.describe(
    'Whether input_tokens includes cached tokens: yes for otel and openai, no for anthropic.',
  ),
  budget: SpendBudget.optional(),
  task_scope: TaskScope.optional(),
  prices: z.array(CustomRate).max(LIST_MAX).optional().describe('Override the price table.'),
  max_output_tokens: Tokens.optional().describe('Calls with more output tokens are reported.'),
});
/** Input of a spend audit. */
export type SpendOrder = z.infer<typeof SpendOrder>;
