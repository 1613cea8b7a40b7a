import { formatMicroUsd } from '../../domain/common/money.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { PanelDefinition, SeatPhase } from '../../domain/panel/definition.ts';
import type { AddressedTurn, PeerView, TurnOrder } from '../../domain/panel/order.ts';
import {
  countPositions,
  createOwnView,
  createPeerView,
  createWholeView,
  listAddressedTurns,
  shuffleRing,
  type ViewInput,
} from '../../domain/panel/peer-view.ts';
import { countSittingsLeft } from '../../domain/panel/plan.ts';
import { ASSIGNED_PHASE, type Seat, Turn } from '../../domain/panel/records.ts';
import { seatLetter } from '../../domain/panel/seating.ts';
import { listNoteHashes, type PanelContext, sumCharged } from './panel-context.ts';

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
  const sitting: PhaseStart = {
    panel,
    phase,
    round: phase.inRound === true ? round : 0,
    facts: createViewFacts(now, phase),
    allowanceMicroUsd: computeAllowance(panel, now, phase.inRound === true ? round : 0),
  };
  const started = selectSpeakers(now, sitting).map((seat) => {
    const id = createTurnChildId(phase.name, sitting.round, seat.seatId);
    return { id, input: createTurnInput(now, seat, sitting) };
  });
  const context = { phase: phase.name, round, pending: started.map(({ id }) => id) };
  return { context, started };
}

/** Returns the id of a turn within its panel, such as `opening.0.s3`. */
export function createTurnChildId(phase: string, round: number, seatId: string): string {
  return `${phase}.${round}.${seatId}`;
}

/** Adds the turn that an effect returned; an invalid one becomes a failed turn. */
export function recordTurn(context: PanelContext, id: string, output: unknown): PanelContext {
  const parsed = Turn.safeParse(output);
  const isExpected = parsed.success && parsed.data.turnId === createTurnId(context, id);
  const turn = isExpected
    ? parsed.data
    : createFailedTurn(context, id, 'the turn does not fit its record');
  return addTurn(context, id, turn);
}

/** Adds a failed turn for an effect that threw. */
export function recordFailure(context: PanelContext, id: string, error: unknown): PanelContext {
  const code = (error as { code?: unknown } | null)?.code;
  const detail = typeof code === 'string' ? `the turn failed (${code})` : 'the turn failed';
  return addTurn(context, id, createFailedTurn(context, id, detail));
}

/** A starting phase, with facts shared by all seats. */
interface PhaseStart {
  readonly panel: PanelDefinition;
  readonly phase: SeatPhase;
  readonly round: number;
  readonly facts: ViewInput;
  readonly allowanceMicroUsd: string;
}

function isFirstOfRound(panel: PanelDefinition, { name, inRound }: SeatPhase): boolean {
  return inRound === true && panel.phases.find(isRoundPhase)?.name === name;
}

function isRoundPhase(phase: PanelDefinition['phases'][number]): boolean {
  return phase.by === 'seats' && phase.inRound === true;
}

function selectSpeakers({ input }: PanelContext, sitting: PhaseStart): readonly Seat[] {
  if (sitting.phase.onlyAddressed !== true) return input.seats;
  return input.seats.filter(({ seatId }) => listHeardTurns(seatId, sitting, seatLetter).length > 0);
}

/** Returns the turns that a seat hears; within a round, only those of the same round. */
function listHeardTurns(
  viewer: string,
  { phase, round, facts }: PhaseStart,
  labelOf: (seatId: string) => string,
): readonly AddressedTurn[] {
  const { hears, inRound } = phase;
  if (hears === undefined) return [];
  return listAddressedTurns(facts, {
    viewer,
    phase: hears,
    labelOf,
    round: inRound === true ? round : undefined,
  });
}

function addTurn(context: PanelContext, id: string, turn: Turn): PanelContext {
  return {
    ...context,
    pending: context.pending.filter((one) => one !== id),
    turns: [...context.turns, turn],
  };
}

function createTurnId({ input }: PanelContext, id: string): string {
  return `${input.jobId}/${id.replaceAll('.', '/')}`;
}

