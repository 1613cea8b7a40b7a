import { isQuoted } from '../research/check.ts';
import { type Passage, spokenPassages } from '../research/passage.ts';
import { rankPassages } from '../research/rank.ts';
import type { Cue } from './cues.ts';
import type { SpokenQuote, TranscriptOrigin, VideoReport } from './report.ts';
import { momentUrl } from './video.ts';

/** Maximum number of quotes per section. */
export const SECTION_QUOTES_MAX = 8;
/** Maximum number of quotes of one video per section. */
export const VIDEO_QUOTES_MAX = 3;
/** Maximum time offset of a quote, in milliseconds. */
export const TIME_OFF_MS = 2_000;
/** Number of characters around a quote in which it is searched. */
const NEAR_CHARS_MAX = 20_000;

/** A video with its transcript and metadata. */
export interface Watched {
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
export function isSaid(
  cues: readonly Cue[],
  {
    quote,
    fromMs,
    toMs,
  }: { readonly quote: string; readonly fromMs: number; readonly toMs: number },
): boolean {
  const near = cues.filter(
    ({ startMs, endMs }) => endMs >= fromMs - TIME_OFF_MS && startMs <= toMs + TIME_OFF_MS,
  );
  const said = near.map(({ text }) => text).join(' ');
  return isQuoted(quote, said.slice(0, NEAR_CHARS_MAX));
}

/** Builds the sections for a topic and questions, with verified quotes from videos. */
export function sectionsOf(
  watched: readonly Watched[],
  { topic, questions }: { readonly topic: string; readonly questions: readonly string[] },
): Pick<VideoReport, 'videos' | 'sections' | 'checks'> {
  const passages = watched.flatMap(({ videoId, cues }) => spokenPassages(videoId, cues));
  const byId = new Map(watched.map((video) => [video.videoId, video]));
  const counts = { quotes_checked: 0, quotes_dropped: 0 };
  const sections = [topic, ...questions].map((heading) => {
    const chosen = inTurn(rankPassages(passages, heading).map(({ passage }) => passage));
    const quotes = chosen.flatMap((passage) => {
      const video = byId.get(passage.document);
      const said = { quote: passage.text, fromMs: passage.from, toMs: passage.to };
      counts.quotes_checked += 1;
      if (video !== undefined && isSaid(video.cues, said)) return [quoteOf(passage, video)];
      counts.quotes_dropped += 1;
      return [];
    });
    const heard = new Set(quotes.map((quote) => quote.video_id));
    const silent = watched.map(({ videoId }) => videoId).filter((id) => !heard.has(id));
    return { heading, quotes, videos_silent: silent };
  });
  return { videos: watched.map(shownVideo), sections, checks: counts };
}

/** Returns the best passages, limited per video. */
function inTurn(passages: readonly Passage[]): readonly Passage[] {
  const counts = new Map<string, number>();
  const kept = passages.filter(({ document }) => {
    const count = (counts.get(document) ?? 0) + 1;
    counts.set(document, count);
    return count <= VIDEO_QUOTES_MAX;
  });
  return kept.slice(0, SECTION_QUOTES_MAX);
}

function quoteOf({ text, from, to }: Passage, { videoId, said }: Watched): SpokenQuote {
  return {
    ...{ video_id: videoId, t_start_s: from / 1_000, t_end_s: to / 1_000 },
    ...{ url: momentUrl(videoId, from), quote: text, sources: [...said] },
  };
}

function shownVideo({ videoId, title, channel, factsSource, said, ...heard }: Watched) {
  const { origin, language, sha256, cues } = heard;
  const endMs = Math.max(0, ...cues.map((cue) => cue.endMs));
  return {
    ...{ video_id: videoId, url: momentUrl(videoId, 0), title, channel },
    length_s: cues.length === 0 ? null : endMs / 1_000,
    ...{ cues: cues.length, transcript_sha256: sha256 },
    ...{ transcript: origin, language },
    sources: [...factsSource, ...said],
  };
}
