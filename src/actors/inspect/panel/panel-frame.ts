import type { BlobStore } from '../../../domain/common/blob-store.ts';
import type {
  PanelBallot,
  PanelCost,
  PanelFrame,
  PanelLine,
  PanelSeat,
  PanelTurn,
} from '../../../domain/inspect/wire.ts';
import { sumPanelCosts } from '../../../domain/panel/costs.ts';
import type { PanelBrief, PanelDefinition } from '../../../domain/panel/definition.ts';
import {
  BALLOT_PHASE,
  type Ballot,
  type Seat,
  type Turn,
  Turn as TurnShape,
} from '../../../domain/panel/records.ts';
import { seatLetter } from '../../../domain/panel/seating.ts';
import type { PanelContext } from '../../../machines/panel/panel-context.ts';
import type { EffectRow, View } from '../../../runtime/engine/types.ts';
import { typePanelView } from '../../panel/panel-view.ts';
import { addBallotReasons } from '../../panel/transcript.ts';
import { loadBrief } from '../../panel/turn-prompt.ts';
import { createDecisionView, createTallyView } from './panel-count.ts';
import type { PanelExtras, PanelFacts, PanelView } from './panel-view.ts';

/** Part of the name of the timer that ends the turns. */
const DEADLINE_TIMER = 'hardDeadline';
const QUESTION_MISSING = 'The question is no longer stored.';

/** Creates the console view of one kind of panel. */
export function createPanelView(panel: PanelDefinition, extras?: PanelExtras): PanelView {
  return {
    kind: panel.kind,
    title: panel.title,
    turnOf: ({ event, entry }) => {
      if (entry !== 'event' || typeof event['actorId'] !== 'string') return undefined;
      const isTurn = TurnShape.safeParse(event['output']).success || 'error' in event;
      return isTurn ? event['actorId'] : undefined;
    },
    frame: (facts) => createFrame({ panel, extras }, facts),
    line: (facts) => createLine(panel, facts),
    speech: ({ type, turnId, text }) => {
      if (type !== 'TURN.DELTA' || typeof turnId !== 'string' || typeof text !== 'string') {
        return undefined;
      }
      const [seatId = '', round = '', phase = ''] = turnId.split('/').reverse();
      if (isSecretPhase(panel, phase)) return undefined;
      return { speaker: { seat: seatLetter(seatId), phase, round: Number(round) }, text };
    },
  };
}

function createLine(
  panel: PanelDefinition,
  { view, blobs }: Omit<PanelFacts, 'turnTimes'>,
): PanelLine {
  const { input, outcome, reason, tally } = typePanelView(panel, view).context;
  const brief = findBrief(panel, blobs, input.briefSha);
  const winner = outcome === 'decided' ? tally?.winner : undefined;
  const chosen = brief?.options.find(({ optionId }) => optionId === winner);
  return {
    id: view.id,
    title: panel.title,
    question: brief?.question ?? QUESTION_MISSING,
    decision: chosen?.name ?? winner ?? reason ?? outcome,
  };
}

interface PanelWithExtras {
  readonly panel: PanelDefinition;
  readonly extras: PanelExtras | undefined;
}

function createFrame(
  { panel, extras }: PanelWithExtras,
  { view, blobs, turnTimes }: PanelFacts,
): PanelFrame {
  const { context } = typePanelView(panel, view);
  const { input, turns } = context;
  const brief = findBrief(panel, blobs, input.briefSha);
  const options = new Map(brief?.options.map(({ optionId, name }) => [optionId, name]));
  const nameOf = (optionId: string): string => options.get(optionId) ?? optionId;
  const ballots = addBallotReasons(context.ballots, turns, blobs);
  return {
    topic: 'panel',
    id: view.id,
    kind: view.kind,
    title: panel.title,
    status: view.status,
    phase: phaseOf({ panel, extras }, view, context),
    phases: [...(extras?.before ?? []).map(({ name }) => name), ...phasesOf(panel, context)],
    question: brief?.question ?? QUESTION_MISSING,
    options: input.optionIds.map(nameOf),
    createdAt: view.createdAt,
    at: view.at,
    deadlineAt: deadlineOf(view),
    seats: input.seats.map((seat) => seatView(seat, view, context)),
    turns: turns.map((turn) => turnView(turn, { panel, context, blobs, turnTimes, at: view.at })),
    ballots: ballots.map((ballot) => ballotView(ballot, nameOf)),
    tally: context.tally === null ? null : createTallyView(context.tally, input.optionIds, nameOf),
    decision: createDecisionView(context, ballots, nameOf),
    cost: costView(context),
    details:
      brief === undefined ? null : (extras?.details({ brief, context, view, blobs }) ?? null),
  };
}

