import { isObject } from '../../common/json.ts';
import { destroysIn, isExistingName } from '../text/existing-names.ts';
import type { OwnNames } from '../text/own-names.ts';
import {
  type Arguments,
  listMembers,
  type Slot,
  sampleArguments,
  schemaOf,
  slotsOf,
  withValue,
} from './arguments.ts';
import { CANARY_PREFIX } from './canary.ts';
import { classifyTool, isAltering, isRemoving } from './reading-tool.ts';
import type { Definition } from './recon.ts';
import { wordsOfName } from './tool-nature.ts';

/** Rules by which calls are judged. */
export interface SendingRules {
  readonly own: OwnNames;
  /** True if the target's owner allowed calls to writing tools. */
  readonly allowWrites: boolean;
  /** Origins of the audit's own listeners, `http://127.0.0.1:port`. */
  readonly listeners: readonly string[];
}

/**
 * Permission to send a call. `prove`: only after the tool has proven that it rejects some names.
 */
export type Leave =
  | { readonly leave: 'send' }
  | { readonly leave: 'prove' }
  | { readonly leave: 'withhold'; readonly why: string };

/** Longest name that file systems and hosts support. */
const NAME_CHARS_MAX = 255;
/** Maximum values per call; a call with more is withheld. */
const LEAVES_MAX = 400;
/** Matches a text that may be a name: one word or a path. */
const NAME = /^[\w./\\:-]{1,4000}$/;
/** Members that hold free text and never a name. */
const CONTENTS = new Set([
  ...['content', 'contents', 'body', 'text', 'message', 'msg', 'description', 'comment', 'value'],
  ...['data', 'payload', 'code', 'script', 'expression', 'expr', 'formula', 'command', 'cmd'],
  ...['query', 'sql', 'template', 'prompt', 'question', 'input', 'html', 'markdown', 'summary'],
  ...['fact', 'observation', 'sentence', 'paragraph', 'feedback', 'review', 'transcript', 'search'],
  ...['filter', 'pattern', 'term', 'keyword', 'instruction', 'instructions', 'details', 'memo'],
  ...['condition', 'rule', 'equation', 'calculation', 'sum', 'problem', 'task', 'request'],
  ...['unit', 'units', 'language', 'lang', 'locale', 'currency', 'format', 'style', 'sort'],
]);
/** Members whose values say how something is done, not to what. */
const MANNERS = new Set([
  ...['format', 'unit', 'units', 'language', 'lang', 'locale', 'currency', 'encoding', 'sort'],
  ...['style', 'precision', 'decimals', 'timezone', 'tone', 'type', 'kind', 'limit', 'count'],
  ...['size', 'width', 'height', 'length', 'days', 'hours', 'minutes', 'seconds', 'ms', 'duration'],
  ...['timeout', 'wait', 'delay', 'steps', 'rounds', 'depth', 'max', 'min', 'ttl', 'repeat'],
  ...['priority', 'weight', 'score', 'rating', 'quantity', 'price', 'percent', 'rate', 'times'],
  ...['iterations', 'lines', 'rows', 'batch', 'category', 'mime', 'amount'],
]);
/** Verbs that return what they create. */
const PRODUCES = new Set([
  ...['render', 'preview', 'build', 'generate', 'convert', 'transform', 'format', 'process'],
]);
/** Verbs that only add, and so replace nothing unless the call names a location. */
const ADDS = new Set([
  ...['add', 'append', 'insert', 'remember', 'log', 'record', 'jot', 'memorize', 'memorise'],
  ...['register', 'submit', 'post', 'comment', 'learn', 'new', 'create', 'report'],
]);
/** Members that name a storage location. */
const PLACES = new Set([
  ...['path', 'file', 'filename', 'folder', 'directory', 'dir', 'destination', 'dest', 'output'],
  ...['name', 'id', 'key', 'slug', 'uri', 'url', 'target', 'location', 'table', 'collection'],
  ...['link', 'address', 'feed', 'webhook', 'endpoint', 'source', 'host', 'domain', 'recipient'],
  ...['bucket', 'namespace', 'topic', 'entity', 'record', 'item', 'entry', 'document', 'page'],
]);
/** Nouns that a tool without arguments may report. */
const STATES = new Set([
  ...['status', 'state', 'health', 'version', 'info', 'stats', 'statistics', 'metrics', 'overview'],
  ...[
    'diagnostics',
    'summary',
    'help',
    'about',
    'uptime',
    'time',
    'catalog',
    'catalogue',
    'inventory',
  ],
]);
/** Verbs that compute a result from their input. */
const COMPUTES = new Set([
  ...['ask', 'chat', 'answer', 'summarize', 'summarise', 'translate', 'calculate', 'calc'],
  ...['compute', 'evaluate', 'estimate', 'analyze', 'analyse', 'check', 'validate', 'verify'],
  ...['classify', 'explain', 'echo', 'ping', 'resolve', 'parse', 'preview', 'quote', 'forecast'],
  ...['assess', 'review', 'triage', 'detect', 'score', 'rank', 'measure', 'simulate', 'wait'],
  ...['sleep', 'whoami', 'status', 'health', 'version', 'help', 'about', 'info', 'lint', 'diff'],
]);

