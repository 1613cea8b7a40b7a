import { z } from 'zod';
import { merkleRoot } from './merkle.ts';
import { Ballot, Counting, Seat, Turn } from './records.ts';

/** The name of the transcript's form; it changes when the root is made in another way. */
export const TRANSCRIPT_FORMAT = 'stoa.panel/1';

/** Any plain JSON object. */
const Content = z.record(z.string(), z.unknown());

/** Everything that was said, with what the count went by. Texts stand beside their hashes. */
export const Transcript = z.object({
  format: z.literal(TRANSCRIPT_FORMAT),
  /** The kind of panel. */
  kind: z.string().default('debate'),
  job_id: z.string(),
  /** False while turns are still to come. */
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
    /** What the caller laid down for this panel. */
    policy: z.record(z.string(), z.array(z.string())).optional(),
  }),
  /** What code computed between the turns, by phase. */
  notes: z.record(z.string(), Content).optional(),
  /** What the count came to; `null` where nothing was counted. */
  decision: z
    .object({ winner: z.string().nullable(), rule: z.string().nullable(), forced: z.boolean() })
    .nullish(),
  /** See {@link transcriptRoot}; `null` before the end. */
  root: z.string().nullable(),
});
/** See {@link Transcript}. */
export type Transcript = z.infer<typeof Transcript>;

/**
 * Merkle root over the turns in the order in which they finished, then the ballots in seat order,
 * then what code computed in the order of its phases, each as canonical JSON. Turns name their
 * texts by hash, so texts are bound as well.
 */
export function transcriptRoot(
  turns: readonly Turn[],
  ballots: readonly Ballot[],
  notes: Readonly<Record<string, unknown>> = {},
): string {
  const computed = Object.entries(notes).map(([phase, content]) => ({ phase, content }));
  return merkleRoot([...turns, ...ballots, ...computed]);
}

/** Recomputes the root of a transcript from its own turns, ballots and notes. */
export function rootOfTranscript(transcript: Transcript): string {
  return transcriptRoot(
    transcript.turns.map(({ argument: _argument, content: _content, ...turn }) => turn),
    transcript.ballots,
    transcript.notes,
  );
}
