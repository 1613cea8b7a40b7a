import { formatMicroUsd } from '../../domain/common/money.ts';
import type { LlmFailure, LlmReply, LlmUsage } from '../../domain/llm/llm.ts';
import { type ParsedAnswer, parseText, type SeatAnswer } from '../../domain/panel/answer.ts';
import type { TurnOrder, TurnPrompt } from '../../domain/panel/order.ts';
import type { Turn } from '../../domain/panel/records.ts';
import type { EffectContext } from '../../runtime/engine/types.ts';
import type { Services } from '../common/services.ts';
import { chooseTurnModels, type SlowSeats } from './turn-models.ts';
import {
  createAnsweredTurn,
  createUnansweredTurn,
  NO_USAGE,
  type TurnFacts,
} from './turn-record.ts';

/** Minimum output tokens per call, enough for a full answer. */
export const OUTPUT_TOKENS_MIN = 600;
/**
 * Output token limits; a call uses the largest affordable one. Reasoning models use most of them
 * before they answer.
 */
const OUTPUT_TOKENS = [16_000, 8_000, 4_000, 2_000, 1_200, OUTPUT_TOKENS_MIN] as const;
/** One call, and one repair call after an invalid answer. */
const CALLS_MAX = 2;
/** Minimum remaining time for another call, in milliseconds. */
const CALL_MS_MIN = 2_000;
/** Percentage of the remaining time that a model gets while a substitute is available. */
const SHARE_PERCENT = 40;

/** Dependencies of a model turn. */
export interface LlmTurnDeps extends Pick<Services, 'blobs' | 'llm'> {
  /** Validates an answer. */
  readonly parse: (value: unknown) => ParsedAnswer;
  readonly prompt: TurnPrompt;
  readonly context: EffectContext;
  readonly slow: SlowSeats;
}

/**
 * Takes a turn with a language model: at most two calls per model, within one time limit and one
 * allowance. If a model fails, another one substitutes; a refusal is final. Failures are returned
 * as turns; only an abort of the whole turn throws.
 */
export async function takeLlmTurn(order: TurnOrder, deps: LlmTurnDeps): Promise<Turn> {
  const begun = deps.context.now();
  const tab = new TurnCosts(order, deps);
  const models = chooseTurnModels(order, deps);
  let failure: FailedTurn = { status: 'timeout', detail: NOT_ASKED };
  for (const [index, modelId] of models.entries()) {
    const hasNext = index + 1 < models.length;
    const result = await askModel(order, deps, { costs: tab, startedAt: begun, modelId, hasNext });
    if ('answer' in result) return finishTurn(order, deps, { tab, begun, answer: result.answer });
    // The first model's failure is more informative than the price of a substitute.
    if (tab.calls > 0 || index === 0) failure = result;
    const left = order.timeoutMs - (deps.context.now() - begun);
    if (!result.isModelFailure || left < CALL_MS_MIN) break;
  }
  const { status, detail } = failure;
  return createUnansweredTurn(order, await tab.facts(status, begun, detail));
}

const NOT_ASKED = 'its model timed out earlier, and no substitute is available';
const TOO_EXPENSIVE = 'a call would cost more than the turn allowance';

interface FailedTurn {
  readonly status: Turn['status'];
  readonly detail: string | undefined;
  /** True if another model may succeed. */
  readonly isModelFailure?: boolean;
}

interface ModelAttempt {
  readonly costs: TurnCosts;
  readonly startedAt: number;
  readonly modelId: string;
  readonly hasNext: boolean;
}

async function askModel(
  order: TurnOrder,
  deps: LlmTurnDeps,
  { costs, startedAt, modelId, hasNext }: ModelAttempt,
): Promise<{ readonly answer: SeatAnswer } | FailedTurn> {
  const { context, parse, prompt } = deps;
  let faults: readonly string[] = [];
  for (let call = 1; call <= CALLS_MAX; call += 1) {
    const left = order.timeoutMs - (context.now() - startedAt);
    const tokens = costs.affordableTokens(modelId, countPromptChars(prompt, faults));
    if (tokens === undefined || (call > 1 && left < CALL_MS_MIN)) break;
    const timeoutMs = hasNext ? Math.floor((left * SHARE_PERCENT) / 100) : left;
    const reply = await callModel(order, deps, { modelId, tokens, faults, timeoutMs });
    context.signal.throwIfAborted();
    costs.add(modelId, reply);
    if (!reply.ok) return failedTurn(order, deps, { modelId, reply });
    const parsed = parseText(reply.text, parse);
    if (parsed.ok) return { answer: parsed.answer };
    faults = parsed.faults;
  }
  const [detail] = faults;
  return detail === undefined
    ? { status: 'aborted', detail: TOO_EXPENSIVE, isModelFailure: true }
    : { status: 'invalid', detail };
}

function failedTurn(
  order: TurnOrder,
  { slow }: LlmTurnDeps,
  { modelId, reply }: { modelId: string; reply: Extract<LlmReply, { ok: false }> },
): FailedTurn {
  const { failure, detail } = reply;
  if (failure === 'timeout' && modelId === order.seat.model) slow.add(order);
  const isOfModel = failure !== 'refused' && failure !== 'aborted';
  return { status: statusOf(failure), detail, isModelFailure: isOfModel };
}

async function finishTurn(
  order: TurnOrder,
  deps: LlmTurnDeps,
  { tab, begun, answer }: { tab: TurnCosts; begun: number; answer: SeatAnswer },
): Promise<Turn> {
  return createAnsweredTurn(order, await tab.facts('ok', begun), { answer, blobs: deps.blobs });
}

interface ModelCall {
  readonly modelId: string;
  readonly tokens: number;
  readonly faults: readonly string[];
  readonly timeoutMs: number;
}

