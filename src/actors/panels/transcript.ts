import type { DebateBrief } from '../../domain/debate/records.ts';
import type { Ballot, PanelInput, Turn } from '../../domain/panel/records.ts';
import { TRANSCRIPT_FORMAT, type Transcript } from '../../domain/panel/transcript.ts';
import type { BlobStore } from '../../domain/ports/blob-store.ts';

/** What a transcript is written from. */
export interface TranscriptFacts {
  readonly input: PanelInput;
  readonly turns: readonly Turn[];
  /** With their reasons, see {@link ballotsWithReasons}. */
  readonly ballots: readonly Ballot[];
}

/**
 * Writes a transcript.
 *
 * @param o.root - `null` while turns are still to come.
 */
export function transcriptOf(
  { input, turns, ballots }: TranscriptFacts,
  o: {
    readonly blobs: BlobStore;
    readonly brief: DebateBrief | null;
    readonly root: string | null;
  },
): Transcript {
  return {
    format: TRANSCRIPT_FORMAT,
    job_id: input.jobId,
    is_final: o.root !== null,
    brief: o.brief,
    seats: input.seats,
    turns: turns.map((turn) => ({ ...turn, argument: textOf(o.blobs, turn.argumentSha) })),
    ballots: [...ballots],
    rules: {
      seats: input.seats.length,
      option_ids: input.optionIds,
      chair_seat_id: input.chairSeatId,
      devil_seat_id: input.devilSeatId ?? null,
      tie_default: input.tieDefault,
      seed: input.seed,
    },
    root: o.root,
  };
}

/** Gives ballots the reasons that stand in their vote turns. */
export function ballotsWithReasons(
  ballots: readonly Ballot[],
  turns: readonly Turn[],
  blobs: BlobStore,
): readonly Ballot[] {
  return ballots.map((ballot) => {
    if (ballot.source !== 'vote') return ballot;
    const vote = turns.find((turn) => turn.phase === 'vote' && turn.seatId === ballot.seatId);
    return { ...ballot, reason: textOf(blobs, vote?.argumentSha) ?? '' };
  });
}

function textOf(blobs: BlobStore, sha: string | undefined): string | null {
  return sha === undefined ? null : (blobs.get(sha) ?? null);
}
