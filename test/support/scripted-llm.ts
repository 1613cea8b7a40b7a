import type {
  LlmFailure,
  LlmModel,
  LlmPort,
  LlmReply,
  LlmRequest,
} from '../../src/domain/llm/llm.ts';

/** One call as the script sees it. */
export interface ScriptedCall {
  readonly modelId: string;
  /** Name of the phase, such as `opening`, `rebuttal` or `vote`. */
  readonly phase: string;
  /** Calls of this model so far, this one included. */
  readonly n: number;
  readonly request: LlmRequest;
}

/** What a scripted model does: an answer, a raw text, a failure, or waiting until it is aborted. */
export type ScriptedAnswer =
  | {
      readonly position?: string;
      readonly ranking?: readonly string[];
      readonly [key: string]: unknown;
    }
  | { readonly failure: LlmFailure }
  | { readonly text: string }
  | 'hang';

/** Options of `scriptedLlm`. */
export interface ScriptedLlmOptions {
  /** One model per family. Default: five families. */
  readonly families?: readonly string[];
  readonly say: (call: ScriptedCall) => ScriptedAnswer;
  /** Cost of a call in micro-dollars; `null` for no known price. Default 1000. */
  readonly cost?: (call: ScriptedCall) => string | null;
  /** What `ceiling` answers. Default 20000. */
  readonly ceiling?: (modelId: string, tokens: number) => string | null;
}

/** A language model port that follows a script and keeps what it was asked. */
export interface ScriptedLlm extends LlmPort {
  readonly calls: ScriptedCall[];
  /** Calls that were begun and not answered. */
  readonly open: () => number;
}

const FAMILIES = ['gpt', 'claude', 'llama', 'qwen', 'mistral'];

/** Makes a language model port from a script. */
export function scriptedLlm(options: ScriptedLlmOptions): ScriptedLlm {
  const calls: ScriptedCall[] = [];
  const counts = new Map<string, number>();
  let open = 0;
  return {
    calls,
    open: () => open,
    models: (options.families ?? FAMILIES).map(modelOf),
    maxCost: (modelId, _chars, tokens) =>
      options.ceiling === undefined ? '20000' : options.ceiling(modelId, tokens),
    complete: async (request) => {
      const n = (counts.get(request.modelId) ?? 0) + 1;
      counts.set(request.modelId, n);
      const phase = request.schema.name.replace('panel_', '');
      const call = { modelId: request.modelId, phase, n, request };
      calls.push(call);
      const costMicroUsd = options.cost === undefined ? '1000' : options.cost(call);
      const answer = options.say(call);
      if (answer !== 'hang') return replyOf(call, answer, costMicroUsd);
      open += 1;
      await aborted(request.signal);
      open -= 1;
      return { ...BILLED, costMicroUsd, ok: false, failure: 'aborted', detail: 'aborted' };
    },
  };
}

const BILLED = {
  usage: { input: 100, output: 50, cacheRead: 0, cacheWrite: 0, source: 'provider' },
  priceSource: 'script',
  requestId: 'req_1',
  ms: 5,
} as const;

function modelOf(family: string): LlmModel {
  return { modelId: `openai:${family}-x`, vendor: 'openai', model: `${family}-x`, family };
}

function replyOf(
  { phase }: ScriptedCall,
  answer: Exclude<ScriptedAnswer, 'hang'>,
  costMicroUsd: string | null,
): LlmReply {
  const billed = { ...BILLED, costMicroUsd };
  if ('failure' in answer) {
    return { ...billed, ok: false, failure: answer.failure as LlmFailure, detail: 'scripted' };
  }
  if ('text' in answer) return { ...billed, ok: true, text: String(answer.text) };
  const whole = { argument: `because of ${phase}`, confidence: 0.7, ...answer };
  const stands = { evidenceIds: [], changed: false, changeReason: null };
  const json = phase === 'vote' ? whole : { ...stands, ...whole };
  return { ...billed, ok: true, text: JSON.stringify(json) };
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