/**
 * Judges a call by the policy of docs/audits.md.
 *
 * Unclear tools never receive names that may exist. Writing tools require the owner's permission
 * and receive only names of this audit. Potentially destructive texts are never sent.
 *
 * @param tool - Only its name if the target does not list the tool.
 */
export function leaveFor(tool: Definition, values: unknown, rules: SendingRules): Leave {
  const call = parseCallText(values);
  if (call === undefined) return withhold('it has too many arguments to examine');
  const { leaves, names } = call;
  const said = leaves.flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
  const texts = [...said, ...names];
  if (texts.some(destroysIn)) return withhold('its arguments could destroy something');
  const nature = classifyTool(tool);
  if (nature === 'reader') {
    const isOpen = names.some((name) => isExistingName(name, rules));
    return {
      leave: isOpen || leaves.some((leaf) => mayExist(leaf, tool, rules)) ? 'prove' : 'send',
    };
  }
  const isComputing = nature === 'unclear' && computes(tool);
  if (!isComputing && !rules.allowWrites) return withhold(NO_LEAVE);
  if (isAltering(tool) && !isRemoving(tool)) return withhold(ALTERING);
  if (names.some((name) => isExistingName(name, rules))) return withhold(EXISTING_MEMBER);
  const fault = leaves.map((leaf) => findFault(leaf, tool, rules)).find((one) => one !== undefined);
  if (fault !== undefined) return withhold(fault);
  if (isComputing) return { leave: 'send' };
  return isNamed(tool, leaves, rules) ? { leave: 'send' } : withhold(UNNAMED);
}

const NO_LEAVE = 'it may write, and allow_writes is not set';
const ALTERING = 'it changes, ends or sends existing things';
const EXISTING_MEMBER = 'the name of a member may name an existing thing';
const UNNAMED = 'no argument accepts a name of this audit';

/** Returns valid arguments for an unclear or writing tool that use only names of this audit. */
export function ownArguments(tool: Definition, own: OwnNames, label: string): Arguments {
  const schema = schemaOf(tool);
  const needed = sampleArguments(schema, own.text(label));
  const given = new Set(parseCallText(needed)?.leaves.map(({ path }) => path.join('.')) ?? []);
  // An omitted name may default to an existing one.
  return slotsOf(schema)
    .filter((slot) => given.has(slot.path.join('.')) || isNaming(slot.path))
    .reduce((values, slot) => withValue(values, slot.path, ownValue(slot, own, label)), needed);
}

/** Returns a value of this audit for one argument of a tool. */
export function ownValue(slot: Slot, own: OwnNames, label: string): string {
  const { format } = slot.schema;
  const words = new Set(slot.path.flatMap((part) => wordsOfName(part)));
  const has = (...names: readonly string[]): boolean => names.some((name) => words.has(name));
  if (format === 'email' || has('email', 'mail', 'recipient', 'recipients')) {
    return `stoa@${own.host}`;
  }
  if (format === 'uuid') return own.uuid;
  if (format === 'hostname' || has('host', 'hostname', 'domain')) return own.host;
  if (format === 'uri' || format === 'url' || has('url', 'uri', 'link', 'webhook', 'endpoint')) {
    return `https://${own.host}/`;
  }
  if (has('path', 'file', 'filename', 'folder', 'directory', 'dir', 'destination', 'output')) {
    return own.path(label);
  }
  return isNaming(slot.path) ? own.flat(label) : own.text(label);
}

/** Returns whether a member may name something, judged by its own name. */
export function isNaming(path: readonly string[]): boolean {
  const last = wordsOfName(lastName(path)).at(-1) ?? '';
  return !CONTENTS.has(last);
}

/** Returns whether a tool can be called with names of this audit. */
export function isCallable(tool: Definition, rules: SendingRules): boolean {
  if (classifyTool(tool) === 'reader') return true;
  return leaveFor(tool, ownArguments(tool, rules.own, 'callable'), rules).leave === 'send';
}

/** Returns whether a text may name an existing thing, so that the reader must be proven first. */
export function mayExist({ path, value }: Leaf, tool: Definition, rules: SendingRules): boolean {
  if (typeof value !== 'string' || value === '') return false;
  if (isExistingName(value, rules)) return true;
  if (!isNaming(path) || rules.own.isIn(value) || value.startsWith(CANARY_PREFIX)) return false;
  if (value.length > NAME_CHARS_MAX && !/[/\\]/.test(value)) return false;
  return !isDate(value) && !JSON.stringify(tool).includes(JSON.stringify(value).slice(1, -1));
}

