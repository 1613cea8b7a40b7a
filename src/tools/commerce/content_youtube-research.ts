import { z } from 'zod';
import { envelopeOf } from '../../domain/data/envelope.ts';
import { type DataFault, faultOf } from '../../domain/data/fault.ts';
import { type SourceFacts, SourceList } from '../../domain/data/source.ts';
import { instantText } from '../../domain/data/value.ts';
import { AppError } from '../../domain/error.ts';
import { sha256Hex } from '../../domain/hash.ts';
import type { JsonObject } from '../../domain/json.ts';
import { microUsd, toText } from '../../domain/money.ts';
import { cleanText, untrustedBlock } from '../../domain/page/clean-text.ts';
import type { Reading } from '../../domain/ports/upstreams.ts';
import type { VideoFacts, VideoReader } from '../../domain/ports/video-facts.ts';
import { SECOND_MS } from '../../domain/time.ts';
import type { Tool, ToolContext, ToolResult } from '../../domain/tool.ts';
import { cuesOf, formatOf, TRANSCRIPT_CHARS_MAX } from '../../domain/transcript/cues.ts';
import { VideoReport } from '../../domain/transcript/report.ts';
import { sectionsOf, type Watched } from '../../domain/transcript/sections.ts';
import { videoIdOf } from '../../domain/transcript/video.ts';
import { type DataToolDeps, dataAnswer } from '../parts/data-answer.ts';

/** Milliseconds for the facts of all videos together. */
export const FACTS_MS = 15 * SECOND_MS;
/** Videos of one report at the most. */
export const VIDEOS_MAX = 10;
const NAME = 'content_youtube-research';

const Input = z.strictObject({
  topic: z.string().min(1).max(200),
  questions: z.array(z.string().min(3).max(200)).max(10).default([]).describe('A section each.'),
  videos: z
    .array(
      z.strictObject({
        video: z.string().max(300).describe('Id or address of a YouTube video.'),
        transcript: z
          .string()
          .max(TRANSCRIPT_CHARS_MAX)
          .optional()
          .describe('SRT, WebVTT or json3, as you have it.'),
      }),
    )
    .min(1)
    .max(VIDEOS_MAX),
});
type Input = z.infer<typeof Input>;

const DESCRIPTION = [
  'Makes a report of up to ten YouTube videos from transcripts that you supply (SRT, WebVTT or',
  'json3): what they say to a topic and to each question, in their own words, every quotation with',
  'video, time and an address that begins there. Each quotation is looked up again in the',
  'transcript at its time; what is not found there is dropped and counted. Title and channel come',
  'from YouTube’s oEmbed. No transcript is taken from YouTube, whose terms forbid it, and no model',
  'rewrites anything. Where no transcript says anything to it, nothing is charged.',
].join(' ');

/** What the tool works with. */
export interface VideoToolDeps extends DataToolDeps {
  readonly videos: VideoReader;
}

/** The tool that reports what videos say, with the times at which they say it. */
export function youtubeResearchTool(deps: VideoToolDeps): Tool<Input> {
  return {
    server: 'commerce',
    name: NAME,
    title: 'What videos say, with times',
    description: DESCRIPTION,
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: true,
    },
    input: Input,
    output: envelopeOf(VideoReport),
    price: { amount: toText(microUsd('0.10')), flow: 'authorization' },
    ready: (input) => {
      const ids = input.videos.map(({ video }, at) => idOf(video, at));
      if (new Set(ids).size < ids.length) throw wrong('videos', ids, 'each video once');
      for (const [at, { transcript }] of input.videos.entries()) checkTranscript(transcript, at);
      if (input.videos.every(({ transcript }) => transcript === undefined)) throw noTranscripts();
      return { videos: ids.length };
    },
    run: (input, context) => run(input, context, deps),
  };
}

