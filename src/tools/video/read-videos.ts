import type { Services } from '../../actors/common/services.ts';
import { sha256Hex } from '../../domain/common/hash.ts';
import { toIsoTime } from '../../domain/common/time.ts';
import { createDataFailure, type DataFailure } from '../../domain/data/data-failure.ts';
import type { SourceList, UnnumberedSource } from '../../domain/data/source.ts';
import type { SourceReading } from '../../domain/data/upstreams.ts';
import { cleanText } from '../../domain/page/clean-text.ts';
import { type Cue, detectFormat, parseCues } from '../../domain/video/cues.ts';
import type { TranscriptOrigin } from '../../domain/video/report.ts';
import type { TranscribedVideo } from '../../domain/video/sections.ts';
import type { VideoCaptions } from '../../domain/video/video-captions.ts';
import type { VideoFacts } from '../../domain/video/video-facts.ts';

/** Environment variable with which an operator enables captions. */
export const CAPTIONS_VARIABLE = 'STOA_YOUTUBE_CAPTIONS';

/** A video with the caller's transcript, if any. */
export interface RequestedVideo {
  readonly videoId: string;
  readonly transcript: string | undefined;
}

/** The videos to read, and the list that collects their sources. */
export interface VideoOrder {
  readonly asked: readonly RequestedVideo[];
  readonly language: string | undefined;
  /** Deadline in milliseconds. */
  readonly deadline: number;
  readonly sources: SourceList;
}

/** Facts and transcripts of videos, without invisible characters. */
export interface VideoReadings {
  readonly watched: readonly TranscribedVideo[];
  readonly faults: readonly DataFailure[];
  readonly invisibleCharacters: number;
}

/** A transcript with its origin. */
interface Transcript {
  readonly origin: TranscriptOrigin;
  readonly language: string | null;
  readonly text: string;
  readonly source: UnnumberedSource;
}

/** Reads facts of videos, and captions for those without a transcript if enabled. */
export async function readVideos(
  parts: Pick<Services, 'captions' | 'clock' | 'videos'>,
  order: VideoOrder,
): Promise<VideoReadings> {
  const readings = await Promise.all(
    order.asked.map(async ({ videoId, transcript }) => {
      const facts = parts.videos.facts(videoId, order.deadline);
      return {
        facts: await facts,
        heard: await readTranscript(parts, order, { videoId, transcript }),
      };
    }),
  );
  const faults: DataFailure[] = [];
  let invisibleCharacters = 0;
  const clean = (text: string): string => {
    const { text: shown, removed } = cleanText(text);
    invisibleCharacters += Object.values(removed).reduce((sum, count) => sum + count, 0);
    return shown;
  };
  const watched = readings.map(({ facts, heard }, at): TranscribedVideo => {
    const videoId = order.asked[at]?.videoId ?? '';
    if (!facts.ok) faults.push(facts.fault);
    if (!heard.ok) faults.push(heard.fault);
    const named = extractFacts(facts, clean, order.sources);
    return { videoId, ...named, ...extractCues(heard, clean, order.sources) };
  });
  return { watched, faults, invisibleCharacters };
}

type TranscriptReading =
  | { readonly ok: true; readonly value: Transcript }
  | Extract<SourceReading<never>, { ok: false }>;

async function readTranscript(
  { captions, clock }: Pick<Services, 'captions' | 'clock' | 'videos'>,
  { language, deadline }: VideoOrder,
  { videoId, transcript: text }: RequestedVideo,
): Promise<TranscriptReading> {
  if (text !== undefined) {
    const source = callerSource(videoId, text, toIsoTime(clock.now()));
    return { ok: true, value: { origin: 'caller', language: null, text, source } };
  }
  if (captions === undefined) return { ok: false, fault: noTranscriptFault(videoId) };
  const reading = await captions.captions(videoId, { language, deadline });
  if (!reading.ok) return reading;
  return { ok: true, value: { ...toTranscript(reading.value), source: reading.source } };
}

function toTranscript({ text, language, isAutomatic }: VideoCaptions): Omit<Transcript, 'source'> {
  return { origin: isAutomatic ? 'automatic_captions' : 'captions', language, text };
}

type TitleFacts = Pick<TranscribedVideo, 'title' | 'channel' | 'factsSource'>;

function extractFacts(
  reading: SourceReading<VideoFacts>,
  clean: (text: string) => string,
  sources: SourceList,
): TitleFacts {
  if (!reading.ok) return { title: null, channel: null, factsSource: [] };
  const { title, channel } = reading.value;
  const factsSource = [sources.assignId(reading.source)];
  return { title: clean(title), channel: clean(channel), factsSource };
}

type TranscriptFacts = Pick<TranscribedVideo, 'origin' | 'language' | 'sha256' | 'cues' | 'said'>;

/** Parses and cleans cues one by one: before parsing, json3 has invisible characters as escapes. */
function extractCues(
  heard: TranscriptReading,
  clean: (text: string) => string,
  sources: SourceList,
): TranscriptFacts {
  if (!heard.ok) return { origin: 'none', language: null, sha256: null, cues: [], said: [] };
  const { origin, language, text, source } = heard.value;
  const said = [sources.assignId(source)];
  const cues = parseCues(text, detectFormat(text)).map(
    (cue): Cue => ({ ...cue, text: clean(cue.text) }),
  );
  const shown = cues.filter((cue) => cue.text !== '');
  return { origin, language, sha256: source.sha256, cues: shown, said };
}

function callerSource(videoId: string, text: string, at: string): UnnumberedSource {
  return {
    upstream: 'caller',
    url: `urn:stoa:input:transcript:${videoId}`,
    retrieved_at: at,
    revalidated_at: null,
    sha256: sha256Hex(text),
    bytes: new TextEncoder().encode(text).byteLength,
    http_status: null,
    from_cache: false,
  };
}

function noTranscriptFault(upstream: string): DataFailure {
  const detail = `No transcript was supplied, and captions need ${CAPTIONS_VARIABLE}=on.`;
  return createDataFailure('not_configured', { upstream, detail });
}
