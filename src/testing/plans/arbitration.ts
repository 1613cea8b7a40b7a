import type { PanelInput, Turn } from '../../domain/panel/records.ts';
import type { ArbitrationContext } from '../../machines/panel/arbitration-prelude.ts';
import type { EffectError } from '../../runtime/engine/types.ts';
import type { ModelView, OpenEffect, PathPlan } from '../path.ts';
import {
  createModelSeats,
  createPlanTurn,
  createTurnEnds,
  PANEL_FIELDS,
  SEAL_ENDS,
} from './panel-plan.ts';

/** Costs of a normal turn, and of one that uses the whole budget, in micro-dollars. */
const COST_MICRO_USD = { turn: '1000', wholeBudget: '2500000' } as const;
/** Number of lost turns of three without a quorum; more make no difference. */
const LOST_TURNS_MAX = 2;
const FROZEN_CASE = { sha: 'f'.repeat(64), root: 'e'.repeat(64) } as const;
const internalError: EffectError = { name: 'AppError', code: 'INTERNAL', message: 'it broke' };

/** An arbitration by three models whose verdict decides the escrow. */
const arbitrationInput: PanelInput = {
  ...PANEL_FIELDS,
  optionIds: ['upheld', 'overturned'],
  seats: createModelSeats(Array.from({ length: 3 }, () => 'panelist')),
  maxRounds: 0,
  tieDefault: 'upheld',
  budgetMicroUsd: COST_MICRO_USD.wholeBudget,
  priceMicroUsd: '5000000',
  deadlineMs: 600_000,
  policy: {
    board_job_id: ['job_board'],
    claimant_role: ['buyer'],
    claimant: [`0x${'a1'.repeat(20)}`],
    respondent: [`0x${'b2'.repeat(20)}`],
    window_s: ['3600'],
    effect: ['decides_escrow'],
  },
};

/**
 * Path plan of an arbitration. Both sides submit evidence, waive or stay silent, and freezing and
 * admission succeed or fail. Only the first open turn ends.
 */
export const arbitrationPlan: PathPlan = {
  input: arbitrationInput,
  events: { 'EVIDENCE.GIVEN': evidencePayloads },
  effects: {
    freeze: {
      done: [
        { ...FROZEN_CASE, effect: 'decides_escrow' },
        { ...FROZEN_CASE, effect: 'evidence_only' },
      ],
      error: [internalError],
    },
    admit: { done: ['d'.repeat(64)], error: [internalError] },
    turn: createTurnEnds(possibleTurns, internalError),
    seal: SEAL_ENDS,
  },
  facets: selectFacts,
};

/**
 * Evidence of a claimant that submits one item and ends, a waiver of the respondent, and late
 * calls.
 */
function evidencePayloads({ context }: ModelView<ArbitrationContext>) {
  const { sides } = context.case;
  const row = { evidenceId: '', side: 'claimant', sha: 'c'.repeat(64), chars: 40, at: 1_000 };
  return (['claimant', 'respondent'] as const).map((side) => ({
    side,
    names: [],
    isLast: true,
    call: sides[side] === 'awaiting' ? `call-${side}` : `late-${side}`,
    rows: side === 'claimant' ? [row] : [],
  }));
}

function selectFacts(context: ArbitrationContext): unknown {
  const { isLate, cutBy, outcome, turns, phase } = context;
  const ofPhase = turns.filter((turn) => turn.phase === phase);
  const missed = ofPhase.filter((turn) => turn.status !== 'ok').length;
  const votes = new Set(turns.flatMap(({ ranking = [] }) => ranking));
  const isDetached = context.detached && turns.length === 0;
  const { claimant, respondent } = context.case.sides;
  // Records whether a cancellation is possible while seats judge; earlier facts no longer matter.
  const facts = [
    isLate,
    cutBy,
    outcome,
    isDetached,
    claimant,
    respondent,
    context.isBound === true,
  ];
  return [facts, Math.min(missed, LOST_TURNS_MAX), [...votes].toSorted()];
}

function possibleTurns({ childId }: OpenEffect): readonly Turn[] {
  const { turn, wholeBudget } = COST_MICRO_USD;
  return [
    createTurn(childId, 'upheld', turn),
    createTurn(childId, 'overturned', turn),
    createTurn(childId, 'upheld', wholeBudget),
  ];
}

function createTurn(childId: string, position: string, costMicroUsd: string): Turn {
  const vote = childId.startsWith('vote.') ? { ranking: [position] } : {};
  const reasons = { argumentSha: 'a'.repeat(64), confidence: 0.5, evidenceIds: ['L1'] };
  return createPlanTurn(childId, { position, ...reasons, ...vote }, costMicroUsd);
}
