import { z } from 'zod';
import { Sha256 } from '../data/source.ts';

const Seconds = z.number().nonnegative();

/** A timestamped quote from a video. */
export const SpokenQuote = z.object({
  video_id: z.string(),
  t_start_s: Seconds,
  t_end_s: Seconds,
  url: z.string().describe('Link to the start of the quote.'),
  quote: z.string(),
  sources: z.array(z.string()).min(1),
});
/** A timestamped quote from a video. */
export type SpokenQuote = z.infer<typeof SpokenQuote>;

/** Origin of a transcript. */
export const TranscriptOrigin = z
  .enum(['caller', 'captions', 'automatic_captions', 'none'])
  .describe('captions: YouTube captions by the uploader. automatic_captions: speech recognition.');
/** The origin of a transcript. */
export type TranscriptOrigin = z.infer<typeof TranscriptOrigin>;

/** Report on a set of videos. */
export const VideoReport = z.object({
  topic: z.string(),
  untrusted: z.literal(true).describe('Quotes and titles come from third parties.'),
  videos: z.array(
    z.object({
      video_id: z.string(),
      url: z.string(),
      title: z.string().nullable(),
      channel: z.string().nullable(),
      length_s: Seconds.nullable().describe('End of the last cue.'),
      cues: z.int().nonnegative(),
      transcript: TranscriptOrigin,
      language: z.string().nullable().describe('Language of the captions; null if unknown.'),
      transcript_sha256: Sha256.nullable(),
      sources: z.array(z.string()),
    }),
  ),
  sections: z.array(
    z.object({
      heading: z.string(),
      quotes: z.array(SpokenQuote),
      videos_silent: z.array(z.string()).describe('Videos without a matching quote.'),
    }),
  ),
  checks: z.object({
    quotes_checked: z.int().nonnegative(),
    quotes_dropped: z.int().nonnegative().describe('Quotes not found at their timestamps.'),
  }),
  removed: z.object({ invisible_characters: z.int().nonnegative() }),
});
/** Report on a set of videos. */
export type VideoReport = z.infer<typeof VideoReport>;
