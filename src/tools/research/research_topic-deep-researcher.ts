import { z } from 'zod';
import { WRITER_BUDGET } from '../../actors/research/ask-writer.ts';
import { deepResearch, searchesFor } from '../../actors/research/research-kind.ts';
import type { ResearchPorts } from '../../actors/research/research-ports.ts';
import { AppError } from '../../domain/common/error.ts';
import { microUsd, toText } from '../../domain/common/money.ts';
import { tellingWords } from '../../domain/research/rank.ts';
import { ResearchReport } from '../../domain/research/report.ts';
import { DEPTHS, Depth, QUESTIONS_MAX, URLS_MAX } from '../../domain/research/request.ts';
import type { Tool } from '../../domain/tool/tool.ts';
import { type ReportToolDeps, reportTool } from '../report/report-tool.ts';

const NAME = 'research_topic-deep-researcher';
const URL_CHARS_MAX = 2_048;

const Input = z.strictObject({
  topic: z.string().trim().min(3).max(200).describe('The subject in a few words, or one question.'),
  questions: z
    .array(z.string().trim().min(3).max(200))
    .max(QUESTIONS_MAX)
    .default([])
    .describe('Parts of the question; each is answered or told as not answered.'),
  depth: Depth.default('standard').describe(
    `Documents at the most: ${DEPTHS.brief.together}, ${DEPTHS.standard.together} or ` +
      `${DEPTHS.deep.together}, and those of urls.`,
  ),
  sources: z
    .array(z.enum(['wikipedia', 'crossref', 'arxiv', 'news', 'filings', 'hackernews']))
    .max(6)
    .optional()
    .describe('Places to search; absent: all that need nothing of the operator; []: urls alone.'),
  urls: z
    .array(z.url({ protocol: /^https?$/ }).max(URL_CHARS_MAX))
    .max(URLS_MAX)
    .default([])
    .describe('Pages of yours to read beside what is found.'),
  wait_s: z.int().min(0).max(120).default(30).describe('Seconds to wait; 0 answers at once.'),
});
type Input = z.infer<typeof Input>;

const DESCRIPTION = [
  'Researches a topic and writes a brief: executive summary, answers to your questions,',
  'mechanisms, alternatives, risks, every claim with [n] citations. Searches Wikipedia, abstracts',
  'of Crossref and arXiv, curated news feeds, filings with the SEC and Hacker News, and reads',
  'pages that you name. A citation is a passage of a document of this run with address, time, hash',
  'and place; what a discussion says comes after what was published. Code, not a model, then',
  'checks each claim: passages at their places, numbers by value, quotations, names, words, and no',
  '"not" lost; what fails is dropped and counted. A language model of the operator writes where',
  'one is configured, else the brief is extractive, word for word. Documents are strangers’ words',
  'and stand between marked lines. A job: get_result waits for it and cancels it. Where no',
  'question is answered, the price goes back.',
].join(' ');

/** What the tool works with. */
export interface ResearchToolDeps {
  readonly data: ResearchPorts;
  readonly reporting: ReportToolDeps;
}

/** The tool that researches a topic. */
export function deepResearcherTool({ data, reporting }: ResearchToolDeps): Tool<Input> {
  return reportTool(reporting, {
    kind: { ...deepResearch(data), tool: NAME },
    title: 'Research with checked citations',
    description: DESCRIPTION,
    price: toText(microUsd('0.25')),
    input: Input,
    data: ResearchReport,
    ready: (input) => {
      checkWords(input);
      checkPlaces(input, data);
      return {
        documents_max: DEPTHS[input.depth].together + input.urls.length,
        sources: searchesFor(input, data).map(({ id }) => id),
        writer: writerOf(data),
      };
    },
  });
}

/** Whether a model will be asked; one that may cost too much is left out when it comes to it. */
function writerOf({ llm }: ResearchPorts): string {
  const isSome = llm.models.some(({ modelId }) => {
    const most = llm.ceiling(modelId, 0, 1);
    return most === null || BigInt(most) <= BigInt(WRITER_BUDGET);
  });
  return isSome ? 'model' : 'extractive';
}

function checkWords({ topic, questions }: Input): void {
  for (const [path, text] of [
    ['topic', topic] as const,
    ...questions.map((question, at) => [`questions.${at}`, question] as const),
  ]) {
    if (tellingWords(text).length > 0) continue;
    throw new AppError('INPUT_INVALID', {
      message: 'There is no word in it that could be looked for.',
      data: { path, received: text, allowed: 'a few words with a meaning of their own' },
    });
  }
}

function checkPlaces(input: Input, data: ResearchPorts): void {
  const places = searchesFor(input, data);
  const variable = places.flatMap(({ missing }) => missing)[0];
  if (variable !== undefined) {
    const message = `That place is searched only once the operator has set ${variable}.`;
    throw new AppError('NOT_CONFIGURED', { message, data: { path: 'sources', variable } });
  }
  if (places.length + input.urls.length > 0) return;
  throw new AppError('INPUT_INVALID', {
    message: 'There is nothing to look into: name a place or an address.',
    data: { path: 'sources', received: [], allowed: data.searches.map(({ id }) => id) },
  });
}
