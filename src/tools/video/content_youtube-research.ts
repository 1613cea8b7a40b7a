import { z } from 'zod';
import type { Services } from '../../actors/common/services.ts';
import { AppError } from '../../domain/common/error.ts';
import { sha256Hex } from '../../domain/common/hash.ts';
import { toJson } from '../../domain/common/json.ts';
import { formatMicroUsd, parseUsd } from '../../domain/common/money.ts';
import { quoteText } from '../../domain/common/readable.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { createDataFailure, type DataFailure } from '../../domain/data/data-failure.ts';
import { dataResultSchema } from '../../domain/data/envelope.ts';
import { SourceList } from '../../domain/data/source.ts';
import { wrapUntrusted } from '../../domain/page/clean-text.ts';
import { ADVANCED } from '../../domain/tool/advanced.ts';
import type { Tool, ToolContext } from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import { detectFormat, parseCues, TRANSCRIPT_CHARS_MAX } from '../../domain/video/cues.ts';
import { VideoReport } from '../../domain/video/report.ts';
import { buildSections, type TranscribedVideo } from '../../domain/video/sections.ts';
import { parseVideoId } from '../../domain/video/video.ts';
import { createDataResult } from '../data/data-answer.ts';
import { OPEN_WORLD_READ_HINTS } from '../service/annotations.ts';
import { CAPTIONS_VARIABLE, readVideos } from './read-videos.ts';

/** Time limit for the facts of all videos, in milliseconds. */
export const FACTS_MS = 15 * SECOND_MS;
/** Time limit if captions are read too, in milliseconds: three sequential requests per video. */
export const CAPTIONS_MS = 45 * SECOND_MS;
/** Maximum videos of one report. */
export const VIDEOS_MAX = 10;
const NAME = 'content_youtube-research';

const Input = z.strictObject({
  topic: z.string().min(1).max(200).describe('Topic of the report.'),
  questions: z.array(z.string().min(3).max(200)).max(10).default([]).describe('One section each.'),
  videos: z
    .array(
      z.strictObject({
        video: z.string().max(300).describe('Id or URL of a YouTube video.'),
        transcript: z
          .string()
          .max(TRANSCRIPT_CHARS_MAX)
          .optional()
          .describe('Transcript in SRT, WebVTT or json3.'),
      }),
    )
    .min(1)
    .max(VIDEOS_MAX)
    .describe('The videos, each with its transcript if you have one.'),
  lang: z
    .string()
    .regex(/^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})?$/)
    .optional()
    .describe('Language of fetched captions, such as en. Default: English, else any.')
    .meta(ADVANCED),
});
type Input = z.infer<typeof Input>;

const PRICE_USD = '0.10';
const DESCRIPTION = [
  'Create a report on up to 10 YouTube videos from transcripts that you supply (SRT, WebVTT or',
  'json3). Returns word-for-word quotes from the transcripts, per topic and question, with video,',
  'time and a timestamped link. Code checks each quote again in its transcript; quotes that do',
  'not match are dropped and counted. Title and channel come from YouTube’s oEmbed. If the',
  'operator has enabled YouTube captions, they replace missing transcripts; otherwise at least',
  'one transcript is required. No model rewrites the text. For written sources use',
  `research_topic-deep-researcher. $${PRICE_USD} per call. You are not charged if no transcript`,
  'mentions the topic or a question.',
].join(' ');

type Ports = Pick<Services, 'captions' | 'clock' | 'trust' | 'videos'>;

/** Creates the tool `content_youtube-research`. */
export function youtubeResearchTool(deps: Ports): Tool<Input> {
  return {
    server: 'commerce',
    name: NAME,
    title: 'YouTube research report with timestamped quotes',
    description: DESCRIPTION,
    summary:
      'Report on up to 10 YouTube videos from transcripts that you supply, with checked ' +
      'quotes and timestamps. For written sources use research_topic-deep-researcher. ' +
      'No charge without a match.',
    example: {
      topic: 'heat pumps',
      videos: [
        {
          video: 'dQw4w9WgXcQ',
          transcript: '1\n00:00:01,000 --> 00:00:04,000\nHeat pumps move heat.',
        },
      ],
    },
    annotations: OPEN_WORLD_READ_HINTS,
    input: Input,
    output: dataResultSchema(VideoReport),
    price: { amount: formatMicroUsd(parseUsd(PRICE_USD)), flow: 'authorization' },
    checkReady: (input) => {
      const ids = input.videos.map(({ video }, at) => requireVideoId(video, at));
      if (new Set(ids).size < ids.length) throw inputError('videos', ids, 'each video once');
      for (const [at, { transcript }] of input.videos.entries()) checkTranscript(transcript, at);
      const isWithout = input.videos.every(({ transcript }) => transcript === undefined);
      if (isWithout && deps.captions === undefined) throw noTranscriptsError();
      return { videos: ids.length };
    },
    run: (input, context) => run(input, context, deps),
  };
}