function callModel(
  order: TurnOrder,
  { llm, prompt, context }: LlmTurnDeps,
  o: ModelCall,
): Promise<LlmReply> {
  return llm.complete({
    modelId: o.modelId,
    system: prompt.system,
    prompt: repairPrompt(prompt, o.faults),
    schema: prompt.schema,
    maxOutputTokens: o.tokens,
    timeoutMs: Math.max(1, o.timeoutMs),
    signal: context.signal,
    onDelta: (text) => context.show({ type: 'TURN.DELTA', turnId: order.turnId, text }),
  });
}

function repairPrompt({ prompt }: TurnPrompt, faults: readonly string[]): string {
  if (faults.length === 0) return prompt;
  // The errors quote the answer, so they are untrusted data like any member's text.
  const quoted = JSON.stringify(faults.slice(0, 5)).replaceAll('<', '&lt;');
  return `${prompt}\n\nYour last answer did not fit the form: ${quoted}\nAnswer again, whole.`;
}

function countPromptChars(prompt: TurnPrompt, faults: readonly string[]): number {
  const schema = JSON.stringify(prompt.schema.jsonSchema);
  return prompt.system.length + repairPrompt(prompt, faults).length + schema.length;
}

function statusOf(failure: LlmFailure): Turn['status'] {
  switch (failure) {
    case 'timeout':
    case 'refused':
    case 'aborted':
      return failure;
    case 'rate_limited':
    case 'provider_error':
    case 'cut':
    case 'broken':
      return 'provider_error';
  }
}

/** Accumulates usage and cost of the calls in one turn. */
class TurnCosts {
  calls = 0;
  readonly #order: TurnOrder;
  readonly #deps: LlmTurnDeps;
  #usage: LlmUsage = NO_USAGE;
  #cost: bigint | null = 0n;
  #last: LlmReply | undefined;
  #lastModelId = '';
  #orphaned = 0n;

  constructor(order: TurnOrder, deps: LlmTurnDeps) {
    this.#order = order;
    this.#deps = deps;
    const lost = BigInt(deps.context.attempt - 1);
    const { model } = order.seat;
    const isThere = deps.llm.models.some(({ modelId }) => modelId === model);
    const tokens =
      lost > 0n && isThere
        ? this.affordableTokens(model, countPromptChars(deps.prompt, []))
        : undefined;
    if (tokens !== undefined) this.#orphaned = lost * this.#maxAttemptCost(tokens);
  }

  /** Returns the largest affordable output token limit; `undefined` if none fits the allowance. */
  affordableTokens(modelId: string, inputChars: number): number | undefined {
    const left = BigInt(this.#order.allowanceMicroUsd) - (this.#cost ?? 0n);
    return OUTPUT_TOKENS.find((tokens) => {
      const ceiling = this.#deps.llm.maxCost(modelId, inputChars, tokens);
      return ceiling !== null && BigInt(ceiling) <= left;
    });
  }

  add(modelId: string, reply: LlmReply): void {
    this.calls += 1;
    this.#last = reply;
    this.#lastModelId = modelId;
    this.#usage = addUsage(this.#usage, reply.usage);
    const isUnknown = this.#cost === null || reply.costMicroUsd === null;
    this.#cost = isUnknown ? null : (this.#cost ?? 0n) + BigInt(reply.costMicroUsd ?? '0');
  }

  async facts(status: Turn['status'], begun: number, detail?: string): Promise<TurnFacts> {
    const { blobs, prompt, context } = this.#deps;
    const last = this.#last;
    const [promptSha, outputSha] = await Promise.all([
      blobs.put(`${prompt.system}\n\n${prompt.prompt}`),
      last?.ok === true ? blobs.put(last.text) : '',
    ]);
    return {
      status,
      attempts: this.calls,
      usage: this.#usage,
      costMicroUsd: this.#cost === null ? null : formatMicroUsd(this.#cost),
      priceSource: last?.priceSource ?? 'none',
      ms: Math.max(0, context.now() - begun),
      promptSha,
      outputSha,
      requestId: last?.requestId ?? null,
      ...this.#answeredByField(),
      ...(this.#orphaned > 0n ? { orphanedMicroUsd: formatMicroUsd(this.#orphaned) } : {}),
      ...(detail === undefined ? {} : { detail: detail.slice(0, 300) }),
    };
  }

  #answeredByField(): Pick<TurnFacts, 'answeredBy'> {
    const { seat } = this.#order;
    const model = this.#deps.llm.models.find(({ modelId }) => modelId === this.#lastModelId);
    if (model === undefined) return {};
    const served = this.#last?.served;
    // A dated model name denotes the same model.
    const isOwn = served === undefined || served.model.startsWith(model.model);
    if (isOwn && model.modelId === seat.model) return {};
    const family = served?.family ?? model.family;
    const named = isOwn ? {} : { served: served.model };
    return { answeredBy: { model: model.modelId, ...named, family } };
  }

  #maxAttemptCost(tokens: number): bigint {
    const inputChars = countPromptChars(this.#deps.prompt, []);
    const ceiling = this.#deps.llm.maxCost(this.#order.seat.model, inputChars, tokens);
    const allowance = BigInt(this.#order.allowanceMicroUsd);
    const both = BigInt(ceiling ?? '0') * BigInt(CALLS_MAX);
    return both < allowance ? both : allowance;
  }
}

function addUsage(sum: LlmUsage, more: LlmUsage): LlmUsage {
  return {
    input: sum.input + more.input,
    output: sum.output + more.output,
    cacheRead: sum.cacheRead + more.cacheRead,
    cacheWrite: sum.cacheWrite + more.cacheWrite,
    source: more.source === 'none' ? sum.source : more.source,
  };
}
