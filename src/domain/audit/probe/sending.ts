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

/** What a call is judged by. */
export interface SendingRules {
  readonly own: OwnNames;
  /** True where the owner of the target agreed that writing tools are tried. */
  readonly allowWrites: boolean;
  /** Addresses of our own listener, `http://127.0.0.1:port`. */
  readonly listeners: readonly string[];
}

/** Whether a call may be sent. `prove`: once the reader has shown that it refuses some names. */
export type Leave =
  | { readonly leave: 'send' }
  | { readonly leave: 'prove' }
  | { readonly leave: 'withhold'; readonly why: string };

/** No file system and no host has longer names. */
const NAME_CHARS_MAX = 255;
/** Values of one call that are looked at; a call with more is withheld. */
const LEAVES_MAX = 400;
/** A text that could be the name of something: one word, or a path. */
const NAME = /^[\w./\\:-]{1,4000}$/;
/** Members that take any text and name nothing. */
const CONTENTS = new Set([
  ...['content', 'contents', 'body', 'text', 'message', 'msg', 'description', 'comment', 'value'],
  ...['data', 'payload', 'code', 'script', 'expression', 'expr', 'formula', 'command', 'cmd'],
  ...['query', 'sql', 'template', 'prompt', 'question', 'input', 'html', 'markdown', 'summary'],
  ...['fact', 'observation', 'sentence', 'paragraph', 'feedback', 'review', 'transcript', 'search'],
  ...['filter', 'pattern', 'term', 'keyword', 'instruction', 'instructions', 'details', 'memo'],
  ...['condition', 'rule', 'equation', 'calculation', 'sum', 'problem', 'task', 'request'],
  ...['unit', 'units', 'language', 'lang', 'locale', 'currency', 'format', 'style', 'sort'],
]);
/** Members whose choices or numbers say how, and not whom. */
const MANNERS = new Set([
  ...['format', 'unit', 'units', 'language', 'lang', 'locale', 'currency', 'encoding', 'sort'],
  ...['style', 'precision', 'decimals', 'timezone', 'tone', 'type', 'kind', 'limit', 'count'],
  ...['size', 'width', 'height', 'length', 'days', 'hours', 'minutes', 'seconds', 'ms', 'duration'],
  ...['timeout', 'wait', 'delay', 'steps', 'rounds', 'depth', 'max', 'min', 'ttl', 'repeat'],
  ...['priority', 'weight', 'score', 'rating', 'quantity', 'price', 'percent', 'rate', 'times'],
  ...['iterations', 'lines', 'rows', 'batch', 'category', 'mime', 'amount'],
]);
/** Verbs that answer with what they make. */
const PRODUCES = new Set([
  ...['render', 'preview', 'build', 'generate', 'convert', 'transform', 'format', 'process'],
]);
/** Verbs that only add: a call that names no place replaces nothing. */
const ADDS = new Set([
  ...['add', 'append', 'insert', 'remember', 'log', 'record', 'jot', 'memorize', 'memorise'],
  ...['register', 'submit', 'post', 'comment', 'learn', 'new', 'create', 'report'],
]);
/** Members that say where something is kept. */
const PLACES = new Set([
  ...['path', 'file', 'filename', 'folder', 'directory', 'dir', 'destination', 'dest', 'output'],
  ...['name', 'id', 'key', 'slug', 'uri', 'url', 'target', 'location', 'table', 'collection'],
  ...['link', 'address', 'feed', 'webhook', 'endpoint', 'source', 'host', 'domain', 'recipient'],
  ...['bucket', 'namespace', 'topic', 'entity', 'record', 'item', 'entry', 'document', 'page'],
]);
/** Nouns of what a tool without arguments shows. */
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
/** Verbs that work something out of what they are given. */
const COMPUTES = new Set([
  ...['ask', 'chat', 'answer', 'summarize', 'summarise', 'translate', 'calculate', 'calc'],
  ...['compute', 'evaluate', 'estimate', 'analyze', 'analyse', 'check', 'validate', 'verify'],
  ...['classify', 'explain', 'echo', 'ping', 'resolve', 'parse', 'preview', 'quote', 'forecast'],
  ...['assess', 'review', 'triage', 'detect', 'score', 'rank', 'measure', 'simulate', 'wait'],
  ...['sleep', 'whoami', 'status', 'health', 'version', 'help', 'about', 'info', 'lint', 'diff'],
]);

/**
 * Judges a call by the policy of docs/audits.md. A tool that is not clearly a reader gets nothing
 * that may exist; a tool that writes gets nothing without the owner's leave, and then only names of
 * this audit. Nothing that could destroy is sent to anyone.
 *
 * @param tool - Where no such tool is listed, its name alone.
 */