function findBrief(
  panel: PanelDefinition,
  blobs: BlobStore,
  briefSha: string,
): PanelBrief | undefined {
  return blobs.get(briefSha) === undefined ? undefined : loadBrief(panel, blobs, briefSha);
}

function phasesOf({ phases }: PanelDefinition, { input }: PanelContext): readonly string[] {
  const isInRound = (phase: (typeof phases)[number]) => phase.by === 'seats' && phase.inRound;
  const first = phases.findIndex(isInRound);
  const ofRound = phases.filter(isInRound);
  const rounds = Array.from({ length: input.maxRounds }, (_, at) =>
    ofRound.map(({ name }) => `${name} ${at + 1}`),
  ).flat();
  const names = phases.flatMap((phase, place) => {
    if (place === first) return rounds;
    return isInRound(phase) ? [] : [phase.name];
  });
  return [...names, 'count', 'end'];
}

/** Returns the deadline; `null` before the seats begin. */
function deadlineOf({ timers }: View): number | null {
  return timers.find(({ event: { type } }) => type.includes(DEADLINE_TIMER))?.due ?? null;
}

function phaseOf(
  { panel, extras }: PanelWithExtras,
  { value }: View,
  { round }: PanelContext,
): string {
  const before = extras?.before?.find(({ state }) => state === value);
  if (before !== undefined) return before.name;
  if (value === 'tallying' || value === 'sealing') return 'count';
  const inner = typeof value === 'string' ? undefined : Object.values(value as object)[0];
  const phase = panel.phases.find(({ state }) => state === inner);
  if (phase === undefined) return 'end';
  return phase.by === 'seats' && phase.inRound === true ? `${phase.name} ${round}` : phase.name;
}

function seatView(seat: Seat, view: View, context: PanelContext): PanelSeat {
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
  // An effect without an attempt waits for model capacity.
  if (running !== undefined) return running.attempt === 0 ? 'waiting' : 'speaking';
  const last = turns.findLast((turn) => turn.seatId === seatId);
  const isOfNow = last?.phase === phase && (last.round === 0 || last.round === round);
  if (last === undefined || !isOfNow) return 'waiting';
  return last.status === 'ok' ? 'spoken' : 'failed';
}

function turnView(
  turn: Turn,
  o: {
    readonly panel: PanelDefinition;
    readonly context: PanelContext;
    readonly blobs: BlobStore;
    readonly turnTimes: ReadonlyMap<string, number>;
    readonly at: number;
  },
): PanelTurn {
  const { seatId, phase, round, status, argumentSha, detail } = turn;
  const isSecret = isSecretPhase(o.panel, phase) && o.context.tally === null;
  const kept = argumentSha === undefined ? undefined : o.blobs.get(argumentSha);
  const text = status === 'ok' ? (kept ?? 'The text is no longer stored.') : (detail ?? status);
  return {
    seat: seatLetter(seatId),
    phase,
    round,
    at: o.turnTimes.get(`${phase}.${round}.${seatId}`) ?? o.at,
    isOk: status === 'ok',
    text: isSecret ? '' : text,
  };
}

/** Votes stay secret until the count; on secret panels, all statements do. */
function isSecretPhase({ isSecret }: PanelDefinition, phase: string): boolean {
  return phase === BALLOT_PHASE || isSecret === true;
}

function ballotView(ballot: Ballot, nameOf: (optionId: string) => string): PanelBallot {
  const { seatId, ranking, confidence, reason, source } = ballot;
  return {
    seat: seatLetter(seatId),
    round: 0,
    ranking: ranking.map(nameOf),
    confidence: source === 'vote' ? confidence : null,
    reason,
  };
}

function costView({ input, turns }: PanelContext): PanelCost {
  const { budgetMicroUsd } = input;
  return {
    microUsd: sumPanelCosts(turns).spentMicroUsd,
    budgetMicroUsd: budgetMicroUsd === '0' ? null : budgetMicroUsd,
    tokensIn: turns.reduce((sum, { usage }) => sum + usage.input, 0),
    tokensOut: turns.reduce((sum, { usage }) => sum + usage.output, 0),
    turns: turns.length,
  };
}
