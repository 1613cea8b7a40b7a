import type { LlmRequest, LlmUsage } from '../../domain/llm/llm.ts';
import type { PartialAnswer } from './attempt.ts';

/** Characters per token if the provider reports no count; a conservative estimate. */
const CHARS_PER_TOKEN = 3;
/** Tokens of a request besides its text: roles, framing, and additions by a host. */
const OVERHEAD_TOKENS = 4_000;

const NO_USAGE: LlmUsage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  source: 'none',
};

/**
 * Returns the usage of a call. A provider's counts are accepted if they are plausible: more than
 * the allowed maximum counts as that maximum, and missing or zero counts are estimated.
 *
 * @param isUnsent - Whether the provider did no work.
 */
export function computeUsage(
  request: LlmRequest,
  gathered: PartialAnswer,
  isUnsent: boolean,
): LlmUsage {
  if (!gathered.isSent || isUnsent) return NO_USAGE;
  const { usage, text } = gathered;
  const { system, prompt, maxOutputTokens } = request;
  const reported = reportedBy(gathered);
  const input = reported.input > 0 ? reported.input : estimateTokens(system.length + prompt.length);
  const output = reported.output > 0 ? reported.output : estimateTokens(text.length);
  const used = {
    input: Math.min(input, countSentChars(request) * 2 + OVERHEAD_TOKENS),
    output: Math.min(output, maxOutputTokens),
  };
  const isNamed = reported.input > 0 && (reported.output > 0 || text === '');
  const isBounded = used.input < input || used.output < output;
  const cacheRead = Math.min(usage?.cacheRead ?? 0, used.input);
  const cacheWrite = Math.min(usage?.cacheWrite ?? 0, used.input - cacheRead);
  const source = isBounded ? 'bounded' : isNamed ? 'provider' : 'estimated';
  return { ...used, cacheRead, cacheWrite, source };
}

/** Early counts of a stream are placeholders until the provider reports how it ended. */
function reportedBy({ usage, stop, isDone }: PartialAnswer) {
  const { input = 0, output = 0 } = usage ?? {};
  const isOver = stop !== undefined || isDone || output > 1;
  return { input, output: isOver ? output : 0 };
}

/** Returns the number of characters that a request sends, including its schema. */
export function countSentChars({ system, prompt, schema }: LlmRequest): number {
  return system.length + prompt.length + JSON.stringify(schema.jsonSchema).length;
}

function estimateTokens(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}
