import type { MicroUsdText } from '../common/money.ts';

/** One configured model. Panels know it only by `modelId`; views never show it. */
export interface LlmModel {
  /** `vendor:model`, unique in the configuration. */
  readonly modelId: string;
  readonly vendor: 'openai' | 'anthropic';
  readonly model: string;
  /** Model family for the spread of seats, such as `gpt`, `claude`, `llama`. */
  readonly family: string;
}

/** One question to a model. */
export interface LlmRequest {
  readonly modelId: string;
  readonly system: string;
  readonly prompt: string;
  /** JSON Schema that the answer should fit, with a name for the wire. The caller still parses. */
  readonly schema: {
    readonly name: string;
    readonly jsonSchema: Readonly<Record<string, unknown>>;
  };
  readonly maxOutputTokens: number;
  /** Total time over all attempts, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Called with text as it streams. Nothing of it is kept. */
  readonly onDelta?: (text: string) => void;
}

/** Tokens used, as billed. `input` is the total including cached tokens. */
export interface LlmUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** `bounded`: the provider named more than the call can have used, and all of that counts. */
  readonly source: 'provider' | 'estimated' | 'bounded' | 'none';
}

/** Why there is no usable text. */
export type LlmFailure =
  | 'timeout'
  | 'refused'
  | 'rate_limited'
  | 'provider_error'
  | 'aborted'
  /** The answer reached a bound: tokens, or bytes. */
  | 'cut'
  /** The connection or the stream ended before the answer did. */
  | 'broken';

/** The answer. Usage and cost are there even when the answer is not usable, if they were billed. */
export type LlmReply = {
  readonly usage: LlmUsage;
  /** `null` when the model has no known price: then it counts as unknown, never as zero. */
  readonly costMicroUsd: MicroUsdText | null;
  readonly priceSource: string;
  readonly requestId: string | null;
  readonly ms: number;
  /** The model that the host says has answered, and its family; absent where it does not say. */
  readonly served?: { readonly model: string; readonly family: string };
} & (
  | { readonly ok: true; readonly text: string }
  | {
      readonly ok: false;
      readonly failure: LlmFailure;
      readonly detail: string;
      /** HTTP status with which the host refused. */
      readonly status?: number;
    }
);

/** Language models. `complete` answers failures as values and never throws for them. */
export interface LlmPort {
  /** Empty when none is configured. At most `LLM_MODELS_MAX`. */
  readonly models: readonly LlmModel[];
  complete(request: LlmRequest): Promise<LlmReply>;
  /** How far a model can be relied on now; a port that does not tell has good ones only. */
  standingOf?(modelId: string): ModelStanding;
  /** The most that one call can cost, from the model's price; `null` when unknown. */
  ceiling(modelId: string, inputChars: number, maxOutputTokens: number): MicroUsdText | null;
}

/**
 * `doubtful`: its last call failed. `silent`: it does not answer, and nobody is offered it until it
 * may be tried again.
 */
export type ModelStanding = 'good' | 'doubtful' | 'silent';

/** The models that are offered now: those that answer. */
export function offeredModels(llm: Pick<LlmPort, 'models' | 'standingOf'>): readonly LlmModel[] {
  return llm.models.filter(({ modelId }) => llm.standingOf?.(modelId) !== 'silent');
}

/** How many models may be configured. */
export const LLM_MODELS_MAX = 11;