async function run(input: Input, context: ToolContext, deps: Ports): Promise<ToolResult> {
  const { clock, captions } = deps;
  const sources = new SourceList();
  const { watched, faults, invisibleCharacters } = await readVideos(deps, {
    asked: input.videos.map(({ video, transcript }, at) => ({
      videoId: requireVideoId(video, at),
      transcript,
    })),
    deadline: clock.now() + (captions === undefined ? FACTS_MS : CAPTIONS_MS),
    language: input.lang,
    sources,
  });
  const made = buildSections(watched, input);
  const isSilent = made.sections.every(({ quotes }) => quotes.length === 0);
  const report: VideoReport = {
    topic: input.topic,
    untrusted: true,
    ...made,
    removed: { invisible_characters: invisibleCharacters },
  };
  const missing = watched.filter(({ said }) => said.length === 0).map(({ videoId }) => videoId);
  const isRead = missing.length < watched.length;
  return createDataResult(deps, context, {
    tool: NAME,
    headline: isSilent
      ? SILENCE[isRead ? 'read' : 'unread']
      : `${made.checks.quotes_checked - made.checks.quotes_dropped} quotes with timestamps.`,
    blocks: isSilent ? [] : [quotesBlock(report, context)],
    data: isSilent ? null : toJson(report),
    sources: sources.records(),
    coverage: { asked: watched.length, answered: watched.length - missing.length, missing },
    faults: isSilent && isRead ? [...faults, silenceFault()] : faults,
    method: METHOD,
    disclaimer: disclaimerOf(watched),
  });
}

const SILENCE = {
  read: 'No transcript mentions the topic or a question.',
  unread: 'No transcript is available.',
} as const;

const METHOD = {
  writer: 'extractive: passages of transcripts, ranked by BM25, word for word',
  check: 'each quote is looked up again in the cues at its time, plus or minus two seconds',
  facts: 'YouTube oEmbed',
  captions: 'YouTube, in json3, if the operator has enabled them',
};

function quotesBlock({ sections }: VideoReport, { paymentId }: ToolContext): string {
  const lines = sections.flatMap(({ heading, quotes }) => [
    heading,
    ...quotes.map(({ url, quote }) => `- ${quoteText(quote)} <${url}>`),
  ]);
  return wrapUntrusted(lines.join('\n'), sha256Hex(`videos ${paymentId ?? ''}`).slice(0, 24));
}

function disclaimerOf(watched: readonly TranscribedVideo[]): string {
  const isTaken = watched.some(({ origin }) => origin !== 'caller' && origin !== 'none');
  const words = isTaken
    ? 'Transcripts are from the caller or YouTube captions; automatic captions have errors.'
    : 'Transcripts are from the caller.';
  return `${words} They are not compared with the video.`;
}

function requireVideoId(video: string, place: number): string {
  const found = parseVideoId(video);
  if (found !== undefined) return found;
  throw inputError(`videos.${place}.video`, video, 'an id of 11 characters, or a YouTube URL');
}

function checkTranscript(transcript: string | undefined, place: number): void {
  if (transcript === undefined || parseCues(transcript, detectFormat(transcript)).length > 0)
    return;
  const received = transcript.slice(0, 100);
  throw inputError(`videos.${place}.transcript`, received, 'SRT, WebVTT or json3 with timed text');
}

function inputError(path: string, received: unknown, allowed: string): AppError {
  return new AppError('INPUT_INVALID', {
    message: `\`${path}\` cannot be read; it must be ${allowed}.`,
    data: { path, received: received as string, allowed },
  });
}

function noTranscriptsError(): AppError {
  return new AppError('NOT_CONFIGURED', {
    message:
      'This server does not fetch captions from YouTube. Supply a transcript, ' +
      `or ask the operator to set ${CAPTIONS_VARIABLE}=on.`,
    data: {
      path: 'videos.0.transcript',
      allowed: 'SRT, WebVTT or json3',
      variable: CAPTIONS_VARIABLE,
    },
  });
}

function silenceFault(): DataFailure {
  const detail = 'No passage has a word of the topic or the questions.';
  return createDataFailure('not_found', { upstream: 'caller', detail });
}
