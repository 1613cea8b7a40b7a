import { z } from 'zod';
import { AppError } from '../../domain/common/error.ts';
import { sha256Hex } from '../../domain/common/hash.ts';
import type { JsonObject } from '../../domain/common/json.ts';
import { microUsd, toText } from '../../domain/common/money.ts';
import { quoteText } from '../../domain/common/readable.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { envelopeOf } from '../../domain/data/envelope.ts';
import { type DataFault, faultOf } from '../../domain/data/fault.ts';
import { SourceList } from '../../domain/data/source.ts';
import { untrustedBlock } from '../../domain/page/clean-text.ts';
import type { Tool, ToolContext, ToolResult } from '../../domain/tool/tool.ts';
import { cuesOf, formatOf, TRANSCRIPT_CHARS_MAX } from '../../domain/video/cues.ts';
import { VideoReport } from '../../domain/video/report.ts';
import { sectionsOf, type Watched } from '../../domain/video/sections.ts';
import { videoIdOf } from '../../domain/video/video.ts';
import { type DataToolDeps, dataAnswer } from '../data/data-answer.ts';
import { READS_OUTSIDE } from '../service/annotations.ts';
import { CAPTIONS_VARIABLE, type WatchParts, watchVideos } from './watch-videos.ts';

/** Milliseconds for the facts of all videos together. */
export const FACTS_MS = 15 * SECOND_MS;
/** The same where captions are read, too: three requests for each video, one after the other. */
export const CAPTIONS_MS = 45 * SECOND_MS;
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
  lang: z
    .string()
    .regex(/^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})?$/)
    .optional()
    .describe('Language of captions that are taken, such as en; absent: English, else any.'),
});
type Input = z.infer<typeof Input>;

const DESCRIPTION = [
  'Makes a report of up to ten YouTube videos from transcripts that you supply (SRT, WebVTT or',
  'json3): what they say to a topic and to each question, in their own words, every quotation with',
  'video, time and an address that begins there. Each quotation is looked up again in the',
  'transcript at its time; what is not found there is dropped and counted. Title and channel come',
  'from YouTube’s oEmbed. Captions of videos without a transcript are taken from YouTube only',
  'where the operator has turned that on, else a call without any is refused. No model rewrites',
  'anything. Where no transcript says anything to it, nothing is charged.',
].join(' ');

/** What the tool works with. */
export interface VideoToolDeps extends DataToolDeps, WatchParts {}

/** The tool that reports what videos say, with the times at which they say it. */
export function youtubeResearchTool(deps: VideoToolDeps): Tool<Input> {
  return {
    server: 'commerce',
    name: NAME,
    title: 'What videos say, with times',
    description: DESCRIPTION,
    annotations: READS_OUTSIDE,
    input: Input,
    output: envelopeOf(VideoReport),
    price: { amount: toText(microUsd('0.10')), flow: 'authorization' },
    ready: (input) => {
      const ids = input.videos.map(({ video }, at) => idOf(video, at));
      if (new Set(ids).size < ids.length) throw wrong('videos', ids, 'each video once');
      for (const [at, { transcript }] of input.videos.entries()) checkTranscript(transcript, at);
      const isWithout = input.videos.every(({ transcript }) => transcript === undefined);
      if (isWithout && deps.captions === undefined) throw noTranscripts();
      return { videos: ids.length };
    },
    run: (input, context) => run(input, context, deps),
  };
}

async function run(input: Input, context: ToolContext, deps: VideoToolDeps): Promise<ToolResult> {
  const { clock, captions } = deps;
  const sources = new SourceList();
  const { watched, faults, invisibleCharacters } = await watchVideos(deps, {
    asked: input.videos.map(({ video, transcript }, at) => ({
      ...{ videoId: idOf(video, at), transcript },
    })),
    deadline: clock.now() + (captions === undefined ? FACTS_MS : CAPTIONS_MS),
    ...{ language: input.lang, sources },
  });
  const made = sectionsOf(watched, input);
  const isSilent = made.sections.every(({ quotes }) => quotes.length === 0);
  const report: VideoReport = {
    ...{ topic: input.topic, untrusted: true, ...made },
    removed: { invisible_characters: invisibleCharacters },
  };
  const missing = watched.filter(({ said }) => said.length === 0).map(({ videoId }) => videoId);
  const isRead = missing.length < watched.length;
  return dataAnswer(deps, context, {
    tool: NAME,
    headline: isSilent
      ? SILENCE[isRead ? 'read' : 'unread']
      : `${made.checks.quotes_checked - made.checks.quotes_dropped} quotations with their times.`,
    blocks: isSilent ? [] : [blockOf(report, context)],
    data: isSilent ? null : (report as unknown as JsonObject),
    sources: sources.records(),
    coverage: { asked: watched.length, answered: watched.length - missing.length, missing },
    faults: isSilent && isRead ? [...faults, silence()] : faults,
    method: METHOD,
    disclaimer: disclaimerOf(watched),
  });
}

const SILENCE = {
  read: 'No transcript says anything to it.',
  unread: 'No transcript could be had.',
} as const;

const METHOD = {
  writer: 'extractive: passages of transcripts, ranked by BM25, word for word',
  check: 'each quotation is looked up again in the cues of its time, two seconds to either side',
  facts: 'YouTube oEmbed',
  captions: 'YouTube, in json3, where the operator lets them be taken',
};

function blockOf({ sections }: VideoReport, { paymentId }: ToolContext): string {
  const lines = sections.flatMap(({ heading, quotes }) => [
    heading,
    ...quotes.map(({ url, quote }) => `- ${quoteText(quote)} <${url}>`),
  ]);
  return untrustedBlock(lines.join('\n'), sha256Hex(`videos ${paymentId ?? ''}`).slice(0, 24));
}

function disclaimerOf(watched: readonly Watched[]): string {
  const isTaken = watched.some(({ origin }) => origin !== 'caller' && origin !== 'none');
  const words = isTaken
    ? 'Transcripts are the caller’s or captions of YouTube; automatic captions mishear.'
    : 'Transcripts are the caller’s.';
  return `${words} That a video says it is not checked with the video.`;
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
    message:
      'Captions are not taken from YouTube here: supply a transcript, ' +
      `or the operator sets ${CAPTIONS_VARIABLE}=on.`,
    data: {
      ...{ path: 'videos.0.transcript', allowed: 'SRT, WebVTT or json3' },
      variable: CAPTIONS_VARIABLE,
    },
  });
}

function silence(): DataFault {
  const detail = 'No passage holds a word of the topic or the questions.';
  return faultOf('not_found', { upstream: 'caller', detail });
}
