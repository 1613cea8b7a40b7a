import type { PanelInput, Turn } from '../../domain/panel/records.ts';
import type { PanelContext } from '../../machines/panel/panel-context.ts';
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
const COST_MICRO_USD = { turn: '1000', wholeBudget: '1000000' } as const;
/** Number of lost turns of five without a quorum; more make no difference. */
const LOST_TURNS_MAX = 3;
const internalError: EffectError = {
  name: 'AppError',
  code: 'INTERNAL',
  message: 'the client broke',
};

/** A debate of five models over two options, with up to two rebuttal rounds. */
export const debateInput: PanelInput = {
  ...PANEL_FIELDS,
  optionIds: ['o1', 'o2'],
  seats: createModelSeats(Array.from({ length: 5 }, () => 'panelist')),
  maxRounds: 2,
  tieDefault: 'o1',
  budgetMicroUsd: COST_MICRO_USD.wholeBudget,
  priceMicroUsd: '2000000',
  deadlineMs: 100_000,
};

/** Path plan of a debate. Only the first open turn ends, because the order makes no difference. */
export const debatePlan: PathPlan = {
  input: debateInput,
  effects: {
    turn: createTurnEnds(possibleTurns, internalError),
    seal: SEAL_ENDS,
  },
  facets: selectFacts,
};

/** Selects the facts that affect how a debate continues. */
function selectFacts(context: PanelContext): unknown {
  const { isLate, cutBy, outcome, detached, turns, phase, round } = context;
  const positions = new Set(turns.map((turn) => turn.position ?? turn.status));
  const missed = turns.filter((turn) => turn.phase === phase && turn.status !== 'ok').length;
  const hasMoved = turns.some((turn) => turn.changedFrom !== undefined);
  const facts = [
    isLate,
    cutBy,
    outcome,
    detached,
    round,
    hasMoved,
    Math.min(missed, LOST_TURNS_MAX),
  ];
  return [facts, [...positions].toSorted((one, other) => (one < other ? -1 : 1))];
}

function possibleTurns(
  { childId }: OpenEffect,
  { context }: ModelView<PanelContext>,
): readonly Turn[] {
  const { turns } = context;
  const { turn, wholeBudget } = COST_MICRO_USD;
  return [
    createTurn(turns, childId, { position: 'o1', costMicroUsd: turn }),
    createTurn(turns, childId, { position: 'o2', costMicroUsd: turn }),
    createTurn(turns, childId, { position: 'o1', costMicroUsd: wholeBudget }),
    createTurn(turns, childId, { position: null, costMicroUsd: turn }),
  ];
}

/** Creates a finished turn. Without a position, the answer of the model was unreadable. */
function createTurn(
  turns: readonly Turn[],
  childId: string,
  o: { readonly position: string | null; readonly costMicroUsd: string },
): Turn {
  const [phase, , seatId = ''] = childId.split('.');
  const { position, costMicroUsd } = o;
  const before = turns.findLast((turn) => turn.seatId === seatId)?.position;
  const isChange = phase === 'rebuttal' && before !== undefined && before !== position;
  const answer =
    position === null
      ? { status: 'invalid' as const }
      : {
          status: 'ok' as const,
          position,
          argumentSha: 'a'.repeat(64),
          confidence: 0.5,
          evidenceIds: [],
          ...(phase === 'vote' ? { ranking: [position] } : {}),
          ...(isChange ? { changedFrom: before } : {}),
        };
  return createPlanTurn(childId, answer, costMicroUsd);
}
