import { isObject } from '../common/json.ts';
import type { RpcOutcome } from './audit-target.ts';
import { joinPattern } from './join-pattern.ts';
import { isSuccess, resultText } from './probe/tool-result.ts';

/** Characters of a response that are searched for a denial. */
const RESPONSE_CHARS_MAX = 4_000;
/** Maximum length of a response that can count as empty. */
const EMPTY_CHARS_MAX = 200;
const DENIAL = joinPattern(
  'i',
  "\\b(?:no such|not found|does ?n[o']t exist|not exist|enoent|unknown|invalid|denied|forbidden|",
  "not allowed|not permitted|outside|missing|could ?n[o']t|can ?not|can't|unable|failed|fails|",
  'error|refused|no (?:results?|matches|entr(?:y|ies)|records?|files?|data|items?|pages?|notes?)|',
  'nothing|none|empty|unresolved|enotfound|404|there (?:is|are) no)\\b',
);

/** Returns whether a tool responds that the given name does not exist. */
export function reportsMissing(outcome: RpcOutcome): boolean {
  if (outcome.kind === 'error' || outcome.kind === 'refused') return true;
  if (outcome.kind !== 'result') return false;
  if (!isSuccess(outcome)) return true;
  const text = resultText(outcome).slice(0, RESPONSE_CHARS_MAX);
  return DENIAL.test(text) || isEmpty(text);
}

/** Returns whether the tool itself denies the name in text or with an empty result. */
export function deniesName(outcome: RpcOutcome): boolean {
  if (outcome.kind === 'error')
    return DENIAL.test(resultText(outcome).slice(0, RESPONSE_CHARS_MAX));
  if (outcome.kind !== 'result' || !isObject(outcome.result)) return false;
  const text = resultText(outcome).slice(0, RESPONSE_CHARS_MAX);
  return DENIAL.test(text) || (Array.isArray(outcome.result['content']) && isEmpty(text));
}

/** Matches an empty text, or lists and objects without content. */
function isEmpty(text: string): boolean {
  if (text.length > EMPTY_CHARS_MAX) return false;
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.every((line) => isEmptyValue(parseJsonOrText(line)));
}

function isEmptyValue(value: unknown): boolean {
  if (value === null || value === '' || value === 0) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.values(value).every(isEmptyValue);
}

function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
