import type { PanelInput, Turn } from '../../domain/panel/records.ts';
import type { PanelContext } from '../../machines/panel/panel-context.ts';
import type { EffectError } from '../../runtime/engine/types.ts';
import type { OpenEffect, PathPlan } from '../path.ts';
import { modelSeats, PANEL_ORDER, planTurn, SEAL_ENDS, turnEnds } from './panel-plan.ts';

/** Costs of a normal turn, and of one that uses the whole budget, in micro-dollars. */
const COST_MICRO_USD = { turn: '1000', wholeBudget: '2000000' } as const;
/** Number of lost turns of five without a quorum; more make no difference. */
const LOST_MAX = 3;
const broken: EffectError = { name: 'AppError', code: 'INTERNAL', message: 'it broke' };
const ROLES = ['CFO', 'CIO', 'CISO', 'PROCUREMENT', 'LEGAL'];

/** A council of five models with one round of cross-examination and a veto of the CISO. */
const councilInput: PanelInput = {
  ...PANEL_ORDER,
  optionIds: ['approve', 'approve_with_conditions', 'reject', 'defer'],
  seats: modelSeats(ROLES),
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
    turn: turnEnds(turnsOf, broken),
    compute: { done: ({ childId }) => notesOf(childId), error: [broken] },
    seal: SEAL_ENDS,
  },
  facets: situationOf,
};

/**
 * Selects the facts that affect how a council continues. Opinions do not matter to the chart, only
 * the number of missing ones.
 */
function situationOf(context: PanelContext): unknown {
  const { isLate, cutBy, outcome, turns, phase, round, notes = {} } = context;
  const ofPhase = turns.filter((turn) => turn.phase === phase);
  const missed = ofPhase.filter((turn) => turn.status !== 'ok').length;
  const votes = new Set(turns.flatMap(({ ranking = [] }) => ranking));
  const isAddressed = ofPhase.some((turn) => turn.addressed !== undefined);
  const isDetached = context.detached && turns.length === 0;
  const facts = [isLate, cutBy, outcome, isDetached, round, isAddressed];
  const lost = phase === 'question' || phase === 'answer' ? 0 : Math.min(missed, LOST_MAX);
  return [facts, lost, notes['red_lines']?.summary, [...votes].toSorted()];
}

function notesOf(childId: string): readonly unknown[] {
  const sha = 'n'.repeat(64);
  if (childId !== 'compute.red_lines') return [{ sha, summary: {} }];
  return [
    { sha, summary: { raised: [] } },
    { sha, summary: { raised: [{ rule_id: 'CISO-01', is_veto: true }] } },
  ];
}

function turnsOf({ childId }: OpenEffect): readonly Turn[] {
  const [phase] = childId.split('.');
  const { turn, wholeBudget } = COST_MICRO_USD;
  if (phase === 'question' || phase === 'answer') {
    const others = phase === 'question' ? ['s1'] : ['s0'];
    return [
      planTurn(childId, spoken({ addressed: others }), turn),
      planTurn(childId, spoken({}), wholeBudget),
    ];
  }
  const stand = (position: string): Partial<Turn> =>
    spoken({ position, ...(phase === 'vote' ? { ranking: [position] } : {}) });
  return [
    planTurn(childId, stand('approve'), turn),
    planTurn(childId, stand('reject'), turn),
    planTurn(childId, stand('approve'), wholeBudget),
  ];
}

function spoken(more: Partial<Turn>): Partial<Turn> {
  const sha = 'a'.repeat(64);
  return { argumentSha: sha, contentSha: sha, confidence: 0.5, evidenceIds: [], ...more };
}
