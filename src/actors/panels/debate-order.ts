import { type DebateBrief } from '../../domain/debate/records.ts';
import { PanelInput, type PanelMode, type Seat } from '../../domain/panel/records.ts';
import {
  briefOf,
  DEADLINE_S_MAX,
  type DebateRequest,
  missingScores,
  tieDefaultOf,
} from '../../domain/debate/request.ts';
import { countFamilies, seatCaller, seatModels, seatRules } from '../../domain/debate/seating.ts';
import { AppError } from '../../domain/error.ts';
import { basisPoints, fromText, type MicroUsdText, toText } from '../../domain/money.ts';
import type { BlobStore } from '../../domain/ports/blob-store.ts';
import type { LlmModel, LlmPort } from '../../domain/ports/llm.ts';
import type { Random } from '../../domain/ports/random.ts';
import { SECOND_MS } from '../../domain/time.ts';
import type { JobOrder } from '../../domain/tool.ts';
import { DEBATE_KIND } from './debate-view.ts';
import { OUTPUT_TOKENS_MIN } from './llm-turn.ts';

/** Share of the price that models may cost at the most, in basis points. */
export const BUDGET_BPS = 5_000;
/** Seats from which a devil's advocate sits there unless the request says otherwise. */
export const DEVIL_SEATS_MIN = 7;
/** Seconds until a debate must end, by mode, unless the request says otherwise. */
const DEADLINE_S = { llm: 300, rules_only: 60, caller: DEADLINE_S_MAX } as const;
/** Characters of a prompt beside the brief: rules, task, schema, and three arguments. */
const PROMPT_CHARS = 6_000;
const SEED_BYTES = 16;

/** What orders are prepared with. */
export interface OrderDeps {
  readonly llm: LlmPort;
  readonly blobs: BlobStore;
  readonly random: Random;
}

/** Who will sit on a panel, known before any payment. */
export interface DebatePlan {
  readonly mode: Exclude<PanelMode, 'mixed'>;
  readonly families: number;
  readonly seats: readonly Seat[];
  readonly brief: DebateBrief;
  readonly tieDefault: string;
}

/**
 * Plans a debate: checks what the schema cannot, and says who would sit there.
 *
 * @throws {AppError} `INPUT_INVALID`, `NOT_CONFIGURED`
 */
export function planDebate(
  { llm }: Pick<OrderDeps, 'llm'>,
  request: DebateRequest,
  priceMicroUsd: MicroUsdText,
): DebatePlan {
  const brief = briefOf(request);
  const tieDefault = tieDefaultOf(request, brief);
  const choice = chooseModels(llm, brief, shareOfTurn(request, priceMicroUsd));
  const mode = modeOf(request, brief, choice);
  const seats = seatsOf(mode, choice.models, request.seats);
  return { mode, families: countFamilies(seats), seats, brief, tieDefault };
}

/**
 * Prepares the order of a debate; the brief is kept before the order refers to it. `jobId` and
 * `paymentId` are added by whoever creates the job.
 *
 * @throws {AppError} `INPUT_INVALID`, `NOT_CONFIGURED`
 */
export async function prepareDebate(
  deps: OrderDeps,
  request: DebateRequest,
  priceMicroUsd: MicroUsdText,
): Promise<{ readonly order: JobOrder; readonly mode: PanelMode; readonly families: number }> {
  const plan = planDebate(deps, request, priceMicroUsd);
  const { mode, families, seats, brief, tieDefault } = plan;
  const briefSha = await deps.blobs.put(JSON.stringify(brief));
  const devilSeatId = devilOf(plan, request);
  const budget = mode === 'llm' ? budgetOf(priceMicroUsd) : 0n;
  const input = PanelInput.omit({ jobId: true, paymentId: true }).parse({
    briefSha,
    optionIds: brief.options.map((option) => option.optionId),
    seats,
    chairSeatId: seats[0]?.seatId,
    ...(devilSeatId === undefined ? {} : { devilSeatId }),
    maxRounds: mode === 'rules_only' ? 0 : request.max_rounds,
    tieDefault,
    budgetMicroUsd: toText(budget),
    priceMicroUsd,
    deadlineMs: (request.deadline_s ?? DEADLINE_S[mode]) * SECOND_MS,
    seed: Buffer.from(deps.random.bytes(SEED_BYTES)).toString('hex'),
    mode,
  });
  return { order: { kind: DEBATE_KIND, input }, mode, families };
}

