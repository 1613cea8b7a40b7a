import { z } from 'zod';
import { Instant, Sha256 } from '../data/source.ts';
import { DecimalText } from '../data/value.ts';
import { ADVANCED } from '../tool/advanced.ts';

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
  ts: Instant.describe('Time of the call.'),
  model: Name.describe('Model that was called.'),
  provider: Name.optional().describe('Such as openai. Defaults to the provider of the model name.'),
  input_tokens: Tokens.describe('Input tokens.'),
  output_tokens: Tokens.describe('Includes reasoning tokens.'),
  cache_read_tokens: Tokens.default(0).describe('Tokens read from a cache.'),
  cache_write_tokens: Tokens.default(0).describe('Tokens written to a cache.'),
  reasoning_tokens: Tokens.optional().describe('Reasoning tokens.'),
  task_id: Name.optional().describe('Task of the call.'),
  agent: Name.optional().describe('Agent that called.'),
  tool: Name.optional().describe('Tool that called.'),
  prompt_sha256: Sha256.optional().describe('SHA-256 of the prompt. Repeats count as retries.'),
  reported_cost_usd: Dollars.optional().describe('Cost that was reported, in USD.'),
  convention: CacheConvention.optional().describe('Overrides the common convention.'),
});
/** A metered model call. */
export type ModelCall = z.infer<typeof ModelCall>;

/** The budget of an agent. */
export const SpendBudget = z
  .strictObject({
    usd: Dollars.optional().describe('Limit in USD.'),
    tokens: Tokens.optional().describe('Limit in tokens.'),
    from: Instant.optional().describe('Start of the budget.'),
    to: Instant.optional().describe('End of the budget.'),
  })
  .refine(({ usd, tokens }) => (usd === undefined) !== (tokens === undefined), {
    message: 'either usd or tokens',
  });
/** The budget of an agent. */
export type SpendBudget = z.infer<typeof SpendBudget>;

/** The task and the resources assigned to an agent. */
export const TaskScope = z.strictObject({
  allowed_models: z.array(Name).max(LIST_MAX).optional().describe('Models that may be called.'),
  allowed_tools: z.array(Name).max(LIST_MAX).optional().describe('Tools that may be called.'),
  task_ids: z.array(Name).max(LIST_MAX).optional().describe('Tasks of the agent.'),
  from: Instant.optional().describe('Start of the task.'),
  to: Instant.optional().describe('End of the task.'),
});
/** The task and the resources assigned to an agent. */
export type TaskScope = z.infer<typeof TaskScope>;

/** A price given by the caller, in dollars per million tokens. */
export const CustomRate = z.strictObject({
  model: Name.describe('Model.'),
  input: Dollars.describe('Input price.'),
  output: Dollars.describe('Output price.'),
  cache_read: Dollars.optional().describe('Default: the input price.'),
  cache_write: Dollars.optional().describe('Default: the input price.'),
});
/** A price given by the caller. */
export type CustomRate = z.infer<typeof CustomRate>;

/** Input of a spend audit. */
export const SpendOrder = z.strictObject({
  records: z.array(ModelCall).min(1).max(CALLS_MAX).describe('The calls, up to 2000.'),
  convention: CacheConvention.describe(
    'Do input_tokens include cached ones? otel, openai: yes; anthropic: no.',
  ),
  budget: SpendBudget.optional().describe('The budget, in USD or tokens.'),
  task_scope: TaskScope.optional().describe('What the agent was assigned.'),
  prices: z
    .array(CustomRate)
    .max(LIST_MAX)
    .optional()
    .describe('Your prices, in USD per million tokens.')
    .meta(ADVANCED),
  max_output_tokens: Tokens.optional()
    .describe('Calls with more output tokens are reported.')
    .meta(ADVANCED),
});
/** Input of a spend audit. */
export type SpendOrder = z.infer<typeof SpendOrder>;
