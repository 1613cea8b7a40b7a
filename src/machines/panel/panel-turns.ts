import { toText } from '../../domain/common/money.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { PanelDefinition, SeatPhase } from '../../domain/panel/definition.ts';
import type { HeardTurn, PeerView, TurnOrder } from '../../domain/panel/order.ts';
import { sittingsLeft } from '../../domain/panel/plan.ts';
import { ASSIGNED_PHASE, type Seat, Turn } from '../../domain/panel/records.ts';
import { seatLetter } from '../../domain/panel/seating.ts';
import {
  countPositions,
  heardBy,
  ownView,
  peerView,
  ringOf,
  type ViewFacts,
  wholeView,
} from '../../domain/panel/view.ts';
import { chargedSoFar, noteShas, type PanelContext } from './panel-context.ts';

/** Maximum duration of a turn, and its maximum percentage of the deadline. */
const TURN_MS_MAX = 90 * SECOND_MS;
const TURN_DEADLINE_PERCENT = 40;

/** A turn to start: the child's id and input. */
export interface StartedTurn {
  readonly id: string;
  readonly input: TurnOrder;
}

/** Returns the context at the start of a phase, and the turns that start with it. */
export function beginPhase(
  panel: PanelDefinition,
  before: PanelContext,
  phase: SeatPhase,
): { readonly context: Partial<PanelContext>; readonly started: readonly StartedTurn[] } {
  const round = isFirstOfRound(panel, phase) ? before.round + 1 : before.round;
  const now: PanelContext = { ...before, phase: phase.name, round };
  const sitting: Sitting = {
    panel,
    phase,
    round: phase.inRound === true ? round : 0,
    facts: viewFacts(now, phase),
    allowanceMicroUsd: allowance(panel, now, phase.inRound === true ? round : 0),
  };
  const started = speakersOf(now, sitting).map((seat) => {
    const id = childId(phase.name, sitting.round, seat.seatId);
    return { id, input: turnOrder(now, seat, sitting) };
  });
  const context = { phase: phase.name, round, pending: started.map(({ id }) => id) };
  return { context, started };
}

/** Returns the id of a turn within its panel, such as `opening.0.s3`. */
export function childId(phase: string, round: number, seatId: string): string {
  return `${phase}.${round}.${seatId}`;
}

/** Adds the turn that an effect returned; an invalid one becomes a failed turn. */
export function recordTurn(context: PanelContext, id: string, output: unknown): PanelContext {
  const parsed = Turn.safeParse(output);
  const isIts = parsed.success && parsed.data.turnId === turnIdOf(context, id);
  const turn = isIts ? parsed.data : failedTurn(context, id, 'the turn does not fit its record');
  return withTurn(context, id, turn);
}

/** Adds a failed turn for an effect that threw. */
export function recordFailure(context: PanelContext, id: string, error: unknown): PanelContext {
  const code = (error as { code?: unknown } | null)?.code;
  const detail = typeof code === 'string' ? `the turn failed (${code})` : 'the turn failed';
  return withTurn(context, id, failedTurn(context, id, detail));
}

/** A starting phase, with facts shared by all seats. */
interface Sitting {
  readonly panel: PanelDefinition;
  readonly phase: SeatPhase;
  readonly round: number;
  readonly facts: ViewFacts;
  readonly allowanceMicroUsd: string;
}

function isFirstOfRound(panel: PanelDefinition, { name, inRound }: SeatPhase): boolean {
  return inRound === true && panel.phases.find(inRoundOf)?.name === name;
}

function inRoundOf(phase: PanelDefinition['phases'][number]): boolean {
  return phase.by === 'seats' && phase.inRound === true;
}

function speakersOf({ input }: PanelContext, sitting: Sitting): readonly Seat[] {
  if (sitting.phase.onlyAddressed !== true) return input.seats;
  return input.seats.filter(({ seatId }) => hearing(seatId, sitting, seatLetter).length > 0);
}

/** Returns the turns that a seat hears; within a round, only those of the same round. */
function hearing(
  viewer: string,
  { phase, round, facts }: Sitting,
  labelOf: (seatId: string) => string,
): readonly HeardTurn[] {
  const { hears, inRound } = phase;
  if (hears === undefined) return [];
  return heardBy(facts, {
    ...{ viewer, phase: hears, labelOf },
    round: inRound === true ? round : undefined,
  });
}

function withTurn(context: PanelContext, id: string, turn: Turn): PanelContext {
  return {
    ...context,
    pending: context.pending.filter((one) => one !== id),
    turns: [...context.turns, turn],
  };
}

