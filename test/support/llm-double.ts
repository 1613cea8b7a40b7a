import { LLMock } from '@copilotkit/aimock';

/** A panel turn as the double sees it. */
export interface DoubleTurn {
  readonly model: string;
  readonly phase: 'opening' | 'rebuttal' | 'vote';
  readonly optionIds: readonly string[];
  readonly system: string;
  readonly prompt: string;
  /** Requests of this model so far, from 0. */
  readonly nth: number;
}

/** What the double answers: an object as JSON text, a text as it is, or an HTTP error. */
export type DoubleReply =
  | { readonly answer: Readonly<Record<string, unknown>>; readonly usage?: DoubleUsage }
  | { readonly text: string; readonly finishReason?: string; readonly usage?: DoubleUsage }
  | { readonly status: number; readonly retryAfter?: number };

/** Tokens that the double bills. */
export interface DoubleUsage {
  readonly input: number;
  readonly output: number;
}

/** Decides what each turn is answered. */
export type DoubleScript = (turn: DoubleTurn) => DoubleReply;

/** A running double that speaks both wire protocols. */
export interface LlmDouble {
  /** `http://127.0.0.1:port`. */
  readonly url: string;
  /** All turns asked so far, in order. */
  readonly turns: readonly DoubleTurn[];
  /** Text for `STOA_LLM_MODELS` with these `vendor:model` names at the double. */
  models(...modelIds: readonly string[]): string;
  /** Text for `STOA_LLM_PRICES`: $1 and $2 for a million tokens each. */
  prices(...modelIds: readonly string[]): string;
  stop(): Promise<void>;
}

/** Options of the double. */
export interface DoubleOptions {
  readonly script?: DoubleScript;
  /** Milliseconds between two chunks of a streamed answer. */
  readonly chunkMs?: number;
  /** Characters of a chunk. */
  readonly chunkChars?: number;
}

/**
 * Starts a double of the language models on a free loopback port. Without a script every model
 * holds the option that its name picks, in all phases.
 */
export async function startLlmDouble(options: DoubleOptions = {}): Promise<LlmDouble> {
  const script = options.script ?? steadyScript;
  const turns: DoubleTurn[] = [];
  const mock = new LLMock({
    port: 0,
    host: '127.0.0.1',
    chunkSize: options.chunkChars ?? 40,
    ...(options.chunkMs === undefined ? {} : { latency: options.chunkMs }),
  });
  mock.on({ predicate: () => true }, (request) => {
    const turn = readTurn(request, turns);
    turns.push(turn);
    return toResponse(script(turn));
  });
  await mock.start();
  const { url } = mock;
  return {
    url,
    turns,
    models: (...modelIds) =>
      modelIds
        .map((modelId) => `${modelId}@${url}${modelId.startsWith('openai:') ? '/v1' : ''}`)
        .join(','),
    prices: (...modelIds) => modelIds.map((modelId) => `${modelId}=1/2`).join(','),
    stop: () => mock.stop(),
  };
}

/** Holds one option per model through all phases; agrees with itself from run to run. */
export const steadyScript: DoubleScript = (turn) => {
  const sum = Buffer.from(turn.model).reduce((total, byte) => total + byte, 0);
  return { answer: turnAnswer(turn, turn.optionIds[sum % turn.optionIds.length] ?? 'o0') };
};

/** The answer of a turn in which a seat stands for one option. */
export function turnAnswer(turn: DoubleTurn, optionId: string): Record<string, unknown> {
  const common = { argument: `For ${optionId}: it serves the question best.`, confidence: 0.7 };
  if (turn.phase === 'vote') {
    const others = turn.optionIds.filter((other) => other !== optionId);
    return { ranking: [optionId, ...others], ...common };
  }
  return { position: optionId, ...common, evidenceIds: [], changed: false, changeReason: null };
}

interface WireRequest {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

function readTurn(request: WireRequest, before: readonly DoubleTurn[]): DoubleTurn {
  const textOf = (role: string) =>
    request.messages
      .filter((message) => message.role === role)
      .map((message) => contentText(message.content))
      .join('\n');
  const prompt = textOf('user');
  const { model } = request;
  const phase = /^The vote\./m.test(prompt)
    ? 'vote'
    : /^Your opening\./m.test(prompt)
      ? 'opening'
      : 'rebuttal';
  const optionIds = [...new Set([...prompt.matchAll(/^(o\d): /gm)].map((match) => match[1] ?? ''))];
  const nth = before.filter((turn) => turn.model === model).length;
  return { model, phase, optionIds, system: textOf('system'), prompt, nth };
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content)
    ? content.map((part: { text?: string }) => part.text ?? '').join('')
    : '';
}

function toResponse(reply: DoubleReply) {
  if ('status' in reply) {
    const { status, retryAfter } = reply;
    const error = { message: `status ${status}`, type: 'double_error' };
    return { error, status, ...(retryAfter === undefined ? {} : { retryAfter }) };
  }
  const { input, output } = reply.usage ?? { input: 1_000, output: 100 };
  const finish = 'finishReason' in reply ? reply.finishReason : undefined;
  return {
    content: 'answer' in reply ? JSON.stringify(reply.answer) : reply.text,
    usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
    ...(finish === undefined ? {} : { finishReason: finish }),
  };
}
