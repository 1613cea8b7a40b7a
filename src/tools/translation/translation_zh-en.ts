import { z } from 'zod';
import type { Services } from '../../actors/common/services.ts';
import { AppError } from '../../domain/common/error.ts';
import { sha256Hex } from '../../domain/common/hash.ts';
import { toJson } from '../../domain/common/json.ts';
import { formatMicroUsd, parseUsd } from '../../domain/common/money.ts';
import { SECOND_MS, toIsoTime } from '../../domain/common/time.ts';
import type { DataFailure } from '../../domain/data/data-failure.ts';
import { dataResultSchema } from '../../domain/data/envelope.ts';
import { SourceList, type UnnumberedSource } from '../../domain/data/source.ts';
import { type LlmModel, type LlmPort, listOfferedModels } from '../../domain/llm/llm.ts';
import { wrapUntrusted } from '../../domain/page/clean-text.ts';
import { ADVANCED } from '../../domain/tool/advanced.ts';
import type { Tool, ToolContext } from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import {
  GlossaryTerm,
  hasPassed,
  listFailures,
} from '../../domain/translation/check-translation.ts';
import { TextLanguage, TranslationReport } from '../../domain/translation/report.ts';
import { createDataResult } from '../data/data-answer.ts';
import { type Attempt, answerTokens, askTranslation } from './ask-translation.ts';

/** Maximum characters of one text. */
export const TEXT_CHARS_MAX = 6_000;
const TERMS_MAX = 100;
const NAME = 'translation_zh-en';
const PRICE_USD = '0.25';
const PRICE = parseUsd(PRICE_USD);
/** Model answers that the price must cover: the first, a retry if unreadable, a correction. */
const ROUNDS_MAX = 3n;
/** No model is asked after this time, in milliseconds. */
const ASKING_MS = 90 * SECOND_MS;

const Input = z.strictObject({
  text: z.string().min(1).max(TEXT_CHARS_MAX).describe('Text to translate.'),
  source: TextLanguage.describe('Language of the text.'),
  target: TextLanguage.describe('Language of the translation.'),
  glossary: z
    .array(GlossaryTerm)
    .max(TERMS_MAX)
    .default([])
    .describe('Terms with their required translations.'),
  names: z
    .array(z.string().min(1).max(200))
    .max(TERMS_MAX)
    .default([])
    .describe('Names to keep unchanged.'),
  domain: z
    .string()
    .max(200)
    .optional()
    .describe('Subject of the text, such as accounting.')
    .meta(ADVANCED),
  tone: z
    .enum(['neutral', 'formal', 'plain'])
    .optional()
    .describe('Tone of the translation.')
    .meta(ADVANCED),
});
type Input = z.infer<typeof Input>;

const DESCRIPTION = [
  'Translate between Simplified Chinese and English, both ways, up to 6,000 characters. Code, not',
  'a model, checks the result: numbers by value (3.5亿 is 350 million), names, glossary terms,',
  'addresses, placeholders, tags, code blocks, paragraphs, script, length. If a check fails, the',
  'model corrects the text once. What still fails is listed, and the result is marked',
  'needs_review. checked means that these checks pass, not that the style is good. Needs a',
  `language model that the operator has configured. $${PRICE_USD} per call. You are not charged`,
  'if no model is configured or none answers.',
].join(' ');

type Ports = Pick<Services, 'clock' | 'llm' | 'trust'>;

/** Creates the tool `translation_zh-en`. */
export function translationTool(deps: Ports): Tool<Input> {
  return {
    server: 'commerce',
    name: NAME,
    title: 'Chinese and English translation',
    description: DESCRIPTION,
    summary:
      'Translate up to 6,000 characters between Simplified Chinese and English; code ' +
      'checks numbers, names, terms and layout. Needs a configured language model. No ' +
      'charge without an answer.',
    example: { text: '3.5亿', source: 'zh-Hans', target: 'en' },
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: true,
    },
    input: Input,
    output: dataResultSchema(TranslationReport),
    price: { amount: formatMicroUsd(PRICE), flow: 'authorization' },
    checkReady: (input) => {
      if (input.source === input.target) throw sameLanguageError(input);
      return { models: selectModels(deps.llm, input).length };
    },
    run: (input, context) => run(input, context, deps),
  };
}

