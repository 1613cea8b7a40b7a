import { isObject } from '../../common/json.ts';
import { inputSchemaOf, listMembers } from './arguments.ts';
import type { Definition } from './recon.ts';
import { findActingVerb, splitName } from './tool-verbs.ts';

/**
 * Effect of a tool on its server, judged from its untrusted definition. `reader`: the name says so,
 * the schema fits and nothing contradicts it. `writer`: something indicates changes. `unclear`:
 * everything else.
 */
export type ToolEffect = 'reader' | 'writer' | 'unclear';

/** Characters of a description and words of a name that are examined. */
const DESCRIPTION_CHARS_MAX = 8_000;
const NAME_WORDS_MAX = 20;
/** Enum values of one schema that are examined. */
const CHOICES_MAX = 50;

/** Read-only verbs. Verbs that often also act, such as open, are excluded. */
const READING_VERBS = new Set([
  ...['get', 'list', 'ls', 'cat', 'show', 'read', 'find', 'search', 'look', 'lookup', 'view'],
  ...['fetch', 'count', 'describe', 'compare', 'inspect', 'browse', 'recall', 'stat', 'has'],
  ...['retrieve', 'explain', 'head', 'tail', 'grep', 'whois', 'exists'],
]);
/** Changing verbs that are hardly ever nouns. */
const CHANGING_VERBS = new Set([
  ...['delete', 'remove', 'drop', 'destroy', 'purge', 'erase', 'wipe', 'truncate', 'clear', 'rm'],
  ...['rmdir', 'unlink', 'prune', 'evict', 'flush', 'discard', 'forget', 'trash', 'shred', 'kill'],
  ...['write', 'create', 'insert', 'modify', 'replace', 'append', 'overwrite', 'upsert', 'save'],
  ...['rename', 'mv', 'cp', 'mkdir', 'touch', 'chmod', 'chown', 'symlink', 'tee', 'sed', 'rewrite'],
  ...['persist', 'memorize', 'memorise', 'remember', 'ensure', 'add', 'put', 'unset', 'increment'],
  ...['send', 'publish', 'notify', 'broadcast', 'emit', 'invite', 'submit', 'enqueue', 'dequeue'],
  ...['pay', 'buy', 'withdraw', 'redeem', 'spend', 'approve', 'reject', 'revoke', 'rotate'],
  ...['execute', 'exec', 'invoke', 'spawn', 'launch', 'deploy', 'install', 'uninstall', 'init'],
  ...['restart', 'reboot', 'shutdown', 'terminate', 'enable', 'disable', 'toggle', 'halt'],
  ...['revert', 'restore', 'migrate', 'provision', 'configure', 'decrement', 'unlock', 'assign'],
  ...[
    'generate',
    'render',
    'compile',
    'produce',
    'ingest',
    'learn',
    'apply',
    'compress',
    'extract',
  ],
  ...['unzip', 'unpack', 'encrypt', 'subscribe', 'unsubscribe', 'register', 'unregister', 'cancel'],
  ...['grant', 'expire', 'invalidate', 'cleanup', 'vacuum', 'optimize', 'reindex', 'perform'],
  ...['stash', 'jot', 'convert', 'consume', 'overwriting', 'transform', 'normalize', 'rebuild'],
]);
/** Changing verbs in first position that are nouns elsewhere. */
const VERBS_OR_NOUNS = new Set([
  ...['post', 'order', 'book', 'share', 'store', 'copy', 'release', 'commit', 'patch', 'charge'],
  ...['transfer', 'refund', 'move', 'archive', 'log', 'note', 'record', 'export', 'dump', 'backup'],
  ...['update', 'mail', 'email', 'message', 'comment', 'reply', 'forward', 'alert', 'report'],
  ...[
    'vote',
    'like',
    'follow',
    'pin',
    'bookmark',
    'tag',
    'label',
    'link',
    'claim',
    'switch',
    'turn',
  ],
  ...[
    'index',
    'cache',
    'scale',
    'fork',
    'checkout',
    'upgrade',
    'downgrade',
    'print',
    'load',
    'set',
  ],
  ...['file', 'process', 'use', 'import', 'upload', 'download', 'seed', 'build', 'run', 'capture'],
  ...['draft', 'memo', 'stow', 'clip', 'scratch', 'buffer', 'keep', 'retain', 'hold', 'stage'],
  ...['lock', 'schedule', 'trigger', 'merge', 'start', 'stop', 'close', 'edit', 'mark', 'make'],
  ...['sign', 'train', 'push', 'sync', 'refresh', 'clean', 'reset', 'zip', 'call', 'touch', 'do'],
]);
/** Verbs that remove something. */
const REMOVING_VERBS = new Set([
  ...['delete', 'remove', 'drop', 'destroy', 'erase', 'rm', 'rmdir', 'unlink', 'discard', 'forget'],
  ...['trash', 'unset'],
]);
/**
 * Verbs that change, end or spend existing things, or contact others; audit names do not make them
 * safe.
 */
