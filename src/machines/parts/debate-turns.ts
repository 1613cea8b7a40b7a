import type { TurnOrder } from '../../domain/debate/order.ts';
import { type Seat, Turn, type TurnPhase } from '../../domain/debate/records.ts';
import { countPositions, peerView, ringOf, type ViewFacts } from '../../domain/debate/view.ts';
import { toText } from '../../domain/money.ts';
import { SECOND_MS } from '../../domain/time.ts';
import { chargedSoFar, type DebateContext, phasesLeft } from './debate-context.ts';

/** A turn may take this long at the most, and never more than this share of the deadline. */
const TURN_MS_MAX = 90 * SECOND_MS;
const TURN_DEADLINE_PERCENT = 40;

/** A turn to be begun: the child's id and its input. */
export interface StartedTurn {
  readonly id: string;
  readonly input: TurnOrder;
}

/** The context at the beginning of a phase, and the turns that begin with it. */
export function beginPhase(
  before: DebateContext,
  phase: TurnPhase,
): { readonly context: Partial<DebateContext>; readonly started: readonly StartedTurn[] } {
  const round = phase === 'rebuttal' ? before.round + 1 : before.round;
  const now: DebateContext = { ...before, phase, round };
  const allowanceMicroUsd = allowance(now);
  const facts = viewFacts(now);
  const started = now.input.seats.map((seat) => {
    const id = childId(phase, phase === 'rebuttal' ? round : 0, seat.seatId);
    return {
      id,
      input: { ...turnOrder(now, seat, allowanceMicroUsd), ...viewPart(now, seat, facts) },
    };
  });
  return { context: { phase, round, pending: started.map(({ id }) => id) }, started };
}

/** Id of a turn within its panel, such as `opening.0.s3`. */
export function childId(phase: TurnPhase, round: number, seatId: string): string {
  return `${phase}.${round}.${seatId}`;
}

/** Adds the turn that an effect brought; one that does not fit becomes a failed turn. */
export function recordTurn(context: DebateContext, id: string, output: unknown): DebateContext {
  const parsed = Turn.safeParse(output);
  const isIts = parsed.success && parsed.data.turnId === turnIdOf(context, id);
  const turn = isIts ? parsed.data : failedTurn(context, id, 'the turn does not fit its record');
  return withTurn(context, id, turn);
}

/** Adds a failed turn for an effect that ended with an error. */
export function recordFailure(context: DebateContext, id: string, error: unknown): DebateContext {
  const code = (error as { code?: unknown } | null)?.code;
  const detail = typeof code === 'string' ? `the turn failed (${code})` : 'the turn failed';
  return withTurn(context, id, failedTurn(context, id, detail));
}

function withTurn(context: DebateContext, id: string, turn: Turn): DebateContext {
  return {
    ...context,
    pending: context.pending.filter((one) => one !== id),
    turns: [...context.turns, turn],
  };
}

function turnIdOf({ input }: DebateContext, id: string): string {
  return `${input.jobId}/${id.replaceAll('.', '/')}`;
}

/** An equal share of what is left for each turn still planned, so that all together fit. */
function allowance(context: DebateContext): string {
  const left = BigInt(context.input.budgetMicroUsd) - chargedSoFar(context);
  const calls = BigInt(context.input.seats.length * phasesLeft(context));
  return toText(left > 0n ? left / calls : 0n);
}

function turnOrder(context: DebateContext, seat: Seat, allowanceMicroUsd: string): TurnOrder {
  const { input, phase, turns } = context;
  const round = phase === 'rebuttal' ? context.round : 0;
  const citedIds = turns
    .filter((turn) => turn.seatId === seat.seatId)
    .flatMap((turn) => turn.evidenceIds ?? []);
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
  };
}

function viewFacts({ input, turns, phase }: DebateContext): ViewFacts {
  const facts = {
    turns,
    seatIds: input.seats.map((seat) => seat.seatId),
    optionIds: input.optionIds,
    devilSeatId: input.devilSeatId,
    seed: input.seed,
  };
  const counts = phase === 'rebuttal' ? { counts: countPositions(facts) } : {};
  return { ...facts, ring: ringOf(facts), ...counts };
}

function viewPart(
  { input, phase, round }: DebateContext,
  { seatId }: Seat,
  facts: ViewFacts,
): Pick<TurnOrder, 'view' | 'devilAgainst'> {
  if (phase === 'opening') return {};
  const view = peerView(facts, { viewer: seatId, phase, round: phase === 'vote' ? 0 : round });
  const isDevil = phase === 'rebuttal' && seatId === input.devilSeatId;
  return isDevil
    ? { view, devilAgainst: leaderOf(facts.counts ?? countPositions(facts)) }
    : { view };
}

function leaderOf(counts: Readonly<Record<string, number>>): string {
  const [leader] = Object.entries(counts).sort(([, left], [, right]) => right - left);
  return leader?.[0] ?? '';
}

function failedTurn(context: DebateContext, id: string, detail: string): Turn {
  const [phase, round, seatId = ''] = id.split('.');
  return {
    turnId: turnIdOf(context, id),
    phase: phase as TurnPhase,
    round: Number(round),
    seatId,
    status: 'provider_error',
    attempts: 1,
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, source: 'none' },
    // Nothing is known of a turn that broke: for a model that is an unknown price, not a free one.
    costMicroUsd: kindOf(context, seatId) === 'llm' ? null : '0',
    priceSource: 'none',
    ms: 0,
    promptSha: '',
    outputSha: '',
    requestId: null,
    detail,
  };
}

function kindOf({ input }: DebateContext, seatId: string): Seat['kind'] | undefined {
  return input.seats.find((seat) => seat.seatId === seatId)?.kind;
}
