import type { Clock } from '../../domain/common/clock.ts';
import { invariant } from '../../domain/common/error.ts';
import type { LlmPort } from '../../domain/llm/llm.ts';
import { createAnthropicClient } from './anthropic-messages.ts';
import type { Vendor } from './attempt.ts';
import { complete } from './complete.ts';
import { modelFamily } from './family.ts';
import { ModelHealth } from './model-health.ts';
import { type ModelEntry, parseModelList } from './model-list.ts';
import { createOpenAiClient } from './openai-chat.ts';
import { capCost, computeCost, computeCostCeiling, parsePrices } from './price.ts';
import { countSentChars } from './usage.ts';

/** Options of the language models. */
export interface LlmOptions {
  /** Value of `STOA_LLM_MODELS`. */
  readonly models: string;
  /**
   * Custom prices: a comma-separated list of `vendor:model=input/output`, in dollars per million
   * tokens.
   */
  readonly prices?: string;
  /** Returns the value of a key's environment variable. */
  readonly keys: (variable: string) => string | undefined;
  readonly clock: Clock;
  readonly fetch?: typeof globalThis.fetch;
}

/** The configured models. Those without their key are listed as unconfigured and not offered. */
export interface Llm extends LlmPort {
  readonly unconfigured: readonly { readonly modelId: string; readonly variable: string }[];
  /** Configured host names. Addresses from buyers must not reach them. */
  readonly hosts: readonly string[];
}

/**
 * Creates the configured language models. It contacts nothing and builds no client before the first
 * call of a model.
 *
 * @throws {AppError} `CONFIG_INVALID` naming the entry.
 * @example
 * const llm = createLlm({ models: 'openai:gpt-5-mini', keys: readSecret, clock });
 */
export function createLlm(options: LlmOptions): Llm {
  const entries = parseModelList(options.models);
  const modelIds = entries.map((entry) => entry.modelId);
  const prices = parsePrices(options.prices ?? '', modelIds);
  const unconfigured: { modelId: string; variable: string }[] = [];
  const offered = new Map<string, { entry: ModelEntry; vendor: Vendor }>();
  for (const entry of entries) {
    const { modelId, keyVariable } = entry;
    const key = keyVariable === undefined ? undefined : options.keys(keyVariable);
    if (keyVariable !== undefined && (key === undefined || key === '')) {
      unconfigured.push({ modelId, variable: keyVariable });
      continue;
    }
    const createVendor = entry.vendor === 'openai' ? createOpenAiClient : createAnthropicClient;
    offered.set(modelId, {
      entry,
      vendor: createVendor(entry, { key, fetch: options.fetch, clock: options.clock }),
    });
  }
  const health = new ModelHealth(options.clock);
  const find = (modelId: string) => {
    const found = offered.get(modelId);
    invariant(found !== undefined, `the model id must be an offered one, not ${modelId}`);
    return found;
  };
  return {
    unconfigured,
    hosts: [...new Set(entries.map((entry) => new URL(entry.url).hostname))],
    models: [...offered.values()].map(({ entry }) => ({
      modelId: entry.modelId,
      vendor: entry.vendor,
      model: entry.model,
      family: entry.family,
    })),
    reliabilityOf: (modelId) => health.getStatus(find(modelId).entry),
    complete: async (request) => {
      const { entry, vendor } = find(request.modelId);
      const operatorPrice = prices.get(entry.modelId);
      const reply = await complete(request, {
        clock: options.clock,
        vendor,
        price: (usage, billedUsd) => {
          const most = computeCostCeiling(
            entry,
            operatorPrice,
            countSentChars(request),
            request.maxOutputTokens,
          );
          return capCost(computeCost(entry, usage, operatorPrice, billedUsd), most);
        },
        familyOf: (served) => modelFamily(entry.vendor, served),
      });
      health.recordReply(entry, reply, request.timeoutMs);
      return reply;
    },
    maxCost: (modelId, inputChars, maxOutputTokens) => {
      const { entry } = find(modelId);
      return computeCostCeiling(entry, prices.get(modelId), inputChars, maxOutputTokens);
    },
  };
}