const ALTERING_VERBS = new Set([
  ...REMOVING_VERBS,
  ...[
    'set',
    'update',
    'edit',
    'modify',
    'change',
    'configure',
    'assign',
    'switch',
    'select',
    'turn',
  ],
  ...[
    'apply',
    'enable',
    'disable',
    'toggle',
    'replace',
    'overwrite',
    'patch',
    'rename',
    'move',
    'mv',
  ],
  ...['restore', 'reset', 'revert', 'rotate', 'revoke', 'grant', 'approve', 'reject', 'cancel'],
  ...[
    'close',
    'lock',
    'unlock',
    'stop',
    'restart',
    'reboot',
    'shutdown',
    'terminate',
    'kill',
    'halt',
  ],
  ...['purge', 'wipe', 'truncate', 'clear', 'prune', 'evict', 'flush', 'shred', 'expire', 'vacuum'],
  ...['invalidate', 'cleanup', 'clean', 'keep', 'retain', 'merge', 'push', 'deploy', 'install'],
  ...[
    'uninstall',
    'migrate',
    'provision',
    'scale',
    'launch',
    'init',
    'upgrade',
    'downgrade',
    'dequeue',
  ],
  ...[
    'send',
    'publish',
    'notify',
    'broadcast',
    'emit',
    'invite',
    'forward',
    'mail',
    'email',
    'alert',
  ],
  ...['pay', 'buy', 'order', 'withdraw', 'redeem', 'spend', 'transfer', 'charge', 'refund', 'book'],
  ...[
    'subscribe',
    'unsubscribe',
    'unregister',
    'chmod',
    'chown',
    'archive',
    'sync',
    'mirror',
    'reply',
  ],
  ...['rebuild', 'reindex', 'optimize', 'normalize', 'rewrite', 'sed', 'rollback', 'swap', 'share'],
]);
/** Words that extend the effect beyond the named item. */
const SWEEPING_WORDS = new Set([
  ...['all', 'every', 'except', 'but', 'other', 'others', 'older', 'before', 'after', 'matching'],
  ...['where', 'like', 'prefix', 'pattern', 'old', 'bulk', 'batch', 'everything', 'recursive'],
]);
/** Words that introduce a second action in a name. */
const JOINING_WORDS = new Set([
  'and',
  'or',
  'then',
  'to',
  'into',
  'else',
  'also',
  'onto',
  'if',
  'out',
]);
/** Verbs that start compound words, such as `deletefile`. */
const VERB_PREFIXES = [
  ...['delete', 'remove', 'write', 'create', 'insert', 'update', 'append', 'rename', 'replace'],
  ...['overwrite', 'modify', 'save', 'upsert', 'execute', 'install', 'destroy', 'truncate'],
];

/** Members that hold content to write, a destination, or something to run. */
const WRITE_MEMBERS = new Set([
  ...['content', 'contents', 'body', 'data', 'payload', 'blob', 'bytes', 'patch', 'edits', 'diff'],
  ...[
    'destination',
    'dest',
    'output',
    'overwrite',
    'append',
    'replace',
    'replacement',
    'recursive',
  ],
  ...['recipient', 'recipients', 'cc', 'bcc', 'command', 'cmd', 'script', 'code', 'sql'],
  ...[
    'statement',
    'operation',
    'action',
    'permissions',
    'chmod',
    'amount',
    'write',
    'save',
    'store',
  ],
  ...['create', 'delete', 'update', 'move', 'rename', 'new', 'force', 'archive', 'mark', 'touch'],
]);
const NEGATIONS = new Set([
  ...['never', 'not', 'no', 'without', 'nothing', 'cannot', "doesn't", "don't", 'nor', 'neither'],
]);
/** Words that may precede the verb of a sentence. */
const LEADING_WORDS = new Set([
  ...['it', 'this', 'tool', 'also', 'then', 'will', 'can', 'and', 'automatically', 'always', 'may'],
  ...['to', 'the', 'a', 'which', 'that', 'securely', 'permanently', 'quietly', 'first', 'they'],
]);
/** Words that mark the preceding word as a verb. */
const OBJECT_MARKERS = new Set([
  ...['the', 'a', 'an', 'it', 'them', 'this', 'that', 'each', 'all', 'your', 'new', 'every', 'any'],
  ...['what', 'old', 'its', 'their', 'one', 'some', 'to', 'into', 'whatever', 'everything'],
]);

/** Classifies a tool by its name, schema, description and hints. */
export function classifyTool(tool: Definition): ToolEffect {
  if (indicatesChange(tool)) return 'writer';
  return isReadOnly(tool) ? 'reader' : 'unclear';
}