async function run(input: Input, context: ToolContext, deps: Ports): Promise<ToolResult> {
  const faults: DataFailure[] = [];
  const [from, to] = [languageOf(input.source), languageOf(input.target)];
  const order = { ...input, from, to, budgetMicroUsd: PRICE / ROUNDS_MAX };
  const begun = deps.clock.now();
  for (const { modelId } of selectModels(deps.llm, input)) {
    if (deps.clock.now() - begun > ASKING_MS) break;
    const asked = await askTranslation(deps.llm, modelId, order);
    if ('attempt' in asked)
      return createAnswer(input, context, deps, { ...asked, modelId, faults });
    faults.push(asked.fault);
  }
  return createDataResult(deps, context, {
    tool: NAME,
    headline: 'No model returned a translation.',
    data: null,
    sources: [],
    coverage: { asked: 1, answered: 0, missing: ['translation'] },
    faults,
    method: METHOD,
  });
}

const METHOD = {
  translation: 'a language model of the operator',
  checks: 'by code: numbers by value, kept parts, names, glossary, script, paragraphs, length',
};

interface CheckedAttempt {
  readonly attempt: Attempt;
  readonly modelId: string;
  readonly faults: readonly DataFailure[];
}

function createAnswer(
  input: Input,
  context: ToolContext,
  deps: Ports,
  { attempt, modelId, faults }: CheckedAttempt,
): ToolResult {
  const { translation, checks, rounds } = attempt;
  const sources = new SourceList();
  const at = toIsoTime(deps.clock.now());
  const cited = [
    sources.assignId(textSource('caller', 'urn:stoa:input:text', input.text, at)),
    sources.assignId(textSource(modelId, `urn:stoa:model:${modelId}`, translation, at)),
  ];
  const quality = hasPassed(checks) ? 'checked' : 'needs_review';
  const { source, target } = input;
  const report: TranslationReport = {
    translation,
    source,
    target,
    quality,
    checks,
    rounds,
    cited,
  };
  const open = listFailures(checks).map((fault) => `Open: ${fault}`);
  return createDataResult(deps, context, {
    tool: NAME,
    headline: quality === 'checked' ? 'All checks pass.' : 'Needs review.',
    lines: open,
    blocks: [
      wrapUntrusted(translation, sha256Hex(`translation ${context.paymentId ?? ''}`).slice(0, 24)),
    ],
    data: toJson(report),
    sources: sources.records(),
    coverage: { asked: 1, answered: 1, missing: [] },
    faults,
    method: { ...METHOD, model: modelId },
    disclaimer: 'Made by a language model. The checks find changes of content, not bad style.',
  });
}

function textSource(upstream: string, url: string, text: string, at: string): UnnumberedSource {
  return {
    upstream,
    url,
    retrieved_at: at,
    revalidated_at: null,
    sha256: sha256Hex(text),
    bytes: new TextEncoder().encode(text).byteLength,
    http_status: null,
    from_cache: false,
  };
}

/** Returns the models whose answers fit the price; the operator bears an unknown cost. */
function selectModels(llm: LlmPort, { text }: Input): readonly LlmModel[] {
  if (llm.models.length === 0) {
    throw new AppError('NOT_CONFIGURED', {
      message: 'A translation needs a language model: set STOA_LLM_MODELS. You are not charged.',
      data: { variable: 'STOA_LLM_MODELS' },
    });
  }
  const fitting = listOfferedModels(llm).filter(({ modelId }) => {
    const most = llm.maxCost(modelId, text.length * 3, answerTokens(text));
    return most === null || BigInt(most) * ROUNDS_MAX <= PRICE;
  });
  if (fitting.length > 0) return fitting;
  throw new AppError('NOT_CONFIGURED', {
    message: 'Every model may cost more for this text than its price. You are not charged.',
    data: { received: text.length, allowed: 'a shorter text' },
  });
}

function languageOf(tag: TextLanguage): 'zh' | 'en' {
  return tag === 'en' ? 'en' : 'zh';
}

function sameLanguageError({ source, target }: Input): AppError {
  return new AppError('INPUT_INVALID', {
    message: '`source` and `target` are the same language.',
    data: { path: 'target', received: target, allowed: source === 'en' ? 'zh-Hans' : 'en' },
  });
}
