import { isObject } from '../../common/json.ts';
import { joinPattern } from '../join-pattern.ts';
import { inputSchemaOf, listMembers, type Schema } from './arguments.ts';
import type { Definition } from './recon.ts';
import {
  booleanHints,
  describeTool,
  findActingVerb,
  findChangingVerb,
  findLosingVerb,
  splitName,
} from './tool-verbs.ts';

/** A defect in the definition of a tool. */
export interface DefinitionDefect {
  readonly fault: 'exfiltration' | 'over-broad' | 'unannotated' | 'misleading';
  readonly place: string;
  readonly why: string;
}

/** Field names that collect arbitrary model context and serve nothing else. */
const SIDE_CHANNEL_FIELD = joinPattern(
  '',
  '^(?:side ?notes?|notes? for (?:the )?(?:server|log|tool)|debug(?: info|',
  ' data| context| notes?| payload)?|telemetry|diagnostics?(?: data| context)?|',
  'trace(?: data| context| info)?|(?:extra|additional|full|raw|user|session|',
  'agent|model|llm|caller|client|conversation|chat|request|call|tool|',
  'background|surrounding|system) (?:context|info|information|data|metadata|',
  'notes|history|state|memory|log|details|prompt)|context|metadata|meta|memo|',
  'reasoning|thoughts?|chain of thought|analytics(?: data)?|feedback(?: data)?|',
  'annotations?|scratchpad|conversation(?: history)?|chat history|',
  'system prompt|history|transcript|prompt|internal notes?|audit (?:note|',
  'context|trail)|tracking|quality data|improvement data|correlation(?: data)?|',
  'env|environment|secrets?|origin context)$',
);
const COLLECTS_CONTEXT = joinPattern(
  'i',
  '\\b(?:conversation|chat (?:history|log)|(?:previous|prior|earlier|last|',
  'recent|all|other) (?:messages|tool (?:calls|results|outputs)|turns|results|',
  "answers)|system prompt|what the user|user'?s (?:message|request|prompt|",
  'question|words|original)|everything|anything (?:else|that|relevant)|',
  'any (?:other )?(?:relevant|available|known)|full (?:context|text|content)|',
  'your (?:reasoning|thoughts|context|memory|instructions)|',
  'environment variables?|(?:any|all|your|known|found|',
  'available) (?:credentials?|api[ -]?keys?|passwords?|secrets?)|',
  '(?:memories|notes|knowledge|facts) (?:of|about|on) the (?:assistant|model|agent|user)|',
  'tokens? (?:you|found|in)|files? (?:you have|seen|read|in (?:the )?context)|',
  'verbatim|so far|in (?:your )?context|working memory|content of (?:any|all|',
  'the) (?:open|other|recent))\\b',
);
const FORBIDS_SECRETS = joinPattern(
  'i',
  "\\b(?:never|do not|don't|must not|no) (?:\\w+ ){0,4}(?:secrets?|passwords?|",
  'credentials?|tokens?|keys?|personal)',
);
/** Fields that accept anything: commands, code, queries, addresses. */
const BROAD_FIELD = joinPattern(
  '',
  '^(?:command|cmd|shell(?: command)?|script|code|sql|raw sql|raw query|',
  'statement|expression|eval|program|bash|powershell|exec|cli|cli args|raw|',
  'raw request|anything|action|operation|method|instruction|procedure|payload|',
  'javascript|python|function|query)$',
);
const BROAD_TOOL = joinPattern(
  'i',
  '\\b(?:any|arbitrary|every|all|whatever|unrestricted|full|raw|everything|',
  'anything|anybody|anyone|any\\w*)\\b|(?:^|[\\s:/])\\*(?:$|[\\s.:,])',
);
const BROAD_WORDS = joinPattern(
  'i',
  '\\b(?:(?:any|arbitrary|whatever|unrestricted|every|raw|',
  'all) (?:\\w+ )?(?:command|shell|code|sql|statement|query|quer(?:y|ies)|',
  'script|operation|action|path|file|url|request|method|program|table|endpoint|',
  'account|tool|process)s?|full (?:access|control)|(?:everything|',
  'anything) (?:on|in|that|you|the)|with (?:root|admin\\w*|full) (?:rights|',
  'privileges|access)|no (?:restrictions?|limits?))\\b',
);

/** Characters of a description that are examined. */
const DESCRIPTION_CHARS_MAX = 20_000;
const RUN_WORDS = joinPattern(
  'i',
  '\\b(?:script|command|code|sql|statement|program|expression|',
  'query)s?\\b.{0,40}\\b(?:run|executed|evaluated|performed|',
  'sent to the (?:server|database|shell))\\b',
);

/** Tools that process conversations and prompts of others. */
const TALK_TOOL =
  /prompt|model|llm|chat|conversation|meeting|transcript|agent|minutes|message|bench|eval/i;
/** Refers to the reader's own conversation. */
const OF_READER =
  /\b(?:you|your|this (?:conversation|chat|session)|so far|up to|until now|the user|verbatim)\b/i;
const ON_THE_SERVER = joinPattern(
  'i',
  '\\b(?:on|by|in|against) (?:the|our|this) (?:\\w+ )?(?:server|database|machine|host|',
  'system|backend|shop)\\b',
);
/** Tools whose purpose is to run their input. */
const RUN_TOOL = joinPattern(
  'i',
  '\\b(?:run|exec|execute|eval|evaluate|shell|bash|terminal|repl|process|command|code|cell|',
  'sql|query|ssh)\\b',
);

function firstSentence({ description }: Definition): string {
  return typeof description === 'string' ? (description.split(/[.!?\n]/)[0] ?? '') : '';
}

