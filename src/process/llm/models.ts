import type { Config } from '../../config.ts';
import type { Clock } from '../../domain/common/clock.ts';
import { AppError } from '../../domain/common/error.ts';
import type { LlmPort } from '../../domain/llm/llm.ts';
import type { Llm } from '../../providers/llm/create-llm.ts';

/** Language models, and the hosts that serve them. */
export type Models = LlmPort & Pick<Llm, 'hosts'>;

/**
 * Opens the language models. Vendor packages are large, so they load only if a model is configured.
 */
export async function openModels(
  config: Config,
  clock: Clock,
  notice: (line: string) => void,
): Promise<Models> {
  if (config.llmModels.trim() === '') return NO_MODELS;
  const { createLlm } = await import('../../providers/llm/create-llm.ts');
  const llm = createLlm({
    models: config.llmModels,
    prices: config.llmPrices,
    keys: config.secret,
    clock,
  });
  for (const { modelId, variable } of llm.unconfigured) {
    notice(`${modelId} is unavailable: ${variable} is not set`);
  }
  return llm;
}

const NO_MODELS: Models = {
  models: [],
  hosts: [],
  maxCost: () => null,
  complete: async () => {
    throw new AppError('NOT_CONFIGURED', { message: 'No language model is configured.' });
  },
};
