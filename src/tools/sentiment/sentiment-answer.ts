import { z } from 'zod';
import type { Services } from '../../actors/common/services.ts';
import { AppError } from '../../domain/common/error.ts';
import { sha256Hex } from '../../domain/common/hash.ts';
import { toJson } from '../../domain/common/json.ts';
import { toReadableLine } from '../../domain/common/readable.ts';
import { isEmptyTopic, parseTopic, TOPIC_CHARS_MAX, type Topic } from '../../domain/news/topic.ts';
import { wrapUntrusted } from '../../domain/page/clean-text.ts';
import type { SentimentReport } from '../../domain/sentiment/report.ts';
import type { ToolContext } from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import { createDataResult } from '../data/data-answer.ts';
import { CHANNEL_NAMES, measureTopic } from './topic-sentiment.ts';

/** Input schema of the sentiment tools. */
export const SentimentInput = z.strictObject({
  topic: z
    .string()
    .min(1)
    .max(TOPIC_CHARS_MAX)
    .describe('Words that must all occur; "quotes" hold a phrase.'),
  channels: z
    .array(z.enum(CHANNEL_NAMES))
    .min(1)
    .max(CHANNEL_NAMES.length)
    .default([...CHANNEL_NAMES])
    .describe('Channels to read. Default: all.'),
  window_h: z.int().min(1).max(168).default(48).describe('Hours back from now.'),
});
/** A parsed {@link SentimentInput}. */
export type SentimentInput = z.infer<typeof SentimentInput>;

/**
 * Parses the topic of an input.
 *
 * @throws {AppError} `INPUT_INVALID` for a topic without a word to search for.
 */
export function topicIn({ topic }: Pick<SentimentInput, 'topic'>): Topic {
  const found = parseTopic(topic);
  if (!isEmptyTopic(found)) return found;
  throw new AppError('INPUT_INVALID', {
    message: '`topic` has no word to search for.',
    data: { path: 'topic', received: topic, allowed: 'words, or a "phrase"' },
  });
}

/** Measures a topic and returns the answer; without any scored channel, it is not charged. */
export async function answerSentiment(
  tool: string,
  input: SentimentInput,
  context: ToolContext,
  deps: Pick<Services, 'clock' | 'feeds' | 'opinions' | 'scorer' | 'trust'>,
): Promise<ToolResult> {
  const channels = [...new Set(input.channels)];
  const order = { words: input.topic, topic: topicIn(input), channels, windowH: input.window_h };
  const { report, sources, faults } = await measureTopic(order, deps);
  const missing = report.channels.flatMap(({ channel, result }) =>
    result === null ? [channel] : [],
  );
  const isNone = missing.length === channels.length;
  return createDataResult(deps, context, {
    tool,
    headline: headlineOf(report, isNone),
    lines: linesOf(report),
    blocks: isNone ? [] : [excerptBlock(report, context)],
    data: isNone ? null : toJson(report),
    sources: sources.records(),
    coverage: { asked: channels.length, answered: channels.length - missing.length, missing },
    faults,
    method: { ...SENTIMENT_METHOD, scorer: deps.scorer.method },
    disclaimer: 'Sentiment of public texts in English. No forecast and no advice.',
  });
}

/** Describes how sentiment is measured. */
export const SENTIMENT_METHOD = {
  interval: 'percentile bootstrap, 1,000 deterministic draws, 95 %',
  overall: 'mean of channels with 10 or more texts, equal weight; at least two channels',
  counted: 'on topic, in the window, in English, no duplicates, 3 per author, no bots',
};

function headlineOf({ overall, topic, overall_missing: why }: SentimentReport, isNone: boolean) {
  const name = JSON.stringify(topic);
  if (isNone) return `Too few texts about ${name} to measure sentiment.`;
  if (overall === null) return `No overall score for ${name}: ${why}`;
  const { score, ci95 } = overall;
  return `${name} scores ${score.value} (95 %: ${ci95.low} to ${ci95.high}) from -1 to 1.`;
}

function linesOf({ channels }: SentimentReport): readonly string[] {
  return channels.map(({ channel, status, n, result }) => {
    if (result === null) return `${channel}: ${status}, ${n} texts.`;
    return `${channel}: ${result.score.value} from ${n} texts.`;
  });
}

/** Formats the most positive and negative texts between delimiter lines that nobody can guess. */
function excerptBlock({ channels }: SentimentReport, { paymentId }: ToolContext): string {
  const lines = channels.flatMap(({ most_positive: best, most_negative: worst }) =>
    [...best.slice(0, 2), ...worst.slice(0, 2)].map(
      ({ score, excerpt, url }) => `${score} ${toReadableLine(excerpt)} <${url}>`,
    ),
  );
  return wrapUntrusted(lines.join('\n'), sha256Hex(`mood ${paymentId ?? ''}`).slice(0, 24));
}
