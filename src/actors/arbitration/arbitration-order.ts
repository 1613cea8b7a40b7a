import { encodeTerms } from '../../domain/arbitration/case-terms.ts';
import { arbitrationPanel } from '../../domain/arbitration/panel.ts';
import {
  ARBITER_SEATS,
  createCaseBrief,
  EVIDENCE_LIMITS,
} from '../../domain/arbitration/records.ts';
import type { ArbitrationRequest } from '../../domain/arbitration/request.ts';
import { PROCEDURES } from '../../domain/arbitration/rule-seat.ts';
import { AppError } from '../../domain/common/error.ts';
import type { MicroUsdText } from '../../domain/common/money.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { LlmPort } from '../../domain/llm/llm.ts';
import type { Seat } from '../../domain/panel/records.ts';
import { assignModels, countFamilies, createRuleSeat } from '../../domain/panel/seating.ts';
import type { Delegations } from '../../domain/passport/delegations.ts';
import type { JobBuyer, JobOrder } from '../../domain/tool/tool.ts';
import type { Services } from '../common/services.ts';
import { readJob } from '../escrow/read-actors.ts';
import {
  chooseModels,
  createPanelOrder,
  type ModelChoice,
  noModelsError,
} from '../panel/panel-order.ts';
import { createCaseSubject, disputeTimeout } from './case-facts.ts';
import type { CaseIndex } from './case-index.ts';
import { assertParty } from './case-party.ts';

/** Deliberation time limit in seconds; it starts when the evidence is admitted. */
const DEADLINE_S = 600;
/** Maximum length of a brief in characters, including both sides' texts and the ledger. */
const BRIEF_CHARS = 40_000;

/** The arbiters of a case, known before payment. */
export interface ArbiterPlan {
  readonly mode: 'llm' | 'rules_only';
  readonly seats: readonly Seat[];
  readonly families: number;
}

/**
 * Plans the arbiters of a case.
 *
 * @throws {AppError} `INPUT_INVALID`, `NOT_CONFIGURED`
 */
export function planArbiters(
  llm: LlmPort,
  request: ArbitrationRequest,
  priceMicroUsd: MicroUsdText,
): ArbiterPlan {
  const { wanted, choice } = chooseSize(llm, request, priceMicroUsd);
  const hasModels = choice.models.length > 0;
  if (request.seats_by === 'models' && !hasModels) {
    throw noModelsError(choice, {
      sentence: 'Set seats_by to "rules", or ask the operator to set STOA_LLM_MODELS.',
      waysOut: ['STOA_LLM_MODELS', 'seats_by: rules'],
    });
  }
  if (request.seats_by !== 'rules' && hasModels) {
    const seats = assignModels(choice.models, wanted);
    return { mode: 'llm', seats, families: countFamilies(seats) };
  }
  const { seats: received = PROCEDURES.length } = request;
  if (received !== PROCEDURES.length) {
    throw new AppError('INPUT_INVALID', {
      message: `Rule seats require seats to be exactly ${PROCEDURES.length}.`,
      data: { path: 'seats', received, allowed: PROCEDURES.length },
    });
  }
  const seats = PROCEDURES.map(({ model, role }, place) => createRuleSeat(place, model, role));
  return { mode: 'rules_only', seats, families: countFamilies(seats) };
}

/**
 * Chooses how many models judge, and which. By default, the number of distinct models that can be
 * seated, at least three. With three seats that each err in 10 % of cases, one hostile seat changes
 * one verdict in six; with seven, one in eighty. A model in two seats would be hostile in both.
 */
