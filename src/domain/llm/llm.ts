import type { MicroUsdText } from '../common/money.ts';

/** A configured model. Panels know only its `modelId`; views never show it. */
export interface LlmModel {
  /** `vendor:model`, unique in the configuration. */
  readonly modelId: string;
  readonly vendor: 'openai' | 'anthropic';
  readonly model: string;
  /** Model family for the diversity of seats, such as `gpt`, `claude`, `llama`. */
  readonly family: string;
}

/** A request to a model. */
export interface LlmRequest {
  readonly modelId: string;
  readonly system: string;
  readonly prompt: string;
  /** JSON Schema of the answer and its name on the wire. The caller still parses the answer. */
  readonly schema: {
    readonly name: string;
    readonly jsonSchema: Readonly<Record<string, unknown>>;
  };
  readonly maxOutputTokens: number;
  /** Total timeout over all attempts, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Called with each streamed text. The text is not stored. */
  readonly onDelta?: (text: string) => void;
}

/** Billed tokens. `input` includes cached tokens. */
export interface LlmUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /**
   * `bounded`: the provider reported more than the call can have used; the bound counts as used.
   */
  readonly source: 'provider' | 'estimated' | 'bounded' | 'none';
}

/** The reason for a missing or unusable text. */
export type LlmFailure =
  | 'timeout'
  | 'refused'
  | 'rate_limited'
  | 'provider_error'
  | 'aborted'
  /** The answer reached a limit on tokens or bytes. */
  | 'cut'
  /** The connection or the stream ended before the answer did. */
  | 'broken';

/** The reply of a model. Billed usage and cost are present even if the answer is unusable. */
export type LlmReply = {
  readonly usage: LlmUsage;
  /** `null` if the model has no known price. It then counts as unknown, never as zero. */
  readonly costMicroUsd: MicroUsdText | null;
  readonly priceSource: string;
  readonly requestId: string | null;
  readonly ms: number;
  /**
   * The model that answered according to the host, and its family; absent if the host does not say.
   */
  readonly served?: { readonly model: string; readonly family: string };
} & (
  | { readonly ok: true; readonly text: string }
  | {
      readonly ok: false;
      readonly failure: LlmFailure;
      readonly detail: string;
      /** HTTP status of the rejection. */
      readonly status?: number;
    }
);

/** Access to language models. `complete` returns failures as values and never throws for them. */
export interface LlmPort {
  /** Configured models, at most `LLM_MODELS_MAX`; empty if none. */
  readonly models: readonly LlmModel[];
  complete(request: LlmRequest): Promise<LlmReply>;
  /** Returns the current reliability of a model. Without this method all models count as good. */
  reliabilityOf?(modelId: string): ModelReliability;
  /** Returns the maximum cost of one call from the price of the model; `null` if unknown. */
  maxCost(modelId: string, inputChars: number, maxOutputTokens: number): MicroUsdText | null;
}

/**
 * Reliability of a model. `doubtful`: the last call failed. `silent`: the model does not answer and
 * is not offered until its next retry.
 */
export type ModelReliability = 'good' | 'doubtful' | 'silent';

/** Returns the models that are currently offered: all that are not silent. */
export function listOfferedModels(
  llm: Pick<LlmPort, 'models' | 'reliabilityOf'>,
): readonly LlmModel[] {
  return llm.models.filter(({ modelId }) => llm.reliabilityOf?.(modelId) !== 'silent');
}

/** Maximum number of configured models. */
export const LLM_MODELS_MAX = 11;
