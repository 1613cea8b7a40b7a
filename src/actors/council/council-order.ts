import { AppError } from '../../domain/common/error.ts';
import type { MicroUsdText } from '../../domain/common/money.ts';
import { councilPanel } from '../../domain/council/panel.ts';
import type { CouncilBrief } from '../../domain/council/records.ts';
import { VETO_POLICY } from '../../domain/council/red-lines.ts';
import { type CouncilRequest, createCouncilBrief, hasFacts } from '../../domain/council/request.ts';
import { ROLE_NAMES } from '../../domain/council/roles.ts';
import type { LlmModel } from '../../domain/llm/llm.ts';
import { DEADLINE_S_MAX, type PanelMode, type Seat } from '../../domain/panel/records.ts';
import {
  assignModels,
  countFamilies,
  createCallerSeats,
  createRuleSeat,
} from '../../domain/panel/seating.ts';
import type { JobOrder } from '../../domain/tool/tool.ts';
import type { Services } from '../common/services.ts';
import { chooseMode, chooseModels, createPanelOrder } from '../panel/panel-order.ts';

/** Default time limit of a council by mode, in seconds. */
const DEADLINE_S = { llm: 300, rules_only: 60, caller: DEADLINE_S_MAX } as const;
/** Option that wins if nothing else decides: neither buy nor reject. */
const TIE_DEFAULT = 'defer';

/** The seats of a council, known before payment. */
export interface CouncilPlan {
  readonly mode: Exclude<PanelMode, 'mixed'>;
  readonly families: number;
  readonly seats: readonly Seat[];
  readonly brief: CouncilBrief;
  readonly maxRounds: number;
}

/**
 * Plans a council: checks what the schema cannot, and selects its seats.
 *
 * @throws {AppError} `INPUT_INVALID`, `NOT_CONFIGURED`
 */
export function planCouncil(
  { llm, clock }: Pick<Services, 'llm' | 'clock'>,
  request: CouncilRequest,
  priceMicroUsd: MicroUsdText,
): CouncilPlan {
  const brief = createCouncilBrief(request, new Date(clock.now()).toISOString().slice(0, 10));
  const rounds = request.cross_examination ? 1 : 0;
  const size = { seats: request.seats, maxRounds: rounds, priceMicroUsd };
  const choice = chooseModels({ llm, panel: councilPanel }, brief, size);
  const mode = chooseMode(request.seats_by, choice, {
    isMet: hasFacts(brief),
    words: 'facts',
    createError: missingFactsError,
  });
  const seats = fillSeats(mode, choice.models, request.seats);
  const maxRounds = mode === 'rules_only' ? 0 : rounds;
  return { mode, families: countFamilies(seats), seats, brief, maxRounds };
}

/**
 * Prepares the order of a council. The brief is stored before the order refers to it.
 *
 * @throws {AppError} `INPUT_INVALID`, `NOT_CONFIGURED`
 */
export async function prepareCouncil(
  deps: Pick<Services, 'blobs' | 'clock' | 'llm' | 'random'>,
  request: CouncilRequest,
  priceMicroUsd: MicroUsdText,
): Promise<JobOrder> {
  const { mode, seats, brief, maxRounds } = planCouncil(deps, request, priceMicroUsd);
  const veto = request.policy?.veto ?? [];
  return createPanelOrder(councilPanel, deps, {
    brief,
    seats,
    mode,
    maxRounds,
    priceMicroUsd,
    tieDefault: TIE_DEFAULT,
    deadlineS: request.deadline_s ?? DEADLINE_S[mode],
    ...(veto.length === 0 ? {} : { policy: { [VETO_POLICY]: [...veto] } }),
  });
}

function fillSeats(mode: CouncilPlan['mode'], models: readonly LlmModel[], seats: number) {
  const roles = ROLE_NAMES.slice(0, seats);
  switch (mode) {
    case 'llm':
      return assignModels(models, seats, roles);
    case 'rules_only':
      return roles.map((role, place) =>
        createRuleSeat(place, `rule:${role.toLowerCase()}.v1`, role),
      );
    case 'caller':
      return createCallerSeats(seats, roles);
  }
}

function missingFactsError(): AppError {
  return new AppError('INPUT_INVALID', {
    message: 'Rule seats need `facts`, such as facts.money or facts.security.',
    data: { path: 'facts', received: 'no facts', allowed: 'facts: {money, security, …}' },
  });
}
