import { isObject, type Json, type JsonObject } from '../../../domain/common/json.ts';
import type { Ev } from '../../../runtime/engine/types.ts';
import { toJsonData } from '../../../runtime/value/typed-value.ts';
import { hideValue, ITEMS_MAX, type Redactor, TEXT_CHARS_MAX } from './redaction.ts';
import type { RedactedPlace, RedactionRule } from './redaction-rule.ts';

/** Creates redactors that show everything that no rule hides. */
export function createRuleRedactors(rules: readonly RedactionRule[]): (kind: string) => Redactor {
  const all = rules.map(toCheck);
  return (kind) => {
    const show = (value: unknown, root: string, eventType?: string): Json =>
      redact(
        toJsonData(value),
        { kind, path: [root], ...(eventType === undefined ? {} : { eventType }) },
        all,
      );
    return {
      context: (context) => asObject(show(context, 'context')),
      event: ({ type, ...members }) => ({ ...asObject(show(members, 'event', type)), type }),
      output: (output) => (output === undefined ? null : show(output, 'output')),
      reason: (reason, event) => {
        const shown = show(reason, 'reason', event.type);
        if (typeof shown !== 'string') return HIDDEN_REASON;
        return withoutTexts(
          shown,
          hiddenTexts(event, (value) => show(value, 'event', event.type)),
        );
      },
    };
  };
}

const HIDDEN_REASON = '[left out]';
/** A shorter hidden text would remove parts of common words. */
const HIDDEN_TEXT_CHARS_MIN = 3;

type Check = (value: unknown, place: RedactedPlace) => unknown;

function toCheck(rule: RedactionRule): Check {
  if (typeof rule === 'function') return (value, place) => runSafely(rule, value, place);
  const pattern = rule.split('.');
  return (value, { path }) => (matches(pattern, path) ? undefined : value);
}

/** A rule that throws hides the value. */
function runSafely(rule: Check, value: unknown, place: RedactedPlace): unknown {
  try {
    return rule(value, place);
  } catch {
    return undefined;
  }
}

function matches(pattern: readonly string[], path: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return path.length === 0;
  if (first === '**') {
    return path.some((_, at) => matches(rest, path.slice(at))) || matches(rest, []);
  }
  const [name, ...inner] = path;
  return name !== undefined && (first === '*' || first === name) && matches(rest, inner);
}

function redact(value: unknown, place: RedactedPlace, checks: readonly Check[]): Json {
  let shown = value;
  for (const check of checks) {
    if (shown === undefined) break;
    shown = check(shown, place);
  }
  if (shown === undefined) return hideValue(value);
  const inner = (name: string, member: unknown): Json =>
    redact(member, { ...place, path: [...place.path, name] }, checks);
  if (Array.isArray(shown)) {
    if (shown.length > ITEMS_MAX) return hideValue(shown);
    return shown.map((item, at) => inner(String(at), item));
  }
  if (isObject(shown)) {
    const members = Object.entries(shown).filter(([, member]) => member !== undefined);
    if (members.length > ITEMS_MAX) return hideValue(shown);
    return Object.fromEntries(members.map(([name, member]) => [name, inner(name, member)]));
  }
  if (typeof shown === 'string' && shown.length > TEXT_CHARS_MAX) return hideValue(shown);
  return shown as Json;
}

/** A hidden whole becomes its own only member, because these places need an object. */
function asObject(value: Json): JsonObject {
  return isObject(value) ? (value as JsonObject) : { value };
}

/** Lists the texts of an event that its redacted form lacks: an error may quote them. */
function hiddenTexts(event: Ev, show: (members: unknown) => Json): readonly string[] {
  const { type: _, ...members } = event;
  const shown = new Set(listTexts(show(members)));
  return listTexts(members)
    .filter((text) => text.length >= HIDDEN_TEXT_CHARS_MIN && !shown.has(text))
    .sort((a, b) => b.length - a.length);
}

function listTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(listTexts);
}

function withoutTexts(text: string, hidden: readonly string[]): string {
  return hidden.reduce((left, each) => left.replaceAll(each, HIDDEN_REASON), text);
}
