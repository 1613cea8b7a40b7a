import { AppError, invariant } from '../../domain/common/error.ts';
import {
  formatMicroUsd,
  type MicroUsdText,
  parseMicroUsd,
  takeBasisPoints,
} from '../../domain/common/money.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { type LlmModel, type LlmPort, listOfferedModels } from '../../domain/llm/llm.ts';
import type { PanelBrief, PanelDefinition } from '../../domain/panel/definition.ts';
import { countPlannedTurns } from '../../domain/panel/plan.ts';
import { PanelInput, type PanelMode, type Seat } from '../../domain/panel/records.ts';
import type { JobOrder } from '../../domain/tool/tool.ts';
import type { Services } from '../common/services.ts';
import { OUTPUT_TOKENS_MIN } from './llm-turn.ts';

/** Maximum share of the price for model calls, in basis points. */
export const BUDGET_BPS = 5_000;
/** Prompt characters in addition to the brief: rules, task, schema, and some arguments. */
const PROMPT_CHARS = 6_000;
const SEED_BYTES = 16;

/** Models grouped by whether they can be seated. Models without a price cannot be budgeted. */
export interface ModelChoice {
  readonly models: readonly LlmModel[];
  readonly withoutPrice: readonly string[];
  readonly tooExpensive: readonly string[];
  /** Models that are currently not answering. */
  readonly unavailable: readonly string[];
}

/** A panel to be ordered, with its seats. */
export interface PanelPlan {
  readonly brief: PanelBrief;
  readonly seats: readonly Seat[];
  readonly mode: PanelMode;
  readonly maxRounds: number;
  /** Id of the option that wins if nothing else decides. */
  readonly tieDefault: string;
  readonly deadlineS: number;
  readonly priceMicroUsd: MicroUsdText;
  readonly devilSeatId?: string | undefined;
  readonly policy?: PanelInput['policy'];
}

/**
 * Selects the models that a panel of this size can afford.
 *
 * @param size - Requested seats, rounds, and price.
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
  const turns = countPlannedTurns(panel, { seats: { length: seats }, maxRounds });
  const share = modelBudget(priceMicroUsd) / BigInt(turns);
  const chars = JSON.stringify(brief).length + PROMPT_CHARS;
  const offered = listOfferedModels(llm);
  const priced = offered.map((model) => ({
    model,
    ceiling: llm.maxCost(model.modelId, chars, OUTPUT_TOKENS_MIN),
  }));
  const isTooExpensive = (ceiling: string | null) => ceiling !== null && BigInt(ceiling) > share;
  const idsWhere = (fits: (ceiling: string | null) => boolean) =>
    priced.filter(({ ceiling }) => fits(ceiling)).map(({ model }) => model.modelId);
  return {
    models: priced
      .filter(({ ceiling }) => ceiling !== null && !isTooExpensive(ceiling))
      .map(({ model }) => model),
    withoutPrice: idsWhere((ceiling) => ceiling === null),
    tooExpensive: idsWhere(isTooExpensive),
    unavailable: llm.models
      .filter((model) => !offered.includes(model))
      .map(({ modelId }) => modelId),
  };
}

/** Requirements of rule seats. */
export interface RuleRequirements {
  /** Whether the request meets the requirements. */
  readonly isMet: boolean;
  /** What the caller must provide. */
  readonly words: string;
  /** Creates the error for a request that asks for rules without meeting the requirements. */
  createError(): AppError;
}

/**
 * Chooses who fills the seats: models if any can be seated, else rules.
 *
 * @throws {AppError} `INPUT_INVALID`, `NOT_CONFIGURED`
 */
export function chooseMode(
  seatsBy: 'auto' | 'models' | 'rules' | 'caller',
  choice: ModelChoice,
  rules: RuleRequirements,
): Exclude<PanelMode, 'mixed'> {
  const hasModels = choice.models.length > 0;
  switch (seatsBy) {
    case 'caller':
      return 'caller';
    case 'rules':
      if (rules.isMet) return 'rules_only';
      throw rules.createError();
    case 'models':
      if (hasModels) return 'llm';
      break;
    case 'auto':
      if (hasModels) return 'llm';
      if (rules.isMet) return 'rules_only';
  }
  throw noModelsError(choice, {
    sentence:
      `Provide ${rules.words} and set seats_by to "rules"; or set seats_by to "caller" and let ` +
      'your own agent submit the turns through get_result; or ask the operator to set ' +
      'STOA_LLM_MODELS to models with a known price (see STOA_LLM_PRICES).',
    waysOut: ['STOA_LLM_MODELS', 'seats_by: rules', 'seats_by: caller'],
  });
}

/**
 * Creates the error for a panel that no model can sit on.
 *
 * @param advice - What the caller or the operator can do, as a sentence and as a list.
 */
export function noModelsError(
  { withoutPrice, tooExpensive, unavailable }: ModelChoice,
  advice: { readonly sentence: string; readonly waysOut: readonly string[] },
): AppError {
  return new AppError('NOT_CONFIGURED', {
    message: `No language model fits this panel. You are not charged. ${advice.sentence}`,
    data: {
      ways_out: advice.waysOut,
      ...(withoutPrice.length > 0 ? { models_without_price: withoutPrice } : {}),
      ...(unavailable.length > 0 ? { models_that_do_not_answer_now: unavailable } : {}),
      ...(tooExpensive.length > 0 ? { models_too_dear_for_this_size: tooExpensive } : {}),
    },
  });
}

/**
 * Prepares the order of a panel. The brief is stored before the order refers to it. The creator of
 * the job adds `jobId` and `paymentId`.
 */
export async function createPanelOrder(
  panel: PanelDefinition,
  { blobs, random }: Pick<Services, 'blobs' | 'random'>,
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
    budgetMicroUsd: formatMicroUsd(mode === 'llm' ? modelBudget(priceMicroUsd) : 0n),
    priceMicroUsd,
    deadlineMs: plan.deadlineS * SECOND_MS,
    seed: Buffer.from(random.bytes(SEED_BYTES)).toString('hex'),
    mode,
    ...(policy === undefined ? {} : { policy }),
  });
  return { kind: panel.kind, input };
}

function modelBudget(priceMicroUsd: MicroUsdText): bigint {
  return takeBasisPoints(parseMicroUsd(priceMicroUsd), BUDGET_BPS);
}
