import { z } from 'zod';
import { merkleRoot } from './merkle.ts';
import { Ballot, DebateBrief, Seat, Turn } from './records.ts';

/** The name of the transcript's form; it changes when the root is made in another way. */
export const TRANSCRIPT_FORMAT = 'stoa.panel/1';

/** Everything that was said, with what the count went by. Arguments stand beside their hashes. */
export const Transcript = z.object({
  format: z.literal(TRANSCRIPT_FORMAT),
  job_id: z.string(),
  /** False while turns are still to come. */
  is_final: z.boolean(),
  brief: DebateBrief.nullable(),
  seats: z.array(Seat),
  turns: z.array(Turn.extend({ argument: z.string().nullable() })),
  ballots: z.array(Ballot),
  rules: z.object({
    seats: z.number(),
    option_ids: z.array(z.string()),
    chair_seat_id: z.string(),
    devil_seat_id: z.string().nullable(),
    tie_default: z.string(),
    seed: z.string(),
  }),
  /** See {@link transcriptRoot}; `null` before the end. */
  root: z.string().nullable(),
});
/** See {@link Transcript}. */
export type Transcript = z.infer<typeof Transcript>;

/**
 * Merkle root over the turns in the order in which they finished, then the ballots in seat order,
 * each as canonical JSON. Turns name their arguments by hash, so texts are bound as well.
 */
export function transcriptRoot(turns: readonly Turn[], ballots: readonly Ballot[]): string {
  return merkleRoot([...turns, ...ballots]);
}

/** Recomputes the root of a transcript from its own turns and ballots. */
export function rootOfTranscript(transcript: Transcript): string {
  return transcriptRoot(
    transcript.turns.map(({ argument: _argument, ...turn }) => turn),
    transcript.ballots,
  );
}