function turnIdOf({ input }: PanelContext, id: string): string {
  return `${input.jobId}/${id.replaceAll('.', '/')}`;
}

/** Returns an equal share of the remaining budget for each planned turn. */
function allowance(panel: PanelDefinition, context: PanelContext, round: number): string {
  const { input, phase } = context;
  const left = BigInt(input.budgetMicroUsd) - chargedSoFar(context);
  const calls = BigInt(input.seats.length * sittingsLeft(panel, input, { phase, round }));
  return toText(left > 0n ? left / calls : 0n);
}

function turnOrder(context: PanelContext, seat: Seat, sitting: Sitting): TurnOrder {
  const { input, phase, turns } = context;
  const { panel, round, allowanceMicroUsd } = sitting;
  const citedIds = turns
    .filter((turn) => turn.seatId === seat.seatId)
    .flatMap((turn) => turn.evidenceIds ?? []);
  const notes = noteShas(context);
  return {
    turnId: turnIdOf(context, childId(phase, round, seat.seatId)),
    phase,
    round,
    seat,
    briefSha: input.briefSha,
    seed: input.seed,
    citedIds: [...new Set(citedIds)],
    allowanceMicroUsd,
    timeoutMs: Math.min(TURN_MS_MAX, Math.floor((input.deadlineMs * TURN_DEADLINE_PERCENT) / 100)),
    ...(notes === undefined ? {} : { notes }),
    ...(panel.showsRoles ? { roles: rolesOf(context) } : {}),
    ...viewPart(context, seat, sitting),
  };
}

function rolesOf({ input }: PanelContext): Readonly<Record<string, string>> {
  return Object.fromEntries(input.seats.map(({ seatId, role }) => [seatId, role]));
}

function viewFacts({ input, turns }: PanelContext, phase: SeatPhase): ViewFacts {
  const facts = {
    turns,
    seatIds: input.seats.map((seat) => seat.seatId),
    optionIds: input.optionIds,
    devilSeatId: input.devilSeatId,
    seed: input.seed,
  };
  const counts = phase.name === ASSIGNED_PHASE ? { counts: countPositions(facts) } : {};
  return { ...facts, ring: ringOf(facts), ...counts };
}

function viewPart(
  context: PanelContext,
  { seatId }: Seat,
  sitting: Sitting,
): Pick<TurnOrder, 'view' | 'devilAgainst'> {
  const { phase, facts } = sitting;
  const view = viewOf(context, seatId, sitting);
  if (view === undefined) return {};
  const isDevil = phase.name === ASSIGNED_PHASE && seatId === context.input.devilSeatId;
  return isDevil
    ? { view, devilAgainst: leaderOf(facts.counts ?? countPositions(facts)) }
    : { view };
}

function viewOf(context: PanelContext, viewer: string, sitting: Sitting): PeerView | undefined {
  const { panel, phase, round, facts } = sitting;
  const roles = panel.showsRoles ? rolesOf(context) : undefined;
  const labelOf = (seatId: string): string => roles?.[seatId] ?? seatLetter(seatId);
  const { hears } = phase;
  const heard = hears === undefined ? {} : { heard: hearing(viewer, sitting, labelOf) };
  switch (phase.view) {
    case 'none':
      return hears === undefined ? undefined : { own: null, peers: [], ...heard };
    case 'own':
      return { ...ownView(facts, viewer), ...heard };
    case 'all':
      return { ...wholeView(facts, { viewer, labelOf }), ...heard };
    case 'ring':
      return { ...peerView(facts, { viewer, phase: phase.name, round }), ...heard };
  }
}

function leaderOf(counts: Readonly<Record<string, number>>): string {
  const [leader] = Object.entries(counts).sort(([, left], [, right]) => right - left);
  return leader?.[0] ?? '';
}

function failedTurn(context: PanelContext, id: string, detail: string): Turn {
  const [phase = '', round, seatId = ''] = id.split('.');
  return {
    turnId: turnIdOf(context, id),
    phase,
    round: Number(round),
    seatId,
    status: 'provider_error',
    attempts: 1,
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, source: 'none' },
    // The cost of a failed model turn is unknown, not zero.
    costMicroUsd: kindOf(context, seatId) === 'llm' ? null : '0',
    priceSource: 'none',
    ms: 0,
    promptSha: '',
    outputSha: '',
    requestId: null,
    detail,
  };
}

function kindOf({ input }: PanelContext, seatId: string): Seat['kind'] | undefined {
  return input.seats.find((seat) => seat.seatId === seatId)?.kind;
}
