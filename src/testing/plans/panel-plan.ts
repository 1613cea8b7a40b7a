import type { PanelDefinition } from '../../domain/panel/definition.ts';
import { BALLOT_PHASE, type PanelInput, type Turn } from '../../domain/panel/records.ts';
import type { PanelContext } from '../../machines/panel/panel-context.ts';
import type { EffectError } from '../../runtime/engine/types.ts';
import type { EffectEnds, OpenEffect, PathPlan, PlanView } from '../path.ts';

/** Common fields of all panel inputs in plans. */
export const PANEL_FIELDS = {
  jobId: 'job_path',
  paymentId: 'pay_path',
  briefSha: 'b'.repeat(64),
  chairSeatId: 's0',
  seed: 'seed',
  mode: 'llm',
} as const;

/** Ends of the seal effect of a panel. */
export const SEAL_ENDS: EffectEnds = {
  done: [{ transcriptSha: 't', resultSha: 'r', transcriptRoot: 'm' }],
  error: [{ name: 'AppError', code: 'STORE_FULL', message: 'no room' }],
};

/** Creates seats with one model of a separate family each. */
export function createModelSeats(roles: readonly string[]): PanelInput['seats'] {
  return roles.map((role, at) => ({
    seatId: `s${at}`,
    role,
    kind: 'llm',
    model: `vendor:model-${at}`,
    family: `family-${at}`,
  }));
}

/** Ends of turns. Only the first open turn ends, because the order makes no difference. */
export function createTurnEnds(
  turnsOf: (effect: OpenEffect, view: PlanView) => readonly Turn[],
  error: EffectError,
): EffectEnds {
  return {
    done: (effect, view) => (isFirstEffect(effect, view) ? turnsOf(effect, view) : []),
    error: (effect, view) => (isFirstEffect(effect, view) ? [error] : []),
  };
}

function isFirstEffect({ childId }: OpenEffect, { effects }: PlanView): boolean {
  return effects[0]?.childId === childId;
}

/** Creates a finished turn. @param answer - The fields that vary. */
export function createPlanTurn(childId: string, answer: Partial<Turn>, costMicroUsd: string): Turn {
  const [phase = '', round, seatId = ''] = childId.split('.');
  return {
    turnId: `${PANEL_FIELDS.jobId}/${childId.replaceAll('.', '/')}`,
    phase,
    round: Number(round),
    seatId,
    status: 'ok',
    attempts: 1,
    costMicroUsd,
    usage: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, source: 'provider' },
    priceSource: 'plan',
    ms: 3,
    promptSha: 'p',
    outputSha: 'q',
    requestId: null,
    ...answer,
  };
}

const OPTION_IDS = ['o1', 'o2'];
const internalError: EffectError = { name: 'AppError', code: 'INTERNAL', message: 'it broke' };

/**
 * Creates the path plan that follows from the definition of a panel: the fewest seats, two options,
 * one round, and turns that agree, disagree, or are unreadable.
 */
export function createPanelPlan({ phases, seats, rounds }: PanelDefinition): PathPlan {
  const hasCode = phases.some(({ by }) => by === 'code');
  const note = { done: [{ sha: 'n'.repeat(64), summary: {} }], error: [internalError] };
  const input: PanelInput = {
    ...PANEL_FIELDS,
    optionIds: OPTION_IDS,
    seats: createModelSeats(Array.from({ length: seats.least }, () => 'seat')),
    maxRounds: rounds === undefined ? 0 : 1,
    tieDefault: 'o1',
    budgetMicroUsd: '1000000',
    priceMicroUsd: '2000000',
    deadlineMs: 100_000,
  };
  return {
    input,
    effects: {
      turn: createTurnEnds(({ childId }) => possibleTurns(childId), internalError),
      ...(hasCode ? { compute: note } : {}),
      seal: SEAL_ENDS,
    },
    facets: (context: PanelContext) => selectFacts(context, seats.least),
  };
}

function possibleTurns(childId: string): readonly Turn[] {
  const answers = OPTION_IDS.map((position): Partial<Turn> => {
    const isBallot = childId.startsWith(`${BALLOT_PHASE}.`);
    const answer = { position, argumentSha: 'a'.repeat(64), confidence: 0.5, evidenceIds: [] };
    return isBallot ? { ...answer, ranking: [position] } : answer;
  });
  return [...answers, { status: 'invalid' as const }].map((answer) =>
    createPlanTurn(childId, answer, '1000'),
  );
}

/** Selects the facts that affect how any panel continues: the quorum, the positions, the end. */
function selectFacts(context: PanelContext, seatsCount: number): unknown {
  const { isLate, cutBy, outcome, detached, turns, phase, round } = context;
  const missed = turns.filter((turn) => turn.phase === phase && turn.status !== 'ok').length;
  const positions = new Set(turns.map((turn) => turn.position ?? turn.status));
  const lost = Math.min(missed, Math.ceil(seatsCount / 2));
  return [[isLate, cutBy, outcome, detached, round, lost], [...positions].toSorted()];
}