/** One value of a call with its path. */
export interface Leaf {
  readonly path: readonly string[];
  readonly value: unknown;
}

function findFault(leaf: Leaf, tool: Definition, rules: SendingRules): string | undefined {
  const { path, value } = leaf;
  const place = path.join('.').slice(0, 80);
  if (typeof value === 'string') {
    const why = faultOfText(value, { path, tool, rules });
    return why === undefined ? undefined : `"${place}" ${why}`;
  }
  const words = wordsOfName(lastName(path));
  if (value === true && !words.includes('dry')) return `"${place}" would be enabled`;
  if (typeof value === 'number' && !saysHow(words)) return `"${place}" may count existing things`;
  return undefined;
}

interface Place {
  readonly path: readonly string[];
  readonly tool: Definition;
  readonly rules: SendingRules;
}

function faultOfText(value: string, { path, tool, rules }: Place): string | undefined {
  if (isExistingName(value, rules)) return NAMES_IT;
  if (choicesAt(tool, path).includes(value)) {
    const isManner = saysHow(wordsOfName(lastName(path))) && !/[./\\:]/.test(value);
    return isManner ? undefined : 'selects an existing thing';
  }
  if (isDate(value)) return undefined;
  const isOurs = isNaming(path) ? isOwn(value, rules) : !NAME.test(value) || rules.own.isIn(value);
  return isOurs ? undefined : NAMES_IT;
}

const NAMES_IT = 'may name an existing thing';

/** Matches members whose values say how something is done, not to what. */
function saysHow(words: readonly string[]): boolean {
  return words.some((word) => MANNERS.has(word));
}

/** Returns the name of a member; list items have the name of the list. */
function lastName(path: readonly string[]): string {
  return path.findLast((part) => part !== '0') ?? '';
}

function isOwn(text: string, { own, listeners }: SendingRules): boolean {
  if (own.isAtHead(text) || text.startsWith(`stoa@${own.host}`)) return true;
  return listeners.some((listener) => text.startsWith(`${listener}/`));
}

/** Dates and times name nothing. */
function isDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d(?:T[\d:.]{5,15}Z)?$/.test(text) || /^\d\d:\d\d:\d\dZ$/.test(text);
}

/**
 * Returns whether a call that may change something contains a name of this audit; for a writing
 * tool, in a location member.
 */
function isNamed(tool: Definition, leaves: readonly Leaf[], { own }: SendingRules): boolean {
  const words = wordsOfName(tool.name);
  if (classifyTool(tool) === 'unclear' && leaves.length === 0) {
    return words.length <= 3 && STATES.has(words.at(-1) ?? '');
  }
  const ours = leaves.filter(({ value }) => typeof value === 'string' && own.isIn(value));
  if (ours.length > 0 && words.some((word) => ADDS.has(word))) return true;
  const naming = ours.filter(({ path }) => isNaming(path));
  // A tool that takes only a text may store it over an existing one.
  const isAnyName =
    classifyTool(tool) === 'unclear' ||
    isRemoving(tool) ||
    words.some((word) => PRODUCES.has(word));
  return naming.some(({ path }) => isAnyName || isPlace(path));
}

function isPlace(path: readonly string[]): boolean {
  const words = wordsOfName(lastName(path));
  return words.some((word) => PLACES.has(word));
}

/** Returns whether the verb in the tool's name is a computing verb. */
function computes({ name }: Definition): boolean {
  const words = wordsOfName(name);
  return words.slice(0, 2).some((word) => COMPUTES.has(word));
}

/** Returns the fixed values that the schema gives for a member. */
function choicesAt(tool: Definition, path: readonly string[]) {
  const key = path.join('.');
  const schema = listMembers(schemaOf(tool)).find((one) => one.path.join('.') === key)?.schema;
  if (schema === undefined) return [];
  const { enum: choices, const: only } = schema;
  const given = [...(Array.isArray(choices) ? choices : []), only, schema['default']];
  return given.filter((one): one is string => typeof one === 'string');
}

interface Call {
  readonly leaves: readonly Leaf[];
  /** Names of the members. */
  readonly names: readonly string[];
}

/** Returns all scalar values of a call with their paths, or `undefined` if there are too many. */
function parseCallText(values: unknown): Call | undefined {
  const found: Leaf[] = [];
  const names: string[] = [];
  const waiting: Leaf[] = [{ path: [], value: values }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (found.length + waiting.length + names.length > LEAVES_MAX) return undefined;
    const { path, value } = next;
    if (Array.isArray(value)) {
      for (const one of value) waiting.push({ path: [...path, '0'], value: one as unknown });
    } else if (isObject(value)) {
      for (const [name, one] of Object.entries(value)) {
        waiting.push({ path: [...path, name], value: one });
        names.push(name);
      }
    } else if (value !== undefined) {
      found.push(next);
    }
  }
  return { leaves: found, names };
}

function withhold(why: string): Leave {
  return { leave: 'withhold', why };
}