async function run(input: Input, context: ToolContext, deps: VideoToolDeps): Promise<ToolResult> {
  const { clock, videos } = deps;
  const deadline = clock.now() + FACTS_MS;
  const sources = new SourceList();
  const faults: DataFault[] = [];
  const readings = await Promise.all(
    input.videos.map(({ video }, at) => videos.facts(idOf(video, at), deadline)),
  );
  const at = instantText(clock.now());
  let invisible = 0;
  const clean = (text: string): string => {
    const { text: shown, removed } = cleanText(text);
    invisible += Object.values(removed).reduce((sum, count) => sum + count, 0);
    return shown;
  };
  const watched: Watched[] = input.videos.map(({ video, transcript }, place) => {
    const videoId = idOf(video, place);
    const reading = readings[place];
    if (reading?.ok === false) faults.push(reading.fault);
    if (transcript === undefined) faults.push(noTranscriptOf(videoId));
    const facts = factsIn(reading, clean, sources);
    if (transcript === undefined) return { videoId, ...facts, sha256: null, cues: [], said: [] };
    const said = [sources.idOf(transcriptSource(videoId, transcript, at))];
    const cues = cuesOf(clean(transcript), formatOf(transcript));
    return { videoId, ...facts, sha256: sha256Hex(transcript), cues, said };
  });
  const made = sectionsOf(watched, input);
  const isSilent = made.sections.every(({ quotes }) => quotes.length === 0);
  const report: VideoReport = {
    ...{ topic: input.topic, untrusted: true, ...made },
    removed: { invisible_characters: invisible },
  };
  const missing = watched.filter(({ said }) => said.length === 0).map(({ videoId }) => videoId);
  if (isSilent) faults.push(silence());
  return dataAnswer(deps, context, {
    tool: NAME,
    headline: isSilent
      ? 'No transcript says anything to it.'
      : `${made.checks.quotes_checked - made.checks.quotes_dropped} quotations with their times.`,
    lines: isSilent ? [] : [blockOf(report, context)],
    data: isSilent ? null : (report as unknown as JsonObject),
    sources: sources.records(),
    coverage: { asked: watched.length, answered: watched.length - missing.length, missing },
    faults,
    method: METHOD,
    disclaimer: 'Transcripts are the caller’s. That a video says it is not checked with the video.',
  });
}

const METHOD = {
  writer: 'extractive: passages of transcripts, ranked by BM25, word for word',
  check: 'each quotation is looked up again in the cues of its time, two seconds to either side',
  facts: 'YouTube oEmbed',
};

function blockOf({ sections }: VideoReport, { paymentId }: ToolContext): string {
  const lines = sections.flatMap(({ heading, quotes }) => [
    heading,
    ...quotes.map(({ url, quote }) => `- "${quote}" <${url}>`),
  ]);
  return untrustedBlock(lines.join('\n'), sha256Hex(`videos ${paymentId ?? ''}`).slice(0, 24));
}

function factsIn(
  reading: Reading<VideoFacts> | undefined,
  clean: (text: string) => string,
  sources: SourceList,
): Pick<Watched, 'title' | 'channel' | 'factsSource'> {
  if (reading?.ok !== true) return { title: null, channel: null, factsSource: [] };
  const { title, channel } = reading.value;
  const factsSource = [sources.idOf(reading.source)];
  return { title: clean(title), channel: clean(channel), factsSource };
}

function transcriptSource(videoId: string, text: string, at: string): SourceFacts {
  return {
    ...{ upstream: 'caller', url: `urn:stoa:input:transcript:${videoId}` },
    ...{ retrieved_at: at, revalidated_at: null, sha256: sha256Hex(text) },
    bytes: new TextEncoder().encode(text).byteLength,
    ...{ http_status: null, from_cache: false },
  };
}

function idOf(video: string, place: number): string {
  const found = videoIdOf(video);
  if (found !== undefined) return found;
  throw wrong(`videos.${place}.video`, video, 'an id of 11 signs, or an address of YouTube');
}

function checkTranscript(transcript: string | undefined, place: number): void {
  if (transcript === undefined || cuesOf(transcript, formatOf(transcript)).length > 0) return;
  const received = transcript.slice(0, 100);
  throw wrong(`videos.${place}.transcript`, received, 'SRT, WebVTT or json3 with timed words');
}

function wrong(path: string, received: unknown, allowed: string): AppError {
  return new AppError('INPUT_INVALID', {
    message: `What stands at ${path} cannot be read.`,
    data: { path, received: received as string, allowed },
  });
}

function noTranscripts(): AppError {
  return new AppError('NOT_CONFIGURED', {
    message: 'Transcripts are not taken from YouTube here: supply at least one.',
    data: { path: 'videos.0.transcript', allowed: 'SRT, WebVTT or json3' },
  });
}

function noTranscriptOf(upstream: string): DataFault {
  const detail = 'No transcript was supplied, and none is taken from YouTube.';
  return faultOf('not_configured', { upstream, detail });
}

function silence(): DataFault {
  const detail = 'No passage holds a word of the topic or the questions.';
  return faultOf('not_found', { upstream: 'caller', detail });
}
