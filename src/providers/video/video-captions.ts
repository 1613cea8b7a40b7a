import { z } from 'zod';
import type { FailureCode } from '../../domain/data/data-failure.ts';
import type { UnnumberedSource } from '../../domain/data/source.ts';
import { parseCues } from '../../domain/video/cues.ts';
import type { CaptionReader } from '../../domain/video/video-captions.ts';
import type { Parsed, UpstreamAnswer, UpstreamReader } from '../data/upstream-reader.ts';
import { findUnavailability } from './unavailability.ts';

const UPSTREAM = 'youtube';
const ORIGIN = 'https://www.youtube.com';
const PLAYER = '/youtubei/v1/player?prettyPrint=false';
/** The client that gets captions without a proof of origin. Reasons are in English. */
const CLIENT = { clientName: 'ANDROID', clientVersion: '20.10.38', hl: 'en' } as const;
/** Query parameters that identify captions. The rest is a signature that is valid for hours. */
const IDENTIFYING_PARAMS = new Set(['v', 'lang', 'name', 'kind', 'fmt']);
/** Most languages named in the error for an unavailable one. */
const LANGUAGES_SHOWN_MAX = 10;

const Track = z.object({
  baseUrl: z.string().max(8_000),
  languageCode: z.string().regex(/^[\w-]{1,40}$/),
  /** `asr` for captions from speech recognition. */
  kind: z.string().optional(),
});
type Track = z.infer<typeof Track>;

const Player = z.object({
  playabilityStatus: z.object({
    status: z.string(),
    reason: z.string().optional(),
    desktopLegacyAgeGateReason: z.unknown().optional(),
  }),
  videoDetails: z.object({ videoId: z.string() }).optional(),
  captions: z
    .object({
      playerCaptionsTracklistRenderer: z
        .object({ captionTracks: z.array(Track).max(500).optional() })
        .optional(),
    })
    .optional(),
});

interface FoundTrack {
  readonly path: string;
  readonly language: string;
  readonly isAutomatic: boolean;
}

interface TrackRequest {
  readonly videoId: string;
  readonly language: string | undefined;
}

/**
 * Reads captions of videos from the API of YouTube's own apps. Its terms allow no other program, so
 * it is for operators who have decided to use it.
 */
export function createYoutubeCaptions(reader: UpstreamReader): CaptionReader {
  return {
    captions: async (videoId, { language, ...limits }) => {
      const target = { upstream: UPSTREAM, path: `${PLAYER}&id=${videoId}` } as const;
      const post = { context: { client: CLIENT }, videoId };
      const found = await reader.read({ ...target, post, ...limits }, (answer) =>
        parseTrack(answer, { videoId, language }),
      );
      if (!found.ok) return found;
      const { path, ...track } = found.value;
      const request = { upstream: UPSTREAM, path, ...limits } as const;
      const reading = await reader.read(request, (answer) => parseCaptions(answer, videoId));
      if (!reading.ok) return reading;
      const source = withoutSignature(reading.source);
      return { ok: true, value: { ...track, text: reading.value }, source };
    },
  };
}

function parseTrack(answer: UpstreamAnswer, requested: TrackRequest): Parsed<FoundTrack> {
  const player = answer.status === 200 ? Player.safeParse(answer.json()).data : undefined;
  if (player === undefined) return classifyUnexpected(answer);
  const { videoId } = requested;
  const refusal = findUnavailability(player.playabilityStatus);
  if (refusal !== undefined) return videoFault(videoId, refusal.fault, refusal.why);
  if (player.videoDetails !== undefined && player.videoDetails.videoId !== videoId) {
    return videoFault(videoId, 'blocked_by_upstream', 'The answer is for a different video.');
  }
  const tracks = player.captions?.playerCaptionsTracklistRenderer?.captionTracks ?? [];
  if (tracks.length === 0) return videoFault(videoId, 'not_found', 'It has no captions.');
  const track = selectTrack(tracks, requested.language);
  if (track !== undefined) return toFoundTrack(track, videoId);
  const languages = [...new Set(tracks.map(({ languageCode }) => languageCode))];
  const has = languages.slice(0, LANGUAGES_SHOWN_MAX).join(', ');
  return videoFault(videoId, 'not_found', `It has captions in ${has}, not in your language.`);
}