/** Returns an equal share of the remaining budget for each planned turn. */
function computeAllowance(panel: PanelDefinition, context: PanelContext, round: number): string {
  const { input, phase } = context;
  const left = BigInt(input.budgetMicroUsd) - sumCharged(context);
  const calls = BigInt(input.seats.length * countSittingsLeft(panel, input, { phase, round }));
  return formatMicroUsd(left > 0n ? left / calls : 0n);
}

function createTurnInput(context: PanelContext, seat: Seat, sitting: PhaseStart): TurnOrder {
  const { input, phase, turns } = context;
  const { panel, round, allowanceMicroUsd } = sitting;
  const citedIds = turns
    .filter((turn) => turn.seatId === seat.seatId)
    .flatMap((turn) => turn.evidenceIds ?? []);
  const notes = listNoteHashes(context);
  return {
    turnId: createTurnId(context, createTurnChildId(phase, round, seat.seatId)),
    phase,
    round,
    seat,
    briefSha: input.briefSha,
    seed: input.seed,
    citedIds: [...new Set(citedIds)],
    allowanceMicroUsd,
    timeoutMs: Math.min(TURN_MS_MAX, Math.floor((input.deadlineMs * TURN_DEADLINE_PERCENT) / 100)),
    ...(notes === undefined ? {} : { notes }),
    ...(panel.showsRoles ? { roles: rolesBySeat(context) } : {}),
    ...createViewPart(context, seat, sitting),
  };
}

function rolesBySeat({ input }: PanelContext): Readonly<Record<string, string>> {
  return Object.fromEntries(input.seats.map(({ seatId, role }) => [seatId, role]));
}

function createViewFacts({ input, turns }: PanelContext, phase: SeatPhase): ViewInput {
  const facts = {
    turns,
    seatIds: input.seats.map((seat) => seat.seatId),
    optionIds: input.optionIds,
    devilSeatId: input.devilSeatId,
    seed: input.seed,
  };
  const counts = phase.name === ASSIGNED_PHASE ? { counts: countPositions(facts) } : {};
  return { ...facts, ring: shuffleRing(facts), ...counts };
}

function createViewPart(
  context: PanelContext,
  { seatId }: Seat,
  sitting: PhaseStart,
): Pick<TurnOrder, 'view' | 'devilAgainst'> {
  const { phase, facts } = sitting;
  const view = createView(context, seatId, sitting);
  if (view === undefined) return {};
  const isDevil = phase.name === ASSIGNED_PHASE && seatId === context.input.devilSeatId;
  return isDevil
    ? { view, devilAgainst: findLeader(facts.counts ?? countPositions(facts)) }
    : { view };
}

function createView(
  context: PanelContext,
  viewer: string,
  sitting: PhaseStart,
): PeerView | undefined {
  const { panel, phase, round, facts } = sitting;
  const roles = panel.showsRoles ? rolesBySeat(context) : undefined;
  const labelOf = (seatId: string): string => roles?.[seatId] ?? seatLetter(seatId);
  const { hears } = phase;
  const heard = hears === undefined ? {} : { heard: listHeardTurns(viewer, sitting, labelOf) };
  switch (phase.view) {
    case 'none':
      return hears === undefined ? undefined : { own: null, peers: [], ...heard };
    case 'own':
      return { ...createOwnView(facts, viewer), ...heard };
    case 'all':
      return { ...createWholeView(facts, { viewer, labelOf }), ...heard };
    case 'ring':
      return { ...createPeerView(facts, { viewer, phase: phase.name, round }), ...heard };
  }
}

function findLeader(counts: Readonly<Record<string, number>>): string {
  const [leader] = Object.entries(counts).sort(([, left], [, right]) => right - left);
  return leader?.[0] ?? '';
}

function createFailedTurn(context: PanelContext, id: string, detail: string): Turn {
  const [phase = '', round, seatId = ''] = id.split('.');
  return {
    turnId: createTurnId(context, id),
    phase,
    round: Number(round),
    seatId,
    status: 'provider_error',
    attempts: 1,
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, source: 'none' },
    // The cost of a failed model turn is unknown, not zero.
    costMicroUsd: seatKindOf(context, seatId) === 'llm' ? null : '0',
    priceSource: 'none',
    ms: 0,
    promptSha: '',
    outputSha: '',
    requestId: null,
    detail,
  };
}

function seatKindOf({ input }: PanelContext, seatId: string): Seat['kind'] | undefined {
  return input.seats.find((seat) => seat.seatId === seatId)?.kind;
}
