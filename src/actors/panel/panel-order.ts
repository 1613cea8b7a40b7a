import type { BlobStore } from '../../domain/common/blob-store.ts';
import { AppError, invariant } from '../../domain/common/error.ts';
import { basisPoints, fromText, type MicroUsdText, toText } from '../../domain/common/money.ts';
import type { Random } from '../../domain/common/random.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { type LlmModel, type LlmPort, offeredModels } from '../../domain/llm/llm.ts';
import type { PanelBrief, PanelDefinition } from '../../domain/panel/definition.ts';
import { plannedTurns } from '../../domain/panel/plan.ts';
import { PanelInput, type PanelMode, type Seat } from '../../domain/panel/records.ts';
import type { JobOrder } from '../../domain/tool/tool.ts';
import { OUTPUT_TOKENS_MIN } from './llm-turn.ts';

/** Share of the price that models may cost at the most, in basis points. */
export const BUDGET_BPS = 5_000;
/** Characters of a prompt beside the brief: rules, task, schema, and a few arguments. */
const PROMPT_CHARS = 6_000;
const SEED_BYTES = 16;

/** What orders are prepared with. */
export interface OrderDeps {
  readonly llm: LlmPort;
  readonly blobs: BlobStore;
  readonly random: Random;
}

/** Models sorted by whether they can sit. A budget cannot hold what has no price. */
export interface ModelChoice {
  readonly models: readonly LlmModel[];
  readonly withoutPrice: readonly string[];
  readonly tooDear: readonly string[];
  /** Models that do not answer at the moment. */
  readonly silent: readonly string[];
}

/** A panel that is to be ordered; who sits there is settled. */
export interface PanelPlan {
  readonly brief: PanelBrief;
  readonly seats: readonly Seat[];
  readonly mode: PanelMode;
  readonly maxRounds: number;
  /** Option id that wins when nothing else decides. */
  readonly tieDefault: string;
  readonly deadlineS: number;
  readonly priceMicroUsd: MicroUsdText;
  readonly devilSeatId?: string | undefined;
  readonly policy?: PanelInput['policy'];
}

/**
 * Finds the models that can sit on a panel of this size within its budget.
 *
 * @param size - Seats and rounds that are asked for.
 */
export function chooseModels(
  { llm, panel }: { readonly llm: LlmPort; readonly panel: PanelDefinition },
  brief: PanelBrief,
  size: {
    readonly seats: number;
    readonly maxRounds: number;
    readonly priceMicroUsd: MicroUsdText;
  },
): ModelChoice {
  const { seats, maxRounds, priceMicroUsd } = size;
  const turns = plannedTurns(panel, { seats: { length: seats }, maxRounds });
  const share = budgetOf(priceMicroUsd) / BigInt(turns);
  const chars = JSON.stringify(brief).length + PROMPT_CHARS;
  const offered = offeredModels(llm);
  const priced = offered.map((model) => ({
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
    silent: llm.models.filter((model) => !offered.includes(model)).map(({ modelId }) => modelId),
  };
}

/** What rules need in place of models. */
export interface RuleNeeds {
  /** Whether the request has what they look at. */
  readonly isMet: boolean;
  /** What to give them, for a caller who has no models. */
  readonly words: string;
  /** The error of a request that asks for rules without it. */
  missing(): AppError;
}

/**
 * Settles who fills the seats of a panel: models where some can sit there, else rules.
 *
 * @throws {AppError} `INPUT_INVALID`, `NOT_CONFIGURED`
 */
export function modeOf(
  seatsBy: 'auto' | 'models' | 'rules' | 'caller',
  choice: ModelChoice,
  rules: RuleNeeds,
): Exclude<PanelMode, 'mixed'> {
  const hasModels = choice.models.length > 0;
  switch (seatsBy) {
    case 'caller':
      return 'caller';
    case 'rules':
      if (rules.isMet) return 'rules_only';
      throw rules.missing();
    case 'models':
      if (hasModels) return 'llm';
      break;
    case 'auto':
      if (hasModels) return 'llm';
      if (rules.isMet) return 'rules_only';
  }
  throw noModels(choice, {
    sentence:
      'Ways out: the operator sets STOA_LLM_MODELS to models with a known price (STOA_LLM_PRICES ' +
      `states one); or give ${rules.words}, for seats_by "rules"; or set seats_by "caller" and ` +
      'let your own agent bring the turns through get_result.',
    waysOut: ['STOA_LLM_MODELS', 'seats_by: rules', 'seats_by: caller'],
  });
}

/**
 * Says that no model can sit there, and what else can be done.
 *
 * @param words - What the caller or the operator may do, as a sentence and as a list.
 */
export function noModels(
  { withoutPrice, tooDear, silent }: ModelChoice,
  words: { readonly sentence: string; readonly waysOut: readonly string[] },
): AppError {
  return new AppError('NOT_CONFIGURED', {
    message: `No language model can sit on this panel, and nothing was charged. ${words.sentence}`,
    data: {
      ways_out: words.waysOut,
      ...(withoutPrice.length > 0 ? { models_without_price: withoutPrice } : {}),
      ...(silent.length > 0 ? { models_that_do_not_answer_now: silent } : {}),
      ...(tooDear.length > 0 ? { models_too_dear_for_this_size: tooDear } : {}),
    },
  });
}

/**
 * Prepares the order of a panel; the brief is kept before the order refers to it. `jobId` and
 * `paymentId` are added by whoever creates the job.
 */
export async function panelOrder(
  panel: PanelDefinition,
  { blobs, random }: Pick<OrderDeps, 'blobs' | 'random'>,
  plan: PanelPlan,
): Promise<JobOrder> {
  const { brief, seats, mode, devilSeatId, policy, priceMicroUsd } = plan;
  const [chair] = seats;
  invariant(chair !== undefined, 'a panel has at least one seat');
  const { least, most } = panel.seats;
  invariant(seats.length >= least && seats.length <= most, 'a panel has seats within its bounds');
  const input = PanelInput.omit({ jobId: true, paymentId: true }).parse({
    briefSha: await blobs.put(JSON.stringify(brief)),
    optionIds: brief.options.map((option) => option.optionId),
    seats,
    chairSeatId: chair.seatId,
    ...(devilSeatId === undefined ? {} : { devilSeatId }),
    maxRounds: plan.maxRounds,
    tieDefault: plan.tieDefault,
    counting: 2,
    budgetMicroUsd: toText(mode === 'llm' ? budgetOf(priceMicroUsd) : 0n),
    priceMicroUsd,
    deadlineMs: plan.deadlineS * SECOND_MS,
    seed: Buffer.from(random.bytes(SEED_BYTES)).toString('hex'),
    mode,
    ...(policy === undefined ? {} : { policy }),
  });
  return { kind: panel.kind, input };
}

function budgetOf(priceMicroUsd: MicroUsdText): bigint {
  return basisPoints(fromText(priceMicroUsd), BUDGET_BPS);
}