/** Returns whether the tool's name says that it alters existing things or contacts others. */
export function isAltering(tool: Definition): boolean {
  const words = splitToolName(tool);
  const look = words.findIndex((word) => READING_VERBS.has(word));
  return words.some((word, at) => {
    if (!ALTERING_VERBS.has(word)) return false;
    if (at === 0 || JOINING_WORDS.has(words[at - 1] ?? '')) return true;
    // A word that is also a noun is a noun after another word.
    return !VERBS_OR_NOUNS.has(word) && (look < 0 || at < look || CHANGING_VERBS.has(word));
  });
}

/** Returns whether the tool's name says that it only removes the named item. */
export function isRemoving(tool: Definition): boolean {
  const words = splitToolName(tool);
  const verbs = words.filter((word) => CHANGING_VERBS.has(word) || ALTERING_VERBS.has(word));
  const isPlain = !words.some((word) => JOINING_WORDS.has(word) || SWEEPING_WORDS.has(word));
  return isPlain && verbs.length === 1 && REMOVING_VERBS.has(verbs[0] ?? '');
}

function indicatesChange(tool: Definition): boolean {
  return hasChangingHint(tool) || hasChangingName(tool) || hasChangingSentence(tool);
}

/** A read-only hint proves nothing, but any other hint counts. */
function hasChangingHint({ annotations }: Definition): boolean {
  if (!isObject(annotations)) return false;
  const { readOnlyHint, destructiveHint } = annotations;
  const isReading = readOnlyHint === undefined || readOnlyHint === true;
  const isHarmless = destructiveHint === undefined || destructiveHint === false;
  return !isReading || !isHarmless;
}

function hasChangingName(tool: Definition): boolean {
  const words = splitToolName(tool);
  const look = words.findIndex((word) => READING_VERBS.has(word));
  const before = look < 0 ? words : words.slice(0, look);
  const after = look < 0 ? [] : words.slice(look + 1);
  if (
    before.some(
      (word) => CHANGING_VERBS.has(word) || VERBS_OR_NOUNS.has(word) || hasVerbPrefix(word),
    )
  ) {
    return true;
  }
  if (look < 0 && findActingVerb(tool) !== undefined) return true;
  return after.some(
    (word, at) =>
      CHANGING_VERBS.has(word) ||
      (VERBS_OR_NOUNS.has(word) && at > 0 && JOINING_WORDS.has(after[at - 1] ?? '')),
  );
}

function hasVerbPrefix(word: string): boolean {
  return VERB_PREFIXES.some((verb) => word.length > verb.length && word.startsWith(verb));
}

function isReadOnly(tool: Definition): boolean {
  const words = splitToolName(tool);
  const look = words.findIndex((word) => READING_VERBS.has(word));
  if (look < 0 || words.length > NAME_WORDS_MAX) return false;
  if (words.slice(look + 1).some((word) => JOINING_WORDS.has(word))) return false;
  return listMembers(inputSchemaOf(tool)).every(({ path, schema }) => {
    const names = path.flatMap((part) => splitName(part));
    return !names.some((name) => WRITE_MEMBERS.has(name)) && !hasChangingChoice(schema['enum']);
  });
}

/** Matches a member that selects between reading and changing. */
function hasChangingChoice(choices: unknown): boolean {
  if (!Array.isArray(choices)) return false;
  return choices
    .slice(0, CHOICES_MAX)
    .some(
      (one) => typeof one === 'string' && splitName(one).some((word) => CHANGING_VERBS.has(word)),
    );
}

/** Matches a clause of the description or title that starts with a changing verb. */
function hasChangingSentence({ title, description, annotations }: Definition): boolean {
  const own = isObject(annotations) ? annotations['title'] : undefined;
  const texts = [title, own, description].filter((one) => typeof one === 'string');
  const descriptionText = texts.join('. ').slice(0, DESCRIPTION_CHARS_MAX).toLowerCase();
  return descriptionText.split(/[.;:,!?\n()]/).some((clause) => {
    const words = clause.split(/[^\p{L}\p{N}'_-]+/u).filter((word) => word !== '');
    if (words.some((word) => NEGATIONS.has(word))) return false;
    return words.some((word, at) => {
      const isHead = words.slice(0, at).every((lead) => LEADING_WORDS.has(lead));
      const isSecond = words[at - 1] === 'and' || words[at - 1] === 'then';
      return (isHead || isSecond) && isChangingVerb(word, words[at + 1]);
    });
  });
}

function isChangingVerb(word: string, next: string | undefined): boolean {
  const base = toBaseForm(word);
  if (base === undefined) return false;
  return CHANGING_VERBS.has(base) || OBJECT_MARKERS.has(next ?? '');
}

/** Returns the base form of a verb: write for writes, copy for copies. */
function toBaseForm(word: string): string | undefined {
  const forms = [word, word.replace(/s$/, ''), word.replace(/es$/, ''), word.replace(/ies$/, 'y')];
  return forms.find((form) => CHANGING_VERBS.has(form) || VERBS_OR_NOUNS.has(form));
}

function splitToolName({ name }: Definition): readonly string[] {
  return splitName(name).filter((word) => !/^v?\d+$/.test(word));
}
