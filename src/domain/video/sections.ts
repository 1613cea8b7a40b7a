import { joinCues, type Passage } from '../research/passage.ts';
import { isQuoted } from '../research/quotation.ts';
import { rankPassages } from '../research/rank.ts';
import type { Cue } from './cues.ts';
import type { SpokenQuote, TranscriptOrigin, VideoReport } from './report.ts';
import { timestampUrl } from './video.ts';

/** Maximum number of quotes per section. */
export const SECTION_QUOTES_MAX = 8;
/** Maximum number of quotes of one video per section. */
export const VIDEO_QUOTES_MAX = 3;
/** Maximum time offset of a quote, in milliseconds. */
export const TIME_TOLERANCE_MS = 2_000;
/** Number of characters around a quote in which it is searched. */
const SEARCH_CHARS_MAX = 20_000;

/** A video with its transcript and metadata. */
export interface TranscribedVideo {
  readonly videoId: string;
  readonly title: string | null;
  readonly channel: string | null;
  readonly origin: TranscriptOrigin;
  readonly language: string | null;
  /** SHA-256 of the transcript as received; `null` if there is none. */
  readonly sha256: string | null;
  readonly cues: readonly Cue[];
  readonly factsSource: readonly string[];
  readonly said: readonly string[];
}

/** Checks whether a transcript contains a quote at its time. */
export function containsQuoteAt(
  cues: readonly Cue[],
  {
    quote,
    fromMs,
    toMs,
  }: { readonly quote: string; readonly fromMs: number; readonly toMs: number },
): boolean {
  const nearbyCues = cues.filter(
    ({ startMs, endMs }) =>
      endMs >= fromMs - TIME_TOLERANCE_MS && startMs <= toMs + TIME_TOLERANCE_MS,
  );
  const spokenText = nearbyCues.map(({ text }) => text).join(' ');
  return isQuoted(quote, spokenText.slice(0, SEARCH_CHARS_MAX));
}

/** Builds the sections for a topic and questions, with verified quotes from videos. */
export function buildSections(
  videos: readonly TranscribedVideo[],
  { topic, questions }: { readonly topic: string; readonly questions: readonly string[] },
): Pick<VideoReport, 'videos' | 'sections' | 'checks'> {
  const passages = videos.flatMap(({ videoId, cues }) => joinCues(videoId, cues));
  const byId = new Map(videos.map((video) => [video.videoId, video]));
  const counts = { quotes_checked: 0, quotes_dropped: 0 };
  const sections = [topic, ...questions].map((heading) => {
    const chosen = limitPerVideo(rankPassages(passages, heading).map(({ passage }) => passage));
    const quotes = chosen.flatMap((passage) => {
      const video = byId.get(passage.document);
      const quoteRange = { quote: passage.text, fromMs: passage.from, toMs: passage.to };
      counts.quotes_checked += 1;
      if (video !== undefined && containsQuoteAt(video.cues, quoteRange))
        return [toSpokenQuote(passage, video)];
      counts.quotes_dropped += 1;
      return [];
    });
    const quotedVideos = new Set(quotes.map((quote) => quote.video_id));
    const silent = videos.map(({ videoId }) => videoId).filter((id) => !quotedVideos.has(id));
    return { heading, quotes, videos_silent: silent };
  });
  return { videos: videos.map(toReportVideo), sections, checks: counts };
}

/** Returns the best passages, limited per video. */
function limitPerVideo(passages: readonly Passage[]): readonly Passage[] {
  const counts = new Map<string, number>();
  const limited = passages.filter(({ document }) => {
    const count = (counts.get(document) ?? 0) + 1;
    counts.set(document, count);
    return count <= VIDEO_QUOTES_MAX;
  });
  return limited.slice(0, SECTION_QUOTES_MAX);
}

function toSpokenQuote(
  { text, from, to }: Passage,
  { videoId, said }: TranscribedVideo,
): SpokenQuote {
  return {
    video_id: videoId,
    t_start_s: from / 1_000,
    t_end_s: to / 1_000,
    url: timestampUrl(videoId, from),
    quote: text,
    sources: [...said],
  };
}

function toReportVideo({ videoId, title, channel, factsSource, said, ...heard }: TranscribedVideo) {
  const { origin, language, sha256, cues } = heard;
  const endMs = Math.max(0, ...cues.map((cue) => cue.endMs));
  return {
    video_id: videoId,
    url: timestampUrl(videoId, 0),
    title,
    channel,
    length_s: cues.length === 0 ? null : endMs / 1_000,
    cues: cues.length,
    transcript_sha256: sha256,
    transcript: origin,
    language,
    sources: [...factsSource, ...said],
  };
}
