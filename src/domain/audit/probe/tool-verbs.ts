import { isObject } from '../../common/json.ts';
import type { Definition } from './recon.ts';

/** Verbs that change, send, spend or run something. */
const ACTING_VERBS = new Set([
  ...['delete', 'remove', 'drop', 'destroy', 'purge', 'erase', 'wipe', 'truncate', 'clear'],
  ...['write', 'create', 'add', 'insert', 'update', 'set', 'edit', 'modify', 'patch', 'replace'],
  ...['move', 'rename', 'copy', 'upload', 'save', 'store', 'put', 'append', 'import', 'restore'],
  ...['send', 'post', 'publish', 'reply', 'forward', 'notify', 'invite', 'share', 'submit'],
  ...['pay', 'buy', 'order', 'refund', 'transfer', 'charge', 'withdraw', 'book', 'cancel'],
  ...['run', 'execute', 'exec', 'deploy', 'start', 'stop', 'restart', 'kill', 'install', 'apply'],
  ...['merge', 'push', 'commit', 'revert', 'reset', 'rotate', 'revoke', 'grant', 'approve'],
  ...['enable', 'disable', 'archive', 'close', 'assign', 'schedule', 'trigger', 'sync'],
  ...['remember', 'register', 'unsubscribe', 'subscribe', 'terminate', 'shutdown', 'release'],
]);
/** The subset that destroys or spends something. */
const DESTRUCTIVE_VERBS = new Set([
  ...['delete', 'remove', 'drop', 'destroy', 'purge', 'erase', 'wipe', 'truncate', 'clear'],
  ...['pay', 'buy', 'order', 'refund', 'transfer', 'charge', 'withdraw', 'kill', 'terminate'],
  ...['shutdown', 'reset', 'revoke', 'rotate', 'merge', 'push', 'deploy', 'restore', 'revert'],
  ...['send', 'post', 'publish', 'forward', 'invite', 'cancel', 'install', 'uninstall', 'release'],
]);

/** The subset that removes existing things. */
const LOSING_VERBS = new Set([
  ...['delete', 'remove', 'drop', 'destroy', 'purge', 'erase', 'wipe', 'truncate', 'clear', 'kill'],
  ...['terminate', 'shutdown', 'reset', 'revoke', 'uninstall', 'replace', 'overwrite'],
]);
/** The subset that leaves the effect open: to run a query may only read. */
const OPEN_ENDED_VERBS = new Set([
  'run',
  'execute',
  'exec',
  'start',
  'apply',
  'trigger',
  'order',
  'set',
  'sync',
]);

/** The subset that is a noun in last position, as in `moderate_post`. */
const NOUNS = new Set([
  ...['post', 'order', 'book', 'share', 'store', 'copy', 'release', 'commit', 'patch', 'charge'],
  ...['transfer', 'refund', 'schedule', 'archive', 'move', 'import', 'register', 'trigger'],
]);

/** Reading verbs, whatever noun follows. */
const READING_VERBS = new Set([
  ...['get', 'list', 'show', 'read', 'find', 'search', 'look', 'lookup', 'view', 'fetch', 'count'],
  ...['check', 'describe', 'compare', 'estimate', 'preview', 'quote', 'explain', 'summarize'],
  ...['summarise', 'validate', 'verify', 'calculate', 'compute', 'query', 'browse', 'inspect'],
  ...['track', 'convert', 'translate', 'render', 'format', 'forecast', 'analyze', 'analyse', 'is'],
  ...['has', 'recall', 'retrieve', 'load', 'open', 'watch', 'monitor', 'report', 'status', 'what'],
]);

/** Splits a name in snake, kebab or camel case into lower-case words. */
export function splitName(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** Joins the name, title and description of a tool. */
export function describeTool({ name, title, description }: Definition): string {
  return [name, title, description].filter((part) => typeof part === 'string').join(' ');
}

/** Returns the boolean hints of a definition. */
export function booleanHints(definition: Definition): Readonly<Record<string, boolean>> {
  const { annotations } = definition;
  if (!isObject(annotations)) return {};
  return Object.fromEntries(
    Object.entries(annotations).filter((row): row is [string, boolean] => {
      return typeof row[1] === 'boolean';
    }),
  );
}

/** Returns the acting verb in a tool's name, if any. */
export function findActingVerb(definition: Definition): string | undefined {
  const [verb] = splitName(definition.name).filter((word) => isVerb(word));
  const isActing = verb !== undefined && !READING_VERBS.has(verb);
  return isActing ? verb : findSecondVerb(definition.name);
}

/** Returns the destructive or spending verb in a tool's name, if any. */
export function findDestructiveVerb(definition: Definition): string | undefined {
  const acting = findActingVerb(definition);
  return acting !== undefined && DESTRUCTIVE_VERBS.has(acting) ? acting : undefined;
}

/** Returns the verb in a tool's name that contradicts a read-only hint, if any. */
export function findChangingVerb(definition: Definition): string | undefined {
  const acting = findActingVerb(definition);
  if (acting === undefined || OPEN_ENDED_VERBS.has(acting)) return undefined;
  const words = splitName(definition.name).filter((word) => !/^v\d+$/.test(word));
  const isNoun = NOUNS.has(acting) && words.length > 1 && words.at(-1) === acting;
  return isNoun ? undefined : acting;
}

/** Returns the verb in a tool's name that removes existing things, if any. */
export function findLosingVerb(definition: Definition): string | undefined {
  const acting = findActingVerb(definition);
  return acting !== undefined && LOSING_VERBS.has(acting) ? acting : undefined;
}

function isVerb(word: string): boolean {
  return ACTING_VERBS.has(word) || DESTRUCTIVE_VERBS.has(word) || READING_VERBS.has(word);
}

/** Returns the second verb of names such as `read_and_delete`. */
function findSecondVerb(name: string): string | undefined {
  const words = splitName(name);
  const at = words.findIndex((word) => word === 'and' || word === 'or');
  const second = at < 0 ? undefined : words[at + 1];
  return second !== undefined && ACTING_VERBS.has(second) ? second : undefined;
}
