import type { TurnOrder } from '../../domain/panel/order.ts';
import type { DebateBrief } from '../../domain/debate/records.ts';
import { costReport, debateResult, named } from '../../domain/debate/report.ts';
import { DebateResult, type DebateState, type NeededTurn } from '../../domain/debate/result.ts';
import { countFamilies } from '../../domain/debate/seating.ts';
import { Transcript } from '../../domain/panel/transcript.ts';
import { countPositions } from '../../domain/panel/view.ts';
import { AppError } from '../../domain/error.ts';
import type { BlobStore } from '../../domain/ports/blob-store.ts';
import { plannedTurns } from '../../machines/parts/panel-context.ts';
import type { ActorEngine, EffectRow } from '../../runtime/types.ts';
import { type DebateView, viewDebate } from './debate-view.ts';
import { loadBrief, loadText, promptOf } from './prompt.ts';
import { ballotsWithReasons, transcriptOf } from './transcript.ts';

/** When to ask again: an agent that is asked for turns sets its own pace. */
const POLL_AFTER_MS = 2_000;

/** What reading needs. */
export interface ReadDeps {
  readonly engine: ActorEngine;
  readonly blobs: BlobStore;
}

/**
 * Reads a debate at any moment: state, phase, cost so far, and the result when there is one.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function readDebate(deps: ReadDeps, jobId: string): Promise<DebateState> {
  return stateOf(await viewDebate(deps.engine, jobId), deps.blobs);
}

/** Words the state of a debate from its view. */
export function stateOf(view: DebateView, blobs: BlobStore): DebateState {
  const { input, turns, round } = view.context;
  const brief = loadBrief(blobs, input.briefSha);
  const needed = neededTurns(view, { brief, blobs });
  const result = resultOf(view, { brief, blobs });
  return {
    job_id: view.id,
    status: result?.outcome ?? (needed.length > 0 ? 'needs_turns' : 'working'),
    phase: phaseOf(view),
    round,
    max_rounds: input.maxRounds,
    seats: input.seats.length,
    turns_done: turns.length,
    turns_planned: plannedTurns(input),
    mode: input.mode,
    families: countFamilies(input.seats),
    positions: positionsOf(view, brief),
    cost: costReport(input, turns),
    transcript_uri: transcriptUri(view.id),
    ...(result === undefined ? { poll_after_ms: POLL_AFTER_MS } : { result }),
    ...(needed.length > 0 ? { needs_turns: needed } : {}),
  };
}

/** Where a debate's transcript is read, by whoever holds the job id. */
export function transcriptUri(jobId: string): string {
  return `panel://${jobId}/transcript`;
}

/**
 * Reads a transcript: the sealed one, or before the end what there is so far.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function readTranscript(deps: ReadDeps, jobId: string): Promise<Transcript> {
  const { context } = await viewDebate(deps.engine, jobId);
  const { blobs } = deps;
  if (context.sealed !== null) {
    return Transcript.parse(JSON.parse(loadText(blobs, context.sealed.transcriptSha)));
  }
  const ballots = ballotsWithReasons(context.ballots, context.turns, blobs);
  const brief = loadBrief(blobs, context.input.briefSha);
  return transcriptOf({ ...context, ballots }, { blobs, brief, root: null });
}

/** The open turns of seats that the caller's agent fills. */
export function openCallerTurns(
  view: DebateView,
): readonly { readonly row: EffectRow; readonly order: TurnOrder }[] {
  return view.effects
    .filter((row) => row.src === 'turn')
    .map((row) => ({ row, order: row.input as TurnOrder }))
    .filter(({ order }) => order.seat.kind === 'caller');
}

function neededTurns(view: DebateView, o: { brief: DebateBrief; blobs: BlobStore }): NeededTurn[] {
  return openCallerTurns(view).map(({ row, order }) => {
    const { system, prompt, schema } = promptOf(order, { ...o, models: [] });
    return { turn_id: row.childId, system, prompt, schema: schema.jsonSchema };
  });
}

function resultOf(
  { status, context }: DebateView,
  { brief, blobs }: { brief: DebateBrief; blobs: BlobStore },
): DebateResult | undefined {
  if (status === 'active' || status === 'stuck') return undefined;
  const isKept = context.sealed !== null && context.outcome !== 'failed';
  if (isKept) return DebateResult.parse(JSON.parse(loadText(blobs, context.sealed.resultSha)));
  const isStopped = status !== 'done' || context.outcome === null;
  return debateResult({
    ...context,
    outcome: isStopped ? 'failed' : context.outcome,
    reason: isStopped ? 'The operator stopped it.' : context.reason,
    ballots: ballotsWithReasons(context.ballots, context.turns, blobs),
    options: brief.options,
    transcriptRoot: null,
  });
}

function positionsOf({ context }: DebateView, { options }: DebateBrief): DebateState['positions'] {
  const { turns, input } = context;
  const counts = countPositions({
    turns,
    seatIds: input.seats.map((seat) => seat.seatId),
    optionIds: input.optionIds,
    devilSeatId: input.devilSeatId,
    seed: input.seed,
  });
  return Object.entries(counts)
    .filter(([, seats]) => seats > 0)
    .map(([optionId, seats]) => ({ ...named(options, optionId), seats }))
    .sort((left, right) => right.seats - left.seats);
}

/** The innermost state, such as `rebuttal`; `stuck` waits for the operator. */
function phaseOf({ status, value }: DebateView): string {
  if (status === 'stuck') return 'stuck';
  if (typeof value === 'string') return value;
  const [inner] = Object.values(value as Record<string, unknown>);
  if (typeof inner === 'string') return inner;
  throw new AppError('INVARIANT', { message: 'a debate nests its states at most once' });
}
