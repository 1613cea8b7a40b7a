import type { BlobStore } from '../../domain/common/blob-store.ts';
import { AppError } from '../../domain/common/error.ts';
import type { PanelBrief, PanelDefinition, PanelResult } from '../../domain/panel/definition.ts';
import type { TurnOrder } from '../../domain/panel/order.ts';
import { countPositions } from '../../domain/panel/peer-view.ts';
import { countPlannedTurns } from '../../domain/panel/plan.ts';
import { BALLOT_PHASE } from '../../domain/panel/records.ts';
import { buildCostReport, namedOption } from '../../domain/panel/report.ts';
import type { NeededTurn, PanelState } from '../../domain/panel/result.ts';
import { countFamilies, seatLetter } from '../../domain/panel/seating.ts';
import { Transcript } from '../../domain/panel/transcript.ts';
import { listNoteHashes } from '../../machines/panel/panel-context.ts';
import type { EffectRow } from '../../runtime/engine/types.ts';
import type { Services } from '../common/services.ts';
import { type PanelJob, readPanelJob } from './panel-view.ts';
import { addBallotReasons, addTurnTexts, createTranscript } from './transcript.ts';
import { createPrompt, loadBrief, loadNotes, loadText } from './turn-prompt.ts';

/** Suggested polling interval in milliseconds. An agent that supplies turns sets its own pace. */
const POLL_AFTER_MS = 2_000;

/** Dependencies for reading panels. */
export interface PanelReadDeps extends Pick<Services, 'blobs' | 'engine'> {
  /** Known panels. Default: all. */
  readonly panels?: readonly PanelDefinition[];
}

/** Returns the public state of a panel: status, phase, cost so far, and the result if any. */
export function createPanelState(view: PanelJob, blobs: BlobStore): PanelState {
  const { panel, context } = view;
  const { input, turns, round } = context;
  const brief = loadBrief(panel, blobs, input.briefSha);
  const needed = neededTurns(view, { brief, blobs });
  const result = readResult(view, { brief, blobs });
  return {
    job_id: view.id,
    kind: panel.kind,
    status: result?.outcome ?? (needed.length > 0 ? 'needs_turns' : 'working'),
    phase: phaseOf(view),
    round,
    max_rounds: input.maxRounds,
    seats: input.seats.length,
    turns_done: turns.length,
    turns_planned: countPlannedTurns(panel, input),
    mode: input.mode,
    families: countFamilies(input.seats, turns),
    positions: isHidden(view) ? [] : listPositions(view, brief),
    cost: buildCostReport(input, turns),
    transcript_uri: transcriptUri(view.id),
    ...(result === undefined ? { poll_after_ms: POLL_AFTER_MS } : { result }),
    ...(needed.length > 0 ? { needs_turns: needed } : {}),
  };
}

/** Returns the URI of a panel's transcript, readable for holders of the job id. */
export function transcriptUri(jobId: string): string {
  return `panel://${jobId}/transcript`;
}

/** A seat that voted for the winner, and its reason. */
export interface WinningReason {
  /** Role or letter of the seat. */
  readonly seat: string;
  readonly reason: string;
}

/** Returns the reason of the first ballot for the winner; `undefined` without one. */
export async function readWinningReason(
  { engine, blobs, panels }: PanelReadDeps,
  { job_id: jobId, result }: PanelState,
): Promise<WinningReason | undefined> {
  const winner = result?.winner?.option_id;
  if (winner === undefined) return undefined;
  const { context, panel } = await readPanelJob(engine, jobId, panels);
  const found = addBallotReasons(context.ballots, context.turns, blobs).find(
    ({ ranking: [first], reason }) => first === winner && reason !== '',
  );
  if (found === undefined) return undefined;
  const seat = context.input.seats.find(({ seatId }) => seatId === found.seatId);
  const name = panel.showsRoles ? seat?.role : undefined;
  return { seat: name ?? `seat ${seatLetter(found.seatId)}`, reason: found.reason };
}

