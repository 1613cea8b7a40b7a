import {
  type DebateBrief,
  DebateInput,
  type PanelMode,
  type Seat,
} from '../../domain/debate/records.ts';
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

/** Share of the price that models may cost at the most, in basis points. */
export const BUDGET_BPS = 5_000;
/** Seats from which a devil's advocate sits there unless the request says otherwise. */
export const DEVIL_SEATS_MIN = 7;
/** Seconds until a debate must end, by mode, unless the request says otherwise. */
const DEADLINE_S = { llm: 300, rules_only: 60, caller: DEADLINE_S_MAX } as const;
/** Prompt and output that a price is asked for, to see whether there is one. */
const SAMPLE = { chars: 1_000, tokens: 100 } as const;
const SEED_BYTES = 16;

/** What orders are prepared with. */
export interface OrderDeps {
  readonly llm: LlmPort;
  readonly blobs: BlobStore;
  readonly random: Random;
  /** The operator's word that models without a known price may sit; default no. */
  readonly allowUnpriced?: boolean;
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
export function planDebate(deps: Pick<OrderDeps, 'llm' | 'allowUnpriced'>, request: DebateRequest) {
  const brief = briefOf(request);
  const tieDefault = tieDefaultOf(request, brief);
  const models = seatable(deps);
  const mode = modeOf(deps, request, { brief, models });
  const seats = seatsOf(mode, models, request.seats);
  return { mode, families: countFamilies(seats), seats, brief, tieDefault } satisfies DebatePlan;
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
  const plan = planDebate(deps, request);
  const { mode, families, seats, brief, tieDefault } = plan;
  const briefSha = await deps.blobs.put(JSON.stringify(brief));
  const devilSeatId = devilOf(plan, request);
  const budget = mode === 'llm' ? basisPoints(fromText(priceMicroUsd), BUDGET_BPS) : 0n;
  const input = DebateInput.omit({ jobId: true, paymentId: true }).parse({
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

/** Models that may sit: a budget cannot hold what has no price. */
function seatable({ llm, allowUnpriced = false }: Pick<OrderDeps, 'llm' | 'allowUnpriced'>) {
  return llm.models.filter(
    ({ modelId }) => allowUnpriced || llm.ceiling(modelId, SAMPLE.chars, SAMPLE.tokens) !== null,
  );
}

function modeOf(
  { llm }: Pick<OrderDeps, 'llm'>,
  { seats_by }: DebateRequest,
  { brief, models }: { brief: DebateBrief; models: readonly LlmModel[] },
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
      if (models.length > 0) return 'llm';
      throw notConfigured(llm);
    case 'auto':
      if (models.length > 0) return 'llm';
      if (hasScores) return 'rules_only';
      throw notConfigured(llm);
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

function notConfigured(llm: LlmPort): AppError {
  const unpriced = llm.models.map((model) => model.modelId);
  return new AppError('NOT_CONFIGURED', {
    message:
      'No language model can sit on this panel, and nothing was charged. Ways out: the operator ' +
      'sets STOA_LLM_MODELS to models with a known price; or give criteria and a score for every ' +
      'option on each, for seats_by "rules"; or set seats_by "caller" and let your own agent ' +
      'bring the turns through get_result.',
    data: {
      ways_out: ['STOA_LLM_MODELS', 'seats_by: rules', 'seats_by: caller'],
      ...(unpriced.length > 0 ? { models_without_price: unpriced } : {}),
    },
  });
}