function chooseSize(
  llm: LlmPort,
  { seats }: ArbitrationRequest,
  priceMicroUsd: MicroUsdText,
): { readonly wanted: number; readonly choice: ModelChoice } {
  const brief = createCaseBrief('buyer');
  // The evidence is not known yet, so the price must cover its maximum size.
  const fullest = { ...brief, question: brief.question.padEnd(BRIEF_CHARS) };
  const choose = (wanted: number) => {
    const size = { seats: wanted, maxRounds: 0, priceMicroUsd };
    return { wanted, choice: chooseModels({ llm, panel: arbitrationPanel }, fullest, size) };
  };
  if (seats !== undefined) return choose(seats);
  const isFilled = ({ wanted, choice }: ReturnType<typeof choose>) =>
    choice.models.length >= wanted;
  return ARBITER_SEATS.map(choose).findLast(isFilled) ?? choose(ARBITER_SEATS[0]);
}

/**
 * Prepares the order of an arbitration. The state of the job determines claimant and claim.
 *
 * @throws {AppError} `JOB_UNKNOWN`, `NOT_THE_PARTY`, `DELEGATION_UNKNOWN`, `DELEGATION_INVALID`,
 *   `DISPUTE_UNAVAILABLE`, `DISPUTE_OPEN`, `INPUT_INVALID`, `NOT_CONFIGURED`, `OVERLOADED`,
 *   `RATE_LIMITED`
 */
export async function prepareArbitration(
  deps: Pick<Services, 'blobs' | 'clock' | 'engine' | 'llm' | 'random'> & {
    readonly delegations: Pick<Delegations, 'verifyChain'>;
    readonly index: CaseIndex;
  },
  request: ArbitrationRequest,
  priceMicroUsd: MicroUsdText,
  by: JobBuyer,
): Promise<JobOrder> {
  const { mode, seats } = planArbiters(deps.llm, request, priceMicroUsd);
  const job = await readJob(deps.engine, request.job_id);
  const filer = { payer: by.payer, delegationId: request.delegation_id };
  await assertParty(deps.delegations, filer, job.context);
  const caseSubject = createCaseSubject(job);
  if (caseSubject.effect === 'decides_escrow') {
    assertOperatorArbiters(request);
    assertFairWindow(request, { until: disputeTimeout(job), now: deps.clock.now() });
  }
  const release = await deps.index.reserve(caseSubject.boardJobId, by, deps.clock.now());
  try {
    const order = await createPanelOrder(arbitrationPanel, deps, {
      brief: createCaseBrief(caseSubject.claimantRole),
      seats,
      mode,
      priceMicroUsd,
      maxRounds: 0,
      tieDefault: 'upheld',
      deadlineS: DEADLINE_S,
      policy: encodeTerms({ ...caseSubject, windowS: request.window_s }),
    });
    return { ...order, release };
  } catch (thrown) {
    release();
    throw thrown;
  }
}

/** If the verdict moves money, the payer must not choose who judges. */
function assertOperatorArbiters({ seats_by: received }: ArbitrationRequest): void {
  if (received === 'auto') return;
  throw new AppError('INPUT_INVALID', {
    message: 'This verdict decides the escrow, so only the operator selects the arbiters.',
    data: { path: 'seats_by', received, allowed: ['auto'] },
  });
}

/** Ensures that the other side has time to answer and the verdict precedes a time-based refund. */
function assertFairWindow(
  { window_s: received }: ArbitrationRequest,
  { until, now }: { readonly until: number | null; readonly now: number },
): void {
  const { escrowWindowSMin: least, escrowMarginS } = EVIDENCE_LIMITS;
  const left =
    until === null
      ? Number.POSITIVE_INFINITY
      : Math.floor((until - now) / SECOND_MS) - escrowMarginS;
  if (left < least) {
    throw new AppError('DISPUTE_UNAVAILABLE', {
      message: 'Too late: the escrow refunds before a fair window and a verdict can end.',
      data: { received: { seconds_left: Math.max(0, left) }, allowed: { seconds_left: least } },
    });
  }
  const most = Math.min(left, EVIDENCE_LIMITS.windowSMax);
  if (received >= least && received <= most) return;
  throw new AppError('INPUT_INVALID', {
    message: `This verdict decides the escrow, so window_s must be ${least} to ${most}.`,
    data: { path: 'window_s', received, allowed: { least, most } },
  });
}
