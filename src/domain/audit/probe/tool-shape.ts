import { isObject } from '../../common/json.ts';
import { pattern } from '../pattern.ts';
import { listMembers, type Schema, schemaOf } from './arguments.ts';
import type { Definition } from './recon.ts';
import {
  actingWord,
  changingWord,
  hintsOf,
  losingWord,
  wordsAbout,
  wordsOfName,
} from './tool-nature.ts';

/** A defect in the definition of a tool. */
export interface ShapeFault {
  readonly fault: 'exfiltration' | 'over-broad' | 'unannotated' | 'misleading';
  readonly place: string;
  readonly why: string;
}

/** Field names that collect arbitrary model context and serve nothing else. */
const SIDE_CHANNELS = pattern(
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
const CARRIES = pattern(
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
const ORDINARY = pattern(
  'i',
  "\\b(?:never|do not|don't|must not|no) (?:\\w+ ){0,4}(?:secrets?|passwords?|",
  'credentials?|tokens?|keys?|personal)',
);
/** Fields that accept anything: commands, code, queries, addresses. */
const BROAD = pattern(
  '',
  '^(?:command|cmd|shell(?: command)?|script|code|sql|raw sql|raw query|',
  'statement|expression|eval|program|bash|powershell|exec|cli|cli args|raw|',
  'raw request|anything|action|operation|method|instruction|procedure|payload|',
  'javascript|python|function|query)$',
);
const BROAD_TOOL = pattern(
  'i',
  '\\b(?:any|arbitrary|every|all|whatever|unrestricted|full|raw|everything|',
  'anything|anybody|anyone|any\\w*)\\b|(?:^|[\\s:/])\\*(?:$|[\\s.:,])',
);
const BROAD_WORDS = pattern(
  'i',
  '\\b(?:(?:any|arbitrary|whatever|unrestricted|every|raw|',
  'all) (?:\\w+ )?(?:command|shell|code|sql|statement|query|quer(?:y|ies)|',
  'script|operation|action|path|file|url|request|method|program|table|endpoint|',
  'account|tool|process)s?|full (?:access|control)|(?:everything|',
  'anything) (?:on|in|that|you|the)|with (?:root|admin\\w*|full) (?:rights|',
  'privileges|access)|no (?:restrictions?|limits?))\\b',
);

/** Characters of a description that are examined. */
const SAID_CHARS_MAX = 20_000;
const RUN_WORDS = pattern(
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
const ON_THE_SERVER = pattern(
  'i',
  '\\b(?:on|by|in|against) (?:the|our|this) (?:\\w+ )?(?:server|database|machine|host|',
  'system|backend|shop)\\b',
);
/** Tools whose purpose is to run their input. */
const RUN_TOOL = pattern(
  'i',
  '\\b(?:run|exec|execute|eval|evaluate|shell|bash|terminal|repl|process|command|code|cell|',
  'sql|query|ssh)\\b',
);

function firstSentence({ description }: Definition): string {
  return typeof description === 'string' ? (description.split(/[.!?\n]/)[0] ?? '') : '';
}

/** Finds fields that exfiltrate context. */
export function exfiltrationIn(tool: Definition): readonly ShapeFault[] {
  const said = `${wordsOfName(tool.name).join(' ')} ${firstSentence(tool)}`;
  return listMembers(schemaOf(tool)).flatMap(({ name, path, description, schema }) => {
    if (Array.isArray(schema['enum']) || schema['type'] === 'boolean') return [];
    const words = wordsOfName(name).join(' ');
    const isSide = SIDE_CHANNELS.test(words);
    const isCarrying = CARRIES.test(description) && !ORDINARY.test(description);
    const isOwnPurpose = wordsOfName(tool.name).some((word) => words.split(' ').includes(word));
    const isOfOthers = TALK_TOOL.test(said) && !OF_READER.test(description);
    if (!isCarrying || isOfOthers || (isOwnPurpose && !isSide)) return [];
    const why = isSide ? 'a side-channel field for context' : 'collects context';
    return [{ fault: 'exfiltration' as const, place: path.join('.'), why }];
  });
}

/** Search terms may be anything. */
const SEARCHES = new Set(['search', 'find', 'lookup']);

/** Finds tools that execute arbitrary input. */
export function overBroadIn(tool: Definition): readonly ShapeFault[] {
  const said = `${wordsOfName(tool.name).join(' ')} ${wordsAbout(tool)}`;
  const schema = schemaOf(tool);
  const fields = listMembers(schema);
  const isSearch = wordsOfName(tool.name).some((word) => SEARCHES.has(word));
  const free = fields.find(({ name, schema: own }) => {
    const words = wordsOfName(name).join(' ');
    return BROAD.test(words) && isFree(own) && !(isSearch && words === 'query');
  });
  const isSaid = BROAD_WORDS.test(said);
  const isRunner = RUN_TOOL.test(wordsOfName(tool.name).join(' '));
  if (free !== undefined && (isSaid || isWide(free.description, isRunner))) {
    const place = free.path.join('.');
    return [{ fault: 'over-broad', place, why: 'executes arbitrary input' }];
  }
  const isOpen =
    fields.length === 0 && isObject(tool['inputSchema']) && schema['additionalProperties'] === true;
  const needs = isOpen && actingWord(tool) !== undefined;
  if (needs) {
    return [{ fault: 'over-broad', place: 'inputSchema', why: 'accepts arbitrary members' }];
  }
  return [];
}

/** Finds acting tools with missing or contradictory hints. */
export function hintFaultsIn(tool: Definition): readonly ShapeFault[] {
  const hints = hintsOf(tool);
  const acting = actingWord(tool);
  const changing = changingWord(tool) ?? changeToldIn(tool);
  const losing = losingWord(tool);
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
const CHANGES = pattern(
  '',
  '^\\W*(?:(?:It|This tool) )?(?:\\w+ly |[Aa]lso |[Tt]hen )?((?:[Dd]elet|[Rr]emov|[Ee]ras|[Ww]ip|',
  '[Pp]urg|[Oo]verwrit|[Rr]evok|[Uu]ninstall|',
  '[Dd]estroy|[Dd]rop|[Ee]mpti|[Cc]ancel|[Tt]ransfer|[Pp]ay|[Pp]ublish|[Gg]rant|[Ii]nstall|',
  '[Rr]eset|[Mm]ail|[Ss]end)(?:e?s))\\b',
);
const KEPT = pattern(
  'i',
  '\\bfrom (?:a|the|your|its) (?:text|input|string|image|answer|result)s?\\b|\\b(?:nothing|',
  'not|never|only|copy|would|preview|dry.run)\\b',
);

function changeToldIn({ description }: Definition): string | undefined {
  if (typeof description !== 'string') return undefined;
  const sentences = description.slice(0, SAID_CHARS_MAX).split(/(?<=[.!?;])\s+|\n+/);
  const told = sentences.filter((one) => !KEPT.test(one)).map((one) => CHANGES.exec(one)?.[1]);
  return told.find((one) => one !== undefined)?.toLowerCase();
}

/** A runner is too broad only if it leaves its dedicated environment. */
function isWide(description: string, isRunner: boolean): boolean {
  if (BROAD_TOOL.test(description)) return true;
  return RUN_WORDS.test(description) && (!isRunner || ON_THE_SERVER.test(description));
}

function isFree(schema: Schema): boolean {
  const { pattern, maxLength } = schema;
  if (Array.isArray(schema['enum']) || 'const' in schema || pattern !== undefined) return false;
  return typeof maxLength !== 'number' || maxLength > 100;
}
