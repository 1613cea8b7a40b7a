import { isObject } from '../../common/json.ts';
import type { AuditNames } from '../text/audit-names.ts';
import { isDestructive, mayNameExternal } from '../text/existing-names.ts';
import {
  type Arguments,
  inputSchemaOf,
  listMembers,
  listTextSlots,
  sampleArguments,
  setAtPath,
  type TextSlot,
} from './arguments.ts';
import { CANARY_PREFIX } from './canary.ts';
import { classifyTool, isAltering, isRemoving } from './classify-tool.ts';
import type { Definition } from './recon.ts';
import { splitName } from './tool-verbs.ts';

/** Rules by which calls are judged. */
export interface CallRules {
  readonly own: AuditNames;
  /** True if the target's owner allowed calls to writing tools. */
  readonly allowWrites: boolean;
  /** Origins of the audit's own listeners, `http://127.0.0.1:port`. */
  readonly listeners: readonly string[];
}

/**
 * Permission to send a call. `prove`: only after the tool has proven that it rejects some names.
 */
export type CallPermission =
  | { readonly leave: 'send' }
  | { readonly leave: 'prove' }
  | { readonly leave: 'withhold'; readonly why: string };

/** Longest name that file systems and hosts support. */
const NAME_CHARS_MAX = 255;
/** Maximum values per call; a call with more is withheld. */
const VALUES_MAX = 400;
/** Matches a text that may be a name: one word or a path. */
const NAME_FORM = /^[\w./\\:-]{1,4000}$/;
/** Members that hold free text and never a name. */
const CONTENT_MEMBERS = new Set([
  ...['content', 'contents', 'body', 'text', 'message', 'msg', 'description', 'comment', 'value'],
  ...['data', 'payload', 'code', 'script', 'expression', 'expr', 'formula', 'command', 'cmd'],
  ...['query', 'sql', 'template', 'prompt', 'question', 'input', 'html', 'markdown', 'summary'],
  ...['fact', 'observation', 'sentence', 'paragraph', 'feedback', 'review', 'transcript', 'search'],
  ...['filter', 'pattern', 'term', 'keyword', 'instruction', 'instructions', 'details', 'memo'],
  ...['condition', 'rule', 'equation', 'calculation', 'sum', 'problem', 'task', 'request'],
  ...['unit', 'units', 'language', 'lang', 'locale', 'currency', 'format', 'style', 'sort'],
]);
/** Members whose values say how something is done, not to what. */
const OPTION_MEMBERS = new Set([
  ...['format', 'unit', 'units', 'language', 'lang', 'locale', 'currency', 'encoding', 'sort'],
  ...['style', 'precision', 'decimals', 'timezone', 'tone', 'type', 'kind', 'limit', 'count'],
  ...['size', 'width', 'height', 'length', 'days', 'hours', 'minutes', 'seconds', 'ms', 'duration'],
  ...['timeout', 'wait', 'delay', 'steps', 'rounds', 'depth', 'max', 'min', 'ttl', 'repeat'],
  ...['priority', 'weight', 'score', 'rating', 'quantity', 'price', 'percent', 'rate', 'times'],
  ...['iterations', 'lines', 'rows', 'batch', 'category', 'mime', 'amount'],
]);
/** Verbs that return what they create. */
const PRODUCING_VERBS = new Set([
  ...['render', 'preview', 'build', 'generate', 'convert', 'transform', 'format', 'process'],
]);
/** Verbs that only add, and so replace nothing unless the call names a location. */
const ADDING_VERBS = new Set([
  ...['add', 'append', 'insert', 'remember', 'log', 'record', 'jot', 'memorize', 'memorise'],
  ...['register', 'submit', 'post', 'comment', 'learn', 'new', 'create', 'report'],
]);
/** Members that name a storage location. */
const LOCATION_MEMBERS = new Set([
  ...['path', 'file', 'filename', 'folder', 'directory', 'dir', 'destination', 'dest', 'output'],
  ...['name', 'id', 'key', 'slug', 'uri', 'url', 'target', 'location', 'table', 'collection'],
  ...['link', 'address', 'feed', 'webhook', 'endpoint', 'source', 'host', 'domain', 'recipient'],
  ...['bucket', 'namespace', 'topic', 'entity', 'record', 'item', 'entry', 'document', 'page'],
]);
/** Nouns that a tool without arguments may report. */
const STATE_NOUNS = new Set([
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
const COMPUTING_VERBS = new Set([
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
export function decideCallPermission(
  tool: Definition,
  values: unknown,
  rules: CallRules,
): CallPermission {
  const call = parseCall(values);
  if (call === undefined) return withhold('it has too many arguments to examine');
  const { leaves, names } = call;
  const stringValues = leaves.flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
  const texts = [...stringValues, ...names];
  if (texts.some(isDestructive)) return withhold('its arguments could destroy something');
  const nature = classifyTool(tool);
  if (nature === 'reader') {
    const isOpen = names.some((name) => mayNameExternal(name, rules));
    return {
      leave: isOpen || leaves.some((leaf) => mayNameExisting(leaf, tool, rules)) ? 'prove' : 'send',
    };
  }
  const isComputing = nature === 'unclear' && hasComputingVerb(tool);
  if (!isComputing && !rules.allowWrites) return withhold(WRITES_NOT_ALLOWED);
  if (isAltering(tool) && !isRemoving(tool)) return withhold(ALTERS_EXISTING);
  if (names.some((name) => mayNameExternal(name, rules))) return withhold(MEMBER_NAMES_EXISTING);
  const objection = leaves
    .map((leaf) => findObjection(leaf, tool, rules))
    .find((one) => one !== undefined);
  if (objection !== undefined) return withhold(objection);
  if (isComputing) return { leave: 'send' };
  return usesAuditName(tool, leaves, rules) ? { leave: 'send' } : withhold(NO_AUDIT_NAME);
}

const WRITES_NOT_ALLOWED = 'it may write, and allow_writes is not set';
const ALTERS_EXISTING = 'it changes, ends or sends existing things';
const MEMBER_NAMES_EXISTING = 'the name of a member may name an existing thing';
const NO_AUDIT_NAME = 'no argument accepts a name of this audit';

/** Returns valid arguments for an unclear or writing tool that use only names of this audit. */
export function sampleAuditArguments(tool: Definition, own: AuditNames, label: string): Arguments {
  const schema = inputSchemaOf(tool);
  const needed = sampleArguments(schema, own.canary(label));
  const given = new Set(parseCall(needed)?.leaves.map(({ path }) => path.join('.')) ?? []);
  // An omitted name may default to an existing one.
  return listTextSlots(schema)
    .filter((slot) => given.has(slot.path.join('.')) || mayName(slot.path))
    .reduce(
      (values, slot) => setAtPath(values, slot.path, auditValueFor(slot, own, label)),
      needed,
    );
}

/** Returns a value of this audit for one argument of a tool. */
export function auditValueFor(slot: TextSlot, own: AuditNames, label: string): string {
  const { format } = slot.schema;
  const words = new Set(slot.path.flatMap((part) => splitName(part)));
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
    return own.filePath(label);
  }
  return mayName(slot.path) ? own.flatName(label) : own.canary(label);
}

/** Returns whether a member may name something, judged by its own name. */
export function mayName(path: readonly string[]): boolean {
  const last = splitName(memberNameOf(path)).at(-1) ?? '';
  return !CONTENT_MEMBERS.has(last);
}

/** Returns whether a tool can be called with names of this audit. */
export function isCallable(tool: Definition, rules: CallRules): boolean {
  if (classifyTool(tool) === 'reader') return true;
  return (
    decideCallPermission(tool, sampleAuditArguments(tool, rules.own, 'callable'), rules).leave ===
    'send'
  );
}

/** Returns whether a text may name an existing thing, so that the reader must be proven first. */
export function mayNameExisting(
  { path, value }: CallValue,
  tool: Definition,
  rules: CallRules,
): boolean {
  if (typeof value !== 'string' || value === '') return false;
  if (mayNameExternal(value, rules)) return true;
  if (!mayName(path) || rules.own.isContainedIn(value) || value.startsWith(CANARY_PREFIX))
    return false;
  if (value.length > NAME_CHARS_MAX && !/[/\\]/.test(value)) return false;
  return !isDate(value) && !JSON.stringify(tool).includes(JSON.stringify(value).slice(1, -1));
}

/** One value of a call with its path. */
export interface CallValue {
  readonly path: readonly string[];
  readonly value: unknown;
}

function findObjection(leaf: CallValue, tool: Definition, rules: CallRules): string | undefined {
  const { path, value } = leaf;
  const location = path.join('.').slice(0, 80);
  if (typeof value === 'string') {
    const why = findTextObjection(value, { path, tool, rules });
    return why === undefined ? undefined : `"${location}" ${why}`;
  }
  const words = splitName(memberNameOf(path));
  if (value === true && !words.includes('dry')) return `"${location}" would be enabled`;
  if (typeof value === 'number' && !isOption(words))
    return `"${location}" may count existing things`;
  return undefined;
}

interface TextContext {
  readonly path: readonly string[];
  readonly tool: Definition;
  readonly rules: CallRules;
}

function findTextObjection(value: string, { path, tool, rules }: TextContext): string | undefined {
  if (mayNameExternal(value, rules)) return MAY_NAME_EXISTING;
  if (fixedValuesOf(tool, path).includes(value)) {
    const isManner = isOption(splitName(memberNameOf(path))) && !/[./\\:]/.test(value);
    return isManner ? undefined : 'selects an existing thing';
  }
  if (isDate(value)) return undefined;
  const isOurs = mayName(path)
    ? isAuditName(value, rules)
    : !NAME_FORM.test(value) || rules.own.isContainedIn(value);
  return isOurs ? undefined : MAY_NAME_EXISTING;
}

const MAY_NAME_EXISTING = 'may name an existing thing';

/** Matches members whose values say how something is done, not to what. */
function isOption(words: readonly string[]): boolean {
  return words.some((word) => OPTION_MEMBERS.has(word));
}

/** Returns the name of a member; list items have the name of the list. */
function memberNameOf(path: readonly string[]): string {
  return path.findLast((part) => part !== '0') ?? '';
}

function isAuditName(text: string, { own, listeners }: CallRules): boolean {
  if (own.isPrefixOf(text) || text.startsWith(`stoa@${own.host}`)) return true;
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
function usesAuditName(
  tool: Definition,
  leaves: readonly CallValue[],
  { own }: CallRules,
): boolean {
  const words = splitName(tool.name);
  if (classifyTool(tool) === 'unclear' && leaves.length === 0) {
    return words.length <= 3 && STATE_NOUNS.has(words.at(-1) ?? '');
  }
  const ours = leaves.filter(({ value }) => typeof value === 'string' && own.isContainedIn(value));
  if (ours.length > 0 && words.some((word) => ADDING_VERBS.has(word))) return true;
  const naming = ours.filter(({ path }) => mayName(path));
  // A tool that takes only a text may store it over an existing one.
  const isAnyName =
    classifyTool(tool) === 'unclear' ||
    isRemoving(tool) ||
    words.some((word) => PRODUCING_VERBS.has(word));
  return naming.some(({ path }) => isAnyName || isLocation(path));
}

function isLocation(path: readonly string[]): boolean {
  const words = splitName(memberNameOf(path));
  return words.some((word) => LOCATION_MEMBERS.has(word));
}

/** Returns whether the verb in the tool's name is a computing verb. */
function hasComputingVerb({ name }: Definition): boolean {
  const words = splitName(name);
  return words.slice(0, 2).some((word) => COMPUTING_VERBS.has(word));
}

/** Returns the fixed values that the schema gives for a member. */
function fixedValuesOf(tool: Definition, path: readonly string[]) {
  const key = path.join('.');
  const schema = listMembers(inputSchemaOf(tool)).find((one) => one.path.join('.') === key)?.schema;
  if (schema === undefined) return [];
  const { enum: choices, const: only } = schema;
  const given = [...(Array.isArray(choices) ? choices : []), only, schema['default']];
  return given.filter((one): one is string => typeof one === 'string');
}

interface ParsedCall {
  readonly leaves: readonly CallValue[];
  /** Names of the members. */
  readonly names: readonly string[];
}

/** Returns all scalar values of a call with their paths, or `undefined` if there are too many. */
function parseCall(values: unknown): ParsedCall | undefined {
  const found: CallValue[] = [];
  const names: string[] = [];
  const waiting: CallValue[] = [{ path: [], value: values }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (found.length + waiting.length + names.length > VALUES_MAX) return undefined;
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

function withhold(why: string): CallPermission {
  return { leave: 'withhold', why };
}
