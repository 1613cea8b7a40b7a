import type { PanelInput, Turn } from '../../domain/panel/records.ts';
import type { PanelContext } from '../../machines/panel/panel-context.ts';
import type { EffectError } from '../../runtime/engine/types.ts';
import type { OpenEffect, PathPlan } from '../path.ts';
import {
  createModelSeats,
  createPlanTurn,
  createTurnEnds,
  PANEL_FIELDS,
  SEAL_ENDS,
} from './panel-plan.ts';

/** Costs of a normal turn, and of one that uses the whole budget, in micro-dollars. */
const COST_MICRO_USD = { turn: '1000', wholeBudget: '2000000' } as const;
/** Number of lost turns of five without a quorum; more make no difference. */
const LOST_TURNS_MAX = 3;
const internalError: EffectError = { name: 'AppError', code: 'INTERNAL', message: 'it broke' };
const ROLES = ['CFO', 'CIO', 'CISO', 'PROCUREMENT', 'LEGAL'];

/** A council of five models with one round of cross-examination and a veto of the CISO. */
const councilInput: PanelInput = {
  ...PANEL_FIELDS,
  optionIds: ['approve', 'approve_with_conditions', 'reject', 'defer'],
  seats: createModelSeats(ROLES),
  maxRounds: 1,
  tieDefault: 'defer',
  budgetMicroUsd: COST_MICRO_USD.wholeBudget,
  priceMicroUsd: '4000000',
  deadlineMs: 100_000,
  policy: { veto: ['CISO'] },
};

/** Path plan of a council. Only the first open turn ends; code phases succeed or fail. */
export const councilPlan: PathPlan = {
  input: councilInput,
  effects: {
    turn: createTurnEnds(possibleTurns, internalError),
    compute: { done: ({ childId }) => possibleNotes(childId), error: [internalError] },
    seal: SEAL_ENDS,
  },
  facets: selectFacts,
};

/**
 * Selects the facts that affect how a council continues. Opinions do not matter to the chart, only
 * the number of missing ones.
 */
function selectFacts(context: PanelContext): unknown {
  const { isLate, cutBy, outcome, turns, phase, round, notes = {} } = context;
  const ofPhase = turns.filter((turn) => turn.phase === phase);
  const missed = ofPhase.filter((turn) => turn.status !== 'ok').length;
  const votes = new Set(turns.flatMap(({ ranking = [] }) => ranking));
  const isAddressed = ofPhase.some((turn) => turn.addressed !== undefined);
  const isDetached = context.detached && turns.length === 0;
  const facts = [isLate, cutBy, outcome, isDetached, round, isAddressed];
  const lost = phase === 'question' || phase === 'answer' ? 0 : Math.min(missed, LOST_TURNS_MAX);
  return [facts, lost, notes['red_lines']?.summary, [...votes].toSorted()];
}

function possibleNotes(childId: string): readonly unknown[] {
  const sha = 'n'.repeat(64);
  if (childId !== 'compute.red_lines') return [{ sha, summary: {} }];
  return [
    { sha, summary: { raised: [] } },
    { sha, summary: { raised: [{ rule_id: 'CISO-01', is_veto: true }] } },
  ];
}

function possibleTurns({ childId }: OpenEffect): readonly Turn[] {
  const [phase] = childId.split('.');
  const { turn, wholeBudget } = COST_MICRO_USD;
  if (phase === 'question' || phase === 'answer') {
    const others = phase === 'question' ? ['s1'] : ['s0'];
    return [
      createPlanTurn(childId, createAnswer({ addressed: others }), turn),
      createPlanTurn(childId, createAnswer({}), wholeBudget),
    ];
  }
  const stand = (position: string): Partial<Turn> =>
    createAnswer({ position, ...(phase === 'vote' ? { ranking: [position] } : {}) });
  return [
    createPlanTurn(childId, stand('approve'), turn),
    createPlanTurn(childId, stand('reject'), turn),
    createPlanTurn(childId, stand('approve'), wholeBudget),
  ];
}

function createAnswer(more: Partial<Turn>): Partial<Turn> {
  const sha = 'a'.repeat(64);
  return { argumentSha: sha, contentSha: sha, confidence: 0.5, evidenceIds: [], ...more };
}
