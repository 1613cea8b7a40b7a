import { AppError } from '../../domain/common/error.ts';
import type { MicroUsdText } from '../../domain/common/money.ts';
import { debatePanel } from '../../domain/debate/panel.ts';
import type { DebateBrief } from '../../domain/debate/records.ts';
import {
  createDebateBrief,
  type DebateRequest,
  findTieDefault,
  listMissingScores,
} from '../../domain/debate/request.ts';
import { createRuleSeats } from '../../domain/debate/rule-seats.ts';
import type { LlmModel } from '../../domain/llm/llm.ts';
import { DEADLINE_S_MAX, type PanelMode, type Seat } from '../../domain/panel/records.ts';
import { assignModels, countFamilies, createCallerSeats } from '../../domain/panel/seating.ts';
import type { JobOrder } from '../../domain/tool/tool.ts';
import type { Services } from '../common/services.ts';
import { chooseMode, chooseModels, createPanelOrder } from '../panel/panel-order.ts';

/** Minimum number of seats for a devil's advocate by default. */
export const DEVIL_SEATS_MIN = 7;
/** Default time limit of a debate by mode, in seconds. */
const DEADLINE_S = { llm: 300, rules_only: 60, caller: DEADLINE_S_MAX } as const;
/** The seats of a debate, known before payment. */
export interface DebatePlan {
  readonly mode: Exclude<PanelMode, 'mixed'>;
  readonly families: number;
  readonly seats: readonly Seat[];
  readonly brief: DebateBrief;
  readonly tieDefault: string;
}

/**
 * Plans a debate: checks what the schema cannot, and selects its seats.
 *
 * @throws {AppError} `INPUT_INVALID`, `NOT_CONFIGURED`
 */
export function planDebate(
  { llm }: Pick<Services, 'llm'>,
  request: DebateRequest,
  priceMicroUsd: MicroUsdText,
): DebatePlan {
  const brief = createDebateBrief(request);
  const tieDefault = findTieDefault(request, brief);
  const size = { seats: request.seats, maxRounds: request.max_rounds, priceMicroUsd };
  const choice = chooseModels({ llm, panel: debatePanel }, brief, size);
  const missing = listMissingScores(brief);
  const mode = chooseMode(request.seats_by, choice, {
    isMet: brief.criteria.length > 0 && missing.length === 0,
    words: 'criteria and a score for every option on each',
    createError: () => missingScoresError(brief, missing),
  });
  const seats = fillSeats(mode, choice.models, request.seats);
  return { mode, families: countFamilies(seats), seats, brief, tieDefault };
}

/**
 * Prepares the order of a debate. The brief is stored before the order refers to it. The creator of
 * the job adds `jobId` and `paymentId`.
 *
 * @throws {AppError} `INPUT_INVALID`, `NOT_CONFIGURED`
 */
export async function prepareDebate(
  deps: Pick<Services, 'blobs' | 'llm' | 'random'>,
  request: DebateRequest,
  priceMicroUsd: MicroUsdText,
): Promise<{ readonly order: JobOrder; readonly mode: PanelMode; readonly families: number }> {
  const plan = planDebate(deps, request, priceMicroUsd);
  const { mode, families, seats, brief, tieDefault } = plan;
  const order = await createPanelOrder(debatePanel, deps, {
    brief,
    seats,
    mode,
    tieDefault,
    priceMicroUsd,
    devilSeatId: chooseDevilSeat(plan, request),
    maxRounds: mode === 'rules_only' ? 0 : request.max_rounds,
    deadlineS: request.deadline_s ?? DEADLINE_S[mode],
  });
  return { order, mode, families };
}

function fillSeats(mode: DebatePlan['mode'], models: readonly LlmModel[], seats: number) {
  switch (mode) {
    case 'llm':
      return assignModels(models, seats);
    case 'rules_only':
      return createRuleSeats(seats);
    case 'caller':
      return createCallerSeats(seats);
  }
}

function chooseDevilSeat({ mode, seats }: DebatePlan, request: DebateRequest): string | undefined {
  const isWanted = request.devils_advocate ?? seats.length >= DEVIL_SEATS_MIN;
  // The last seat, so that it is never the chair, which is the first.
  return isWanted && mode !== 'rules_only' ? seats.at(-1)?.seatId : undefined;
}

function missingScoresError({ criteria }: DebateBrief, missing: readonly string[]): AppError {
  const message =
    criteria.length === 0
      ? 'Rule seats need criteria, and a score for every option on each.'
      : 'Rule seats need a score for every option on every criterion.';
  const received = criteria.length === 0 ? 'no criteria' : { missing: missing.slice(0, 10) };
  const allowed = 'criteria: [{name, weight?}], options: [{name, scores: {<criterion>: number}}]';
  return new AppError('INPUT_INVALID', { message, data: { path: 'options', received, allowed } });
}