export function leaveFor(tool: Definition, values: unknown, rules: SendingRules): Leave {
  const call = parseCallText(values);
  if (call === undefined) return withhold('its arguments are too many to look at');
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

const NO_LEAVE = 'it may write, and allow_writes was not given';
const ALTERING = 'it changes, ends or sends what exists';
const EXISTING_MEMBER = 'the name of a member may name what exists';
const UNNAMED = 'nothing in its arguments can be a name of this audit';

/** The fitting arguments of a tool that is not clearly a reader: names of this audit everywhere. */
export function ownArguments(tool: Definition, own: OwnNames, label: string): Arguments {
  const schema = schemaOf(tool);
  const needed = sampleArguments(schema, own.text(label));
  const given = new Set(parseCallText(needed)?.leaves.map(({ path }) => path.join('.')) ?? []);
  // A name that is left out may stand for one that exists.
  return slotsOf(schema)
    .filter((slot) => given.has(slot.path.join('.')) || isNaming(slot.path))
    .reduce((values, slot) => withValue(values, slot.path, ownValue(slot, own, label)), needed);
}

/** A value of this audit for one place of a tool's arguments. */
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

/** True for members that may name something; content that names nothing is told by its name. */
export function isNaming(path: readonly string[]): boolean {
  const last = wordsOfName(lastName(path)).at(-1) ?? '';
  return !CONTENTS.has(last);
}

/** True where a tool can be called at all: some member of it takes a name of ours. */
export function isCallable(tool: Definition, rules: SendingRules): boolean {
  if (classifyTool(tool) === 'reader') return true;
  return leaveFor(tool, ownArguments(tool, rules.own, 'callable'), rules).leave === 'send';
}

/** True for texts that a reader gets only once it is proven: neither ours nor told by itself. */
export function mayExist({ path, value }: Leaf, tool: Definition, rules: SendingRules): boolean {
  if (typeof value !== 'string' || value === '') return false;
  if (isExistingName(value, rules)) return true;
  if (!isNaming(path) || rules.own.isIn(value) || value.startsWith(CANARY_PREFIX)) return false;
  if (value.length > NAME_CHARS_MAX && !/[/\\]/.test(value)) return false;
  return !isDate(value) && !JSON.stringify(tool).includes(JSON.stringify(value).slice(1, -1));
}

/** One value of a call, and where it stands. */
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
  if (value === true && !words.includes('dry')) return `"${place}" would be turned on`;
  if (typeof value === 'number' && !saysHow(words)) return `"${place}" may count what exists`;
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
    return isManner ? undefined : 'chooses what exists';
  }
  if (isDate(value)) return undefined;
  const isOurs = isNaming(path) ? isOwn(value, rules) : !NAME.test(value) || rules.own.isIn(value);
  return isOurs ? undefined : NAMES_IT;
}

const NAMES_IT = 'may name what exists';

/** True for members whose choices or numbers say how, and not whom. */
function saysHow(words: readonly string[]): boolean {
  return words.some((word) => MANNERS.has(word));
}

/** The name of a member; items of a list have that of the list. */
function lastName(path: readonly string[]): string {
  return path.findLast((part) => part !== '0') ?? '';
}

function isOwn(text: string, { own, listeners }: SendingRules): boolean {
  if (own.isAtHead(text) || text.startsWith(`stoa@${own.host}`)) return true;
  return listeners.some((listener) => text.startsWith(`${listener}/`));
}

/** Days and times name nothing. */
function isDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d(?:T[\d:.]{5,15}Z)?$/.test(text) || /^\d\d:\d\d:\d\dZ$/.test(text);
}

/** A call that may change something holds a name of ours; a writer is told by it where to write. */
function isNamed(tool: Definition, leaves: readonly Leaf[], { own }: SendingRules): boolean {
  const words = wordsOfName(tool.name);
  if (classifyTool(tool) === 'unclear' && leaves.length === 0) {
    return words.length <= 3 && STATES.has(words.at(-1) ?? '');
  }
  const ours = leaves.filter(({ value }) => typeof value === 'string' && own.isIn(value));
  if (ours.length > 0 && words.some((word) => ADDS.has(word))) return true;
  const naming = ours.filter(({ path }) => isNaming(path));
  // What takes a text alone may keep it in the place of another.
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

/** True for tools that work something out, by the verb of their name. */
function computes({ name }: Definition): boolean {
  const words = wordsOfName(name);
  return words.slice(0, 2).some((word) => COMPUTES.has(word));
}

/** What the schema lets a member be, where it gives a list or a value. */
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
  /** Names of its members. */
  readonly names: readonly string[];
}

/** All single values of a call, by place; nothing where they are too many. */
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
