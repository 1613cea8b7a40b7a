import { costsOf } from '../../../domain/panel/costs.ts';
import type { DebateBrief } from '../../../domain/debate/records.ts';
import type { Ballot, Seat, Turn } from '../../../domain/panel/records.ts';
import { Turn as TurnShape } from '../../../domain/panel/records.ts';
import { seatLetter } from '../../../domain/debate/seating.ts';
import type {
  PanelBallot,
  PanelCost,
  PanelFrame,
  PanelSeat,
  PanelTurn,
} from '../../../domain/inspect/wire.ts';
import type { BlobStore } from '../../../domain/ports/blob-store.ts';
import type { PanelContext } from '../../../machines/parts/panel-context.ts';
import type { EffectRow, View } from '../../../runtime/types.ts';
import { DEBATE_KIND } from '../../panels/debate-view.ts';
import { loadBrief } from '../../panels/prompt.ts';
import { ballotsWithReasons } from '../../panels/transcript.ts';
import { debateDecision, debateTally } from './debate-count.ts';
import type { PanelFacts, PanelView } from './panel-view.ts';

/** Debates as panels. */
export const debatePanel: PanelView = {
  kind: DEBATE_KIND,
  title: 'Debate',
  turnOf: ({ event, entry }) => {
    if (entry !== 'event' || typeof event['actorId'] !== 'string') return undefined;
    const isTurn = TurnShape.safeParse(event['output']).success || 'error' in event;
    return isTurn ? event['actorId'] : undefined;
  },
  frame: debateFrame,
  speech: ({ type, turnId, text }) => {
    if (type !== 'TURN.DELTA' || typeof turnId !== 'string' || typeof text !== 'string') {
      return undefined;
    }
    const [seatId = '', round = '', phase = ''] = turnId.split('/').reverse();
    // Votes are secret until the count.
    if (phase === 'vote') return undefined;
    return { speaker: { seat: seatLetter(seatId), phase, round: Number(round) }, text };
  },
};

function debateFrame({ view, blobs, turnTimes }: PanelFacts): PanelFrame {
  const context = view.context as unknown as PanelContext;
  const { input, turns } = context;
  const brief = briefOf(blobs, input.briefSha);
  const options = new Map(brief?.options.map(({ optionId, name }) => [optionId, name]));
  const nameOf = (optionId: string): string => options.get(optionId) ?? optionId;
  const ballots = ballotsWithReasons(context.ballots, turns, blobs);
  return {
    topic: 'panel',
    id: view.id,
    kind: view.kind,
    title: debatePanel.title,
    status: view.status,
    phase: phaseOf(view, context),
    phases: phasesOf(context),
    question: brief?.question ?? 'The question is not kept any more.',
    options: input.optionIds.map(nameOf),
    createdAt: view.createdAt,
    at: view.at,
    deadlineAt: view.createdAt + input.deadlineMs,
    seats: input.seats.map((seat) => shownSeat(seat, view, context)),
    turns: turns.map((turn) => shownTurn(turn, { context, blobs, turnTimes, at: view.at })),
    ballots: ballots.map((ballot) => shownBallot(ballot, nameOf)),
    tally: context.tally === null ? null : debateTally(context.tally, input.optionIds, nameOf),
    decision: debateDecision(context, ballots, nameOf),
    cost: costOf(context),
  };
}

function briefOf(blobs: BlobStore, briefSha: string): DebateBrief | undefined {
  return blobs.get(briefSha) === undefined ? undefined : loadBrief(blobs, briefSha);
}

function phasesOf({ input }: PanelContext): readonly string[] {
  const rebuttals = Array.from({ length: input.maxRounds }, (_, at) => `rebuttal ${at + 1}`);
  return ['opening', ...rebuttals, 'vote', 'count', 'end'];
}

function phaseOf({ value }: View, { phase, round }: PanelContext): string {
  if (value === 'tallying' || value === 'sealing') return 'count';
  if (typeof value === 'string') return 'end';
  return phase === 'rebuttal' ? `rebuttal ${round}` : phase;
}

function shownSeat(seat: Seat, view: View, context: PanelContext): PanelSeat {
  const { seatId, role, model } = seat;
  return {
    seat: seatLetter(seatId),
    role: seatId === context.input.devilSeatId ? `${role}, devil's advocate` : role,
    filledBy: model,
    state: seatState(seatId, view.effects, context),
  };
}

function seatState(
  seatId: string,
  effects: readonly EffectRow[],
  { turns, phase, round }: PanelContext,
): PanelSeat['state'] {
  const running = effects.find(({ childId }) => childId.endsWith(`.${seatId}`));
  // An effect without an attempt waits for its model to be free.
  if (running !== undefined) return running.attempt === 0 ? 'waiting' : 'speaking';
  const last = turns.findLast((turn) => turn.seatId === seatId);
  const isOfNow = last?.phase === phase && (phase !== 'rebuttal' || last.round === round);
  if (last === undefined || !isOfNow) return 'waiting';
  return last.status === 'ok' ? 'spoken' : 'failed';
}

function shownTurn(
  turn: Turn,
  o: {
    readonly context: PanelContext;
    readonly blobs: BlobStore;
    readonly turnTimes: ReadonlyMap<string, number>;
    readonly at: number;
  },
): PanelTurn {
  const { seatId, phase, round, status, argumentSha, detail } = turn;
  const isSecret = phase === 'vote' && o.context.tally === null;
  const kept = argumentSha === undefined ? undefined : o.blobs.get(argumentSha);
  const text = status === 'ok' ? (kept ?? 'The text is not kept any more.') : (detail ?? status);
  return {
    seat: seatLetter(seatId),
    phase,
    round,
    at: o.turnTimes.get(`${phase}.${round}.${seatId}`) ?? o.at,
    isOk: status === 'ok',
    text: isSecret ? '' : text,
  };
}

function shownBallot(ballot: Ballot, nameOf: (optionId: string) => string): PanelBallot {
  const { seatId, ranking, confidence, reason, source } = ballot;
  return {
    seat: seatLetter(seatId),
    round: 0,
    ranking: ranking.map(nameOf),
    confidence: source === 'vote' ? confidence : null,
    reason,
  };
}

function costOf({ input, turns }: PanelContext): PanelCost {
  const { budgetMicroUsd } = input;
  return {
    microUsd: costsOf(turns).spentMicroUsd,
    budgetMicroUsd: budgetMicroUsd === '0' ? null : budgetMicroUsd,
    tokensIn: turns.reduce((sum, { usage }) => sum + usage.input, 0),
    tokensOut: turns.reduce((sum, { usage }) => sum + usage.output, 0),
    turns: turns.length,
  };
}