/**
 * Returns the sealed transcript, or the transcript so far if the panel has not ended.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function readTranscript(deps: PanelReadDeps, jobId: string): Promise<Transcript> {
  const { context, panel } = await readPanelJob(deps.engine, jobId, deps.panels);
  const { blobs } = deps;
  if (context.sealed !== null) {
    return Transcript.parse(JSON.parse(loadText(blobs, context.sealed.transcriptSha)));
  }
  if (panel.isSecret === true) {
    const nothing = { turns: [], ballots: [], tally: null, notes: {} };
    const facts = { ...context, ...nothing, kind: panel.kind };
    return createTranscript(facts, { blobs, brief: null, root: null });
  }
  const ballots = addBallotReasons(context.ballots, context.turns, blobs);
  const brief = loadBrief(panel, blobs, context.input.briefSha);
  const notes = loadNotes(blobs, listNoteHashes(context));
  const facts = { ...context, kind: panel.kind, ballots, notes };
  return createTranscript(facts, { blobs, brief, root: null });
}

/** Returns the open turns of seats that the caller's agent fills. */
export function openCallerTurns(
  view: PanelJob,
): readonly { readonly row: EffectRow; readonly order: TurnOrder }[] {
  return view.effects
    .filter((row) => row.src === 'turn')
    .map((row) => ({ row, order: row.input as TurnOrder }))
    .filter(({ order }) => order.seat.kind === 'caller');
}

function neededTurns(
  view: PanelJob,
  o: Pick<Services, 'blobs'> & { readonly brief: PanelBrief },
): NeededTurn[] {
  return openCallerTurns(view).map(({ row, order }) => {
    const { system, prompt, schema } = createPrompt(view.panel, order, { ...o, models: [] });
    return { turn_id: row.childId, system, prompt, schema: schema.jsonSchema };
  });
}

function readResult(
  { status, context, panel }: PanelJob,
  { brief, blobs }: Pick<Services, 'blobs'> & { readonly brief: PanelBrief },
): PanelResult | undefined {
  if (status === 'active' || status === 'stuck') return undefined;
  const isKept = context.sealed !== null && context.outcome !== 'failed';
  if (isKept) return panel.result.parse(JSON.parse(loadText(blobs, context.sealed.resultSha)));
  const isStopped = status !== 'done' || context.outcome === null;
  return panel.report({
    ...context,
    outcome: isStopped ? 'failed' : context.outcome,
    reason: isStopped ? 'The operator stopped the panel.' : context.reason,
    turns: addTurnTexts(context.turns, blobs),
    ballots: addBallotReasons(context.ballots, context.turns, blobs),
    notes: loadNotes(blobs, listNoteHashes(context)),
    brief,
    transcriptRoot: null,
  });
}

function listPositions(
  { context: { input, turns, tally } }: PanelJob,
  { options }: PanelBrief,
): PanelState['positions'] {
  const counts = countPositions({
    // Ballots stay secret until they are counted.
    turns: tally === null ? turns.filter(({ phase }) => phase !== BALLOT_PHASE) : turns,
    seatIds: input.seats.map((seat) => seat.seatId),
    optionIds: input.optionIds,
    devilSeatId: input.devilSeatId,
    seed: input.seed,
  });
  return Object.entries(counts)
    .filter(([, seats]) => seats > 0)
    .map(([optionId, seats]) => ({ ...namedOption(options, optionId), seats }))
    .sort((left, right) => right.seats - left.seats);
}

/** Returns true while statements of a secret panel would reveal its decision. */
function isHidden({ panel, context }: PanelJob): boolean {
  return panel.isSecret === true && context.sealed === null;
}

/** Returns the innermost state, such as `rebuttal`; `stuck` if the panel needs the operator. */
function phaseOf({ status, value }: PanelJob): string {
  if (status === 'stuck') return 'stuck';
  if (typeof value === 'string') return value;
  const [inner] = Object.values(value as Record<string, unknown>);
  if (typeof inner === 'string') return inner;
  throw new AppError('INVARIANT', { message: 'panel states nest at most once' });
}
