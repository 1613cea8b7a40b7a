import type { Clock } from '../../domain/common/clock.ts';
import { sha256Hex } from '../../domain/common/hash.ts';
import { type DataFault, faultOf } from '../../domain/data/fault.ts';
import type { SourceFacts, SourceList } from '../../domain/data/source.ts';
import type { Reading } from '../../domain/data/upstreams.ts';
import { instantText } from '../../domain/data/value.ts';
import { cleanText } from '../../domain/page/clean-text.ts';
import { type Cue, cuesOf, formatOf } from '../../domain/video/cues.ts';
import type { TranscriptOrigin } from '../../domain/video/report.ts';
import type { Watched } from '../../domain/video/sections.ts';
import type { CaptionReader, VideoCaptions } from '../../domain/video/video-captions.ts';
import type { VideoFacts, VideoReader } from '../../domain/video/video-facts.ts';

/** Environment variable with which an operator enables captions. */
export const CAPTIONS_VARIABLE = 'STOA_YOUTUBE_CAPTIONS';

/** Dependencies of {@link watchVideos}. */
export interface WatchParts {
  readonly clock: Clock;
  readonly videos: VideoReader;
  /** Absent unless the operator has enabled captions. */
  readonly captions?: CaptionReader | undefined;
}

/** A video with the caller's transcript, if any. */
export interface AskedVideo {
  readonly videoId: string;
  readonly transcript: string | undefined;
}

/** The videos to read, and the list that collects their sources. */
export interface WatchOrder {
  readonly asked: readonly AskedVideo[];
  readonly language: string | undefined;
  /** Deadline in milliseconds. */
  readonly deadline: number;
  readonly sources: SourceList;
}

/** Facts and transcripts of videos, without invisible characters. */
export interface WatchedVideos {
  readonly watched: readonly Watched[];
  readonly faults: readonly DataFault[];
  readonly invisibleCharacters: number;
}

/** A transcript with its origin. */
interface Heard {
  readonly origin: TranscriptOrigin;
  readonly language: string | null;
  readonly text: string;
  readonly source: SourceFacts;
}

/** Reads facts of videos, and captions for those without a transcript if enabled. */
export async function watchVideos(parts: WatchParts, order: WatchOrder): Promise<WatchedVideos> {
  const readings = await Promise.all(
    order.asked.map(async ({ videoId, transcript }) => {
      const facts = parts.videos.facts(videoId, order.deadline);
      return { facts: await facts, heard: await heardOf(parts, order, { videoId, transcript }) };
    }),
  );
  const faults: DataFault[] = [];
  let invisibleCharacters = 0;
  const clean = (text: string): string => {
    const { text: shown, removed } = cleanText(text);
    invisibleCharacters += Object.values(removed).reduce((sum, count) => sum + count, 0);
    return shown;
  };
  const watched = readings.map(({ facts, heard }, at): Watched => {
    const videoId = order.asked[at]?.videoId ?? '';
    if (!facts.ok) faults.push(facts.fault);
    if (!heard.ok) faults.push(heard.fault);
    const named = factsIn(facts, clean, order.sources);
    return { videoId, ...named, ...wordsIn(heard, clean, order.sources) };
  });
  return { watched, faults, invisibleCharacters };
}

type Hearing =
  | { readonly ok: true; readonly value: Heard }
  | Extract<Reading<never>, { ok: false }>;

async function heardOf(
  { captions, clock }: WatchParts,
  { language, deadline }: WatchOrder,
  { videoId, transcript: text }: AskedVideo,
): Promise<Hearing> {
  if (text !== undefined) {
    const source = callersSource(videoId, text, instantText(clock.now()));
    return { ok: true, value: { origin: 'caller', language: null, text, source } };
  }
  if (captions === undefined) return { ok: false, fault: noTranscriptOf(videoId) };
  const reading = await captions.captions(videoId, { language, deadline });
  if (!reading.ok) return reading;
  return { ok: true, value: { ...captionsHeard(reading.value), source: reading.source } };
}

function captionsHeard({ text, language, isAutomatic }: VideoCaptions): Omit<Heard, 'source'> {
  return { origin: isAutomatic ? 'automatic_captions' : 'captions', language, text };
}

type Named = Pick<Watched, 'title' | 'channel' | 'factsSource'>;

function factsIn(
  reading: Reading<VideoFacts>,
  clean: (text: string) => string,
  sources: SourceList,
): Named {
  if (!reading.ok) return { title: null, channel: null, factsSource: [] };
  const { title, channel } = reading.value;
  const factsSource = [sources.idOf(reading.source)];
  return { title: clean(title), channel: clean(channel), factsSource };
}

type Words = Pick<Watched, 'origin' | 'language' | 'sha256' | 'cues' | 'said'>;

/** Parses and cleans cues one by one: before parsing, json3 has invisible characters as escapes. */
function wordsIn(heard: Hearing, clean: (text: string) => string, sources: SourceList): Words {
  if (!heard.ok) return { origin: 'none', language: null, sha256: null, cues: [], said: [] };
  const { origin, language, text, source } = heard.value;
  const said = [sources.idOf(source)];
  const cues = cuesOf(text, formatOf(text)).map((cue): Cue => ({ ...cue, text: clean(cue.text) }));
  const shown = cues.filter((cue) => cue.text !== '');
  return { origin, language, sha256: source.sha256, cues: shown, said };
}

function callersSource(videoId: string, text: string, at: string): SourceFacts {
  return {
    ...{ upstream: 'caller', url: `urn:stoa:input:transcript:${videoId}` },
    ...{ retrieved_at: at, revalidated_at: null, sha256: sha256Hex(text) },
    bytes: new TextEncoder().encode(text).byteLength,
    ...{ http_status: null, from_cache: false },
  };
}

function noTranscriptOf(upstream: string): DataFault {
  const detail = `No transcript was supplied, and captions need ${CAPTIONS_VARIABLE}=on.`;
  return faultOf('not_configured', { upstream, detail });
}