/** Finds fields that exfiltrate context. */
export function findExfiltration(tool: Definition): readonly DefinitionDefect[] {
  const purposeText = `${splitName(tool.name).join(' ')} ${firstSentence(tool)}`;
  return listMembers(inputSchemaOf(tool)).flatMap(({ name, path, description, schema }) => {
    if (Array.isArray(schema['enum']) || schema['type'] === 'boolean') return [];
    const words = splitName(name).join(' ');
    const isSide = SIDE_CHANNEL_FIELD.test(words);
    const isCarrying = COLLECTS_CONTEXT.test(description) && !FORBIDS_SECRETS.test(description);
    const isOwnPurpose = splitName(tool.name).some((word) => words.split(' ').includes(word));
    const isOfOthers = TALK_TOOL.test(purposeText) && !OF_READER.test(description);
    if (!isCarrying || isOfOthers || (isOwnPurpose && !isSide)) return [];
    const why = isSide ? 'a side-channel field for context' : 'collects context';
    return [{ fault: 'exfiltration' as const, place: path.join('.'), why }];
  });
}

/** Search terms may be anything. */
const SEARCH_VERBS = new Set(['search', 'find', 'lookup']);

/** Finds tools that execute arbitrary input. */
export function findOverBroad(tool: Definition): readonly DefinitionDefect[] {
  const toolText = `${splitName(tool.name).join(' ')} ${describeTool(tool)}`;
  const schema = inputSchemaOf(tool);
  const fields = listMembers(schema);
  const isSearch = splitName(tool.name).some((word) => SEARCH_VERBS.has(word));
  const free = fields.find(({ name, schema: own }) => {
    const words = splitName(name).join(' ');
    return BROAD_FIELD.test(words) && acceptsFreeText(own) && !(isSearch && words === 'query');
  });
  const isSaid = BROAD_WORDS.test(toolText);
  const isRunner = RUN_TOOL.test(splitName(tool.name).join(' '));
  if (free !== undefined && (isSaid || isTooBroad(free.description, isRunner))) {
    const location = free.path.join('.');
    return [{ fault: 'over-broad', place: location, why: 'executes arbitrary input' }];
  }
  const isOpen =
    fields.length === 0 && isObject(tool['inputSchema']) && schema['additionalProperties'] === true;
  const needs = isOpen && findActingVerb(tool) !== undefined;
  if (needs) {
    return [{ fault: 'over-broad', place: 'inputSchema', why: 'accepts arbitrary members' }];
  }
  return [];
}

/** Finds acting tools with missing or contradictory hints. */
export function findHintDefects(tool: Definition): readonly DefinitionDefect[] {
  const hints = booleanHints(tool);
  const acting = findActingVerb(tool);
  const changing = findChangingVerb(tool) ?? findClaimedChange(tool);
  const losing = findLosingVerb(tool);
  if (changing !== undefined && hints['readOnlyHint'] === true) {
    const why = `"${changing}" in its description contradicts its read-only hint`;
    return [{ fault: 'misleading', place: 'annotations.readOnlyHint', why }];
  }
  if (losing !== undefined && hints['destructiveHint'] === false) {
    const why = `"${losing}" in its name contradicts its non-destructive hint`;
    return [{ fault: 'misleading', place: 'annotations.destructiveHint', why }];
  }
  const isSilent = hints['readOnlyHint'] === undefined && hints['destructiveHint'] === undefined;
  if (acting === undefined || !isSilent) return [];
  const why = `"${acting}" in its name, but no hint says that it acts`;
  return [{ fault: 'unannotated', place: 'annotations', why }];
}

/** Sentences in which a tool says that it changes something besides its own result. */
const CHANGE_CLAIM = joinPattern(
  '',
  '^\\W*(?:(?:It|This tool) )?(?:\\w+ly |[Aa]lso |[Tt]hen )?((?:[Dd]elet|[Rr]emov|[Ee]ras|[Ww]ip|',
  '[Pp]urg|[Oo]verwrit|[Rr]evok|[Uu]ninstall|',
  '[Dd]estroy|[Dd]rop|[Ee]mpti|[Cc]ancel|[Tt]ransfer|[Pp]ay|[Pp]ublish|[Gg]rant|[Ii]nstall|',
  '[Rr]eset|[Mm]ail|[Ss]end)(?:e?s))\\b',
);
const HARMLESS_CLAIM = joinPattern(
  'i',
  '\\bfrom (?:a|the|your|its) (?:text|input|string|image|answer|result)s?\\b|\\b(?:nothing|',
  'not|never|only|copy|would|preview|dry.run)\\b',
);

function findClaimedChange({ description }: Definition): string | undefined {
  if (typeof description !== 'string') return undefined;
  const sentences = description.slice(0, DESCRIPTION_CHARS_MAX).split(/(?<=[.!?;])\s+|\n+/);
  const claims = sentences
    .filter((one) => !HARMLESS_CLAIM.test(one))
    .map((one) => CHANGE_CLAIM.exec(one)?.[1]);
  return claims.find((one) => one !== undefined)?.toLowerCase();
}

/** A runner is too broad only if it leaves its dedicated environment. */
function isTooBroad(description: string, isRunner: boolean): boolean {
  if (BROAD_TOOL.test(description)) return true;
  return RUN_WORDS.test(description) && (!isRunner || ON_THE_SERVER.test(description));
}

function acceptsFreeText(schema: Schema): boolean {
  const { pattern, maxLength } = schema;
  if (Array.isArray(schema['enum']) || 'const' in schema || pattern !== undefined) return false;
  return typeof maxLength !== 'number' || maxLength > 100;
}
