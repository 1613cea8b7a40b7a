import { isObject } from '../../common/json.ts';
import type { RpcOutcome } from '../audit-target.ts';

/** Returns all text of a tool result: content, structured content, or the error message. */
export function resultText(outcome: RpcOutcome): string {
  if (outcome.kind === 'error') {
    const more = outcome.data === undefined ? '' : `\n${JSON.stringify(outcome.data)}`;
    return `${outcome.message}${more}`;
  }
  if (outcome.kind !== 'result') return outcome.raw;
  const { result } = outcome;
  if (!isObject(result)) return JSON.stringify(result);
  const content = Array.isArray(result['content']) ? result['content'] : [];
  const texts = content.flatMap((item) => contentTexts(item));
  const { structuredContent, _meta } = result;
  const rest = [structuredContent, _meta].filter((part) => part !== undefined);
  return [...texts, ...rest.map((part) => JSON.stringify(part))].join('\n');
}

/** Returns whether the tool succeeded: a result that is not an error. */
export function isSuccess(outcome: RpcOutcome): boolean {
  return (
    outcome.kind === 'result' && isObject(outcome.result) && outcome.result['isError'] !== true
  );
}

function contentTexts(item: unknown): readonly string[] {
  if (!isObject(item)) return [];
  if (typeof item['text'] === 'string') return [item['text']];
  const { resource } = item;
  return isObject(resource) && typeof resource['text'] === 'string' ? [resource['text']] : [];
}
