import { z } from 'zod';
import { computeMerkleRoot } from './merkle.ts';
import { Ballot, Counting, Seat, Turn } from './records.ts';

/** Version of the transcript format. It changes whenever the root is computed differently. */
export const TRANSCRIPT_FORMAT = 'stoa.panel/1';

/** A plain JSON object. */
const Content = z.record(z.string(), z.unknown());

/** All turns and ballots with the rules of the count. Texts are next to their hashes. */
export const Transcript = z.object({
  format: z.literal(TRANSCRIPT_FORMAT),
  /** The kind of panel. */
  kind: z.string().default('debate'),
  job_id: z.string(),
  /** False while turns are pending. */
  is_final: z.boolean(),
  brief: Content.nullable(),
  seats: z.array(Seat),
  turns: z.array(Turn.extend({ argument: z.string().nullable(), content: Content.optional() })),
  ballots: z.array(Ballot),
  rules: z.object({
    seats: z.number(),
    option_ids: z.array(z.string()),
    chair_seat_id: z.string(),
    devil_seat_id: z.string().nullable(),
    tie_default: z.string(),
    counting: Counting.optional(),
    seed: z.string(),
    /** Rules of the caller for this panel. */
    policy: z.record(z.string(), z.array(z.string())).optional(),
  }),
  /** Results of code phases, by phase. */
  notes: z.record(z.string(), Content).optional(),
  /** Result of the count; `null` if nothing was counted. */
  decision: z
    .object({ winner: z.string().nullable(), rule: z.string().nullable(), forced: z.boolean() })
    .nullish(),
  /** See {@link computeTranscriptRoot}; `null` before the end. */
  root: z.string().nullable(),
});
/** A transcript of a panel. */
export type Transcript = z.infer<typeof Transcript>;

/**
 * Returns the Merkle root over the turns in order of completion, the ballots in seat order, and the
 * results of code phases in phase order, each as canonical JSON. Turns contain the hashes of their
 * texts, so the texts are bound too.
 */
export function computeTranscriptRoot(
  turns: readonly Turn[],
  ballots: readonly Ballot[],
  notes: Readonly<Record<string, unknown>> = {},
): string {
  const computed = Object.entries(notes).map(([phase, content]) => ({ phase, content }));
  return computeMerkleRoot([...turns, ...ballots, ...computed]);
}

/** Recomputes the root of a transcript from its turns, ballots and notes. */
export function recomputeRoot(transcript: Transcript): string {
  return computeTranscriptRoot(
    transcript.turns.map(({ argument: _argument, content: _content, ...turn }) => turn),
    transcript.ballots,
    transcript.notes,
  );
}