function budgetOf(priceMicroUsd: MicroUsdText): bigint {
  return basisPoints(fromText(priceMicroUsd), BUDGET_BPS);
}

/** What one turn may cost if all that are planned are taken. */
function shareOfTurn({ seats, max_rounds }: DebateRequest, priceMicroUsd: MicroUsdText): bigint {
  return budgetOf(priceMicroUsd) / BigInt(seats * (2 + max_rounds));
}

/** Models sorted by whether they can sit. A budget cannot hold what has no price. */
interface ModelChoice {
  readonly models: readonly LlmModel[];
  readonly withoutPrice: readonly string[];
  readonly tooDear: readonly string[];
}

function chooseModels(llm: LlmPort, brief: DebateBrief, share: bigint): ModelChoice {
  const chars = JSON.stringify(brief).length + PROMPT_CHARS;
  const priced = llm.models.map((model) => ({
    model,
    ceiling: llm.ceiling(model.modelId, chars, OUTPUT_TOKENS_MIN),
  }));
  const isDear = (ceiling: string | null) => ceiling !== null && BigInt(ceiling) > share;
  const idsWhere = (fits: (ceiling: string | null) => boolean) =>
    priced.filter(({ ceiling }) => fits(ceiling)).map(({ model }) => model.modelId);
  return {
    models: priced
      .filter(({ ceiling }) => ceiling !== null && !isDear(ceiling))
      .map(({ model }) => model),
    withoutPrice: idsWhere((ceiling) => ceiling === null),
    tooDear: idsWhere(isDear),
  };
}

function modeOf(
  { seats_by }: DebateRequest,
  brief: DebateBrief,
  choice: ModelChoice,
): DebatePlan['mode'] {
  const missing = missingScores(brief);
  const hasScores = brief.criteria.length > 0 && missing.length === 0;
  switch (seats_by) {
    case 'caller':
      return 'caller';
    case 'rules':
      if (hasScores) return 'rules_only';
      throw scoresMissing(brief, missing);
    case 'models':
      if (choice.models.length > 0) return 'llm';
      throw notConfigured(choice);
    case 'auto':
      if (choice.models.length > 0) return 'llm';
      if (hasScores) return 'rules_only';
      throw notConfigured(choice);
  }
}

function seatsOf(mode: DebatePlan['mode'], models: readonly LlmModel[], seats: number) {
  switch (mode) {
    case 'llm':
      return seatModels(models, seats);
    case 'rules_only':
      return seatRules(seats);
    case 'caller':
      return seatCaller(seats);
  }
}

function devilOf({ mode, seats }: DebatePlan, request: DebateRequest): string | undefined {
  const isWanted = request.devils_advocate ?? seats.length >= DEVIL_SEATS_MIN;
  // The last seat: the chair, which is the first, is never the one.
  return isWanted && mode !== 'rules_only' ? seats.at(-1)?.seatId : undefined;
}

function scoresMissing({ criteria }: DebateBrief, missing: readonly string[]): AppError {
  const message =
    criteria.length === 0
      ? 'Rule seats need criteria, and a score for every option on each.'
      : 'Rule seats need a score for every option on every criterion.';
  const received = criteria.length === 0 ? 'no criteria' : { missing: missing.slice(0, 10) };
  const allowed = 'criteria: [{name, weight?}], options: [{name, scores: {<criterion>: number}}]';
  return new AppError('INPUT_INVALID', { message, data: { path: 'options', received, allowed } });
}

function notConfigured({ withoutPrice, tooDear }: ModelChoice): AppError {
  return new AppError('NOT_CONFIGURED', {
    message:
      'No language model can sit on this panel, and nothing was charged. Ways out: the operator ' +
      'sets STOA_LLM_MODELS to models with a known price (STOA_LLM_PRICES states one); or give ' +
      'criteria and a score for every option on each, for seats_by "rules"; or set seats_by ' +
      '"caller" and let your own agent bring the turns through get_result.',
    data: {
      ways_out: ['STOA_LLM_MODELS', 'seats_by: rules', 'seats_by: caller'],
      ...(withoutPrice.length > 0 ? { models_without_price: withoutPrice } : {}),
      ...(tooDear.length > 0 ? { models_too_dear_for_this_size: tooDear } : {}),
    },
  });
}