/**
 * Selects a track in the requested language, or else English, or else any. Human captions are
 * preferred to automatic ones.
 */
function selectTrack(tracks: readonly Track[], language: string | undefined): Track | undefined {
  const inLanguage = (code: string) =>
    tracks.filter(({ languageCode: one }) => one === code || one.startsWith(`${code}-`));
  const english = inLanguage('en');
  const anyFitting = english.length > 0 ? english : tracks;
  const fitting = language === undefined ? anyFitting : inLanguage(language);
  return fitting.find(({ kind }) => kind !== 'asr') ?? fitting[0];
}

/** Returns the path of a caption track. Only URLs of YouTube itself are accepted. */
function toFoundTrack({ baseUrl, languageCode, kind }: Track, videoId: string): Parsed<FoundTrack> {
  const url = URL.canParse(baseUrl, ORIGIN) ? new URL(baseUrl, ORIGIN) : undefined;
  if (url?.origin !== ORIGIN || url.pathname !== '/api/timedtext') {
    return {
      fault: 'upstream_bad_payload',
      why: 'The captions have a URL of another host.',
    };
  }
  const experiments = url.searchParams.getAll('exp').join(',').split(',');
  if (experiments.some((mark) => mark === 'xpe' || mark === 'xpv')) {
    return videoFault(videoId, 'blocked_by_upstream', PROOF_REQUIRED);
  }
  url.searchParams.set('fmt', 'json3');
  url.searchParams.delete('tlang');
  const path = `${url.pathname}${url.search}`;
  return { value: { path, language: languageCode, isAutomatic: kind === 'asr' } };
}

const PROOF_REQUIRED = 'Its captions require a proof of origin, which a program cannot provide.';

function parseCaptions(answer: UpstreamAnswer, videoId: string): Parsed<string> {
  if (answer.status === 404)
    return videoFault(videoId, 'not_found', 'Its captions no longer exist.');
  // An answer without a body means that a proof of origin is required.
  if (answer.status === 200 && answer.body.byteLength === 0) {
    return videoFault(videoId, 'blocked_by_upstream', PROOF_REQUIRED);
  }
  if (answer.status !== 200 || !HasEvents.safeParse(answer.json()).success) {
    return classifyUnexpected(answer);
  }
  const text = new TextDecoder().decode(answer.body);
  if (parseCues(text, 'json3').length > 0) return { value: text };
  return videoFault(videoId, 'not_found', 'Its captions contain no words.');
}

const HasEvents = z.object({ events: z.array(z.unknown()) });

function videoFault(videoId: string, fault: FailureCode, why: string): Parsed<never> {
  return { fault, why: `Video ${videoId}: ${why}` };
}

/** Classifies an unexpected answer as far as possible. */
function classifyUnexpected(answer: UpstreamAnswer): Parsed<never> {
  const { status } = answer;
  if (status >= 300 && status < 400) {
    return { fault: 'too_many_redirects', why: `HTTP ${status}: a POST is not redirected.` };
  }
  if (status === 400) {
    const why = 'HTTP 400: a proof of origin or a newer client is required.';
    return { fault: 'blocked_by_upstream', why };
  }
  const isPage = answer.json() === undefined;
  if (isPage && new TextDecoder().decode(answer.body).includes('consent.youtube.com')) {
    return {
      fault: 'blocked_by_upstream',
      why: 'It requires a person to accept cookies first.',
    };
  }
  return { fault: 'upstream_bad_payload', why: `HTTP ${status} without captions.` };
}

/**
 * Returns the source with a URL that identifies the captions, without signature, caller and expiry.
 */
function withoutSignature(source: UnnumberedSource): UnnumberedSource {
  const url = new URL(source.url);
  for (const name of [...url.searchParams.keys()]) {
    if (!IDENTIFYING_PARAMS.has(name)) url.searchParams.delete(name);
  }
  return { ...source, url: url.href };
}
