import type { BlobStore } from '../../domain/common/blob-store.ts';
import { isObject, type JsonObject } from '../../domain/common/json.ts';
import type { PanelBrief, PanelNotes, SpokenTurn } from '../../domain/panel/definition.ts';
import {
  BALLOT_PHASE,
  type Ballot,
  type PanelInput,
  type Turn,
} from '../../domain/panel/records.ts';
import type { Tally } from '../../domain/panel/tally.ts';
import { TRANSCRIPT_FORMAT, type Transcript } from '../../domain/panel/transcript.ts';

/** Inputs of a transcript. */
export interface TranscriptFacts {
  readonly kind: string;
  readonly input: PanelInput;
  readonly turns: readonly Turn[];
  /** Includes reasons; see {@link addBallotReasons}. */
  readonly ballots: readonly Ballot[];
  readonly tally: Tally | null;
  /** Computed notes; empty for panels that do not compute. */
  readonly notes: PanelNotes;
}

/**
 * Builds a transcript.
 *
 * @param o.root - `null` while turns are still missing.
 */
export function createTranscript(
  { kind, input, turns, ballots, tally, notes }: TranscriptFacts,
  o: {
    readonly blobs: BlobStore;
    readonly brief: PanelBrief | null;
    readonly root: string | null;
  },
): Transcript {
  return {
    format: TRANSCRIPT_FORMAT,
    kind,
    job_id: input.jobId,
    is_final: o.root !== null,
    brief: o.brief === null ? null : { ...o.brief },
    seats: input.seats,
    turns: turns.map((turn) => createTranscriptTurn(turn, o.blobs)),
    ballots: [...ballots],
    rules: {
      seats: input.seats.length,
      option_ids: input.optionIds,
      chair_seat_id: input.chairSeatId,
      devil_seat_id: input.devilSeatId ?? null,
      tie_default: input.tieDefault,
      ...(input.counting === undefined ? {} : { counting: input.counting }),
      seed: input.seed,
      ...(input.policy === undefined ? {} : { policy: input.policy }),
    },
    ...(Object.keys(notes).length === 0 ? {} : { notes }),
    decision: decisionOf(tally),
    root: o.root,
  };
}

/** Adds the reasons from the vote turns to the ballots. */
export function addBallotReasons(
  ballots: readonly Ballot[],
  turns: readonly Turn[],
  blobs: BlobStore,
): readonly Ballot[] {
  return ballots.map((ballot) => {
    if (ballot.source !== 'vote') return ballot;
    const vote = turns.find((turn) => turn.phase === BALLOT_PHASE && turn.seatId === ballot.seatId);
    return { ...ballot, reason: textOf(blobs, vote?.argumentSha) ?? '' };
  });
}

/** Adds the texts to the turns. */
export function addTurnTexts(turns: readonly Turn[], blobs: BlobStore): readonly SpokenTurn[] {
  return turns.map((turn) => ({
    ...turn,
    argument: textOf(blobs, turn.argumentSha),
    content: contentOf(blobs, turn.contentSha),
  }));
}

function createTranscriptTurn(turn: Turn, blobs: BlobStore): Transcript['turns'][number] {
  const content = contentOf(blobs, turn.contentSha);
  const argument = textOf(blobs, turn.argumentSha);
  return { ...turn, argument, ...(content === null ? {} : { content }) };
}

function decisionOf(tally: Tally | null): Transcript['decision'] {
  if (tally === null) return null;
  const { winner, rule, forced } = tally;
  return { winner, rule, forced };
}

function textOf(blobs: BlobStore, sha: string | undefined): string | null {
  return sha === undefined ? null : (blobs.get(sha) ?? null);
}

function contentOf(blobs: BlobStore, sha: string | undefined): JsonObject | null {
  const text = textOf(blobs, sha);
  const value: unknown = text === null ? null : JSON.parse(text);
  return isObject(value) ? (value as JsonObject) : null;
}
