import { isObject, type Json, type JsonObject } from '../../../domain/common/json.ts';
import type { HiddenValue } from '../../../domain/inspect/wire.ts';
import type { Ev } from '../../../runtime/engine/types.ts';

/** Longest text that is shown, in characters. */
export const TEXT_CHARS_MAX = 4_000;
/** Maximum number of list items or record fields that are shown. */
export const ITEMS_MAX = 1_000;

/**
 * The visible fields of one actor kind. A path joins field names with dots: `*` matches every list
 * item or field, `**` everything below. Unlisted fields are hidden.
 */
export interface Redaction {
  readonly kind: string;
  readonly context: readonly string[];
  /** The remaining context fields, listed so that a test can detect new, unclassified ones. */
  readonly hidden: readonly string[];
  /** Visible fields by event type; `a.*` matches all types that start with `a.`. */
  readonly events: Readonly<Record<string, readonly string[]>>;
  readonly output?: readonly string[];
}

/** Redacts the data of one actor kind. */
export interface Redactor {
  context(context: Readonly<Record<string, unknown>>): JsonObject;
  event(event: Ev): JsonObject;
  output(output: unknown): Json;
  /** Default: the reason without its long words. */
  reason?(reason: string, event: Ev): string;
}

/** Visible fields of every kind: effect ends without their results, and engine rows. */
const COMMON_EVENTS: Redaction['events'] = {
  'xstate.done.actor.*': ['actorId'],
  'xstate.error.actor.*': ['actorId', 'error.name', 'error.code'],
  'engine.fork': ['from', 'atSeq'],
  'engine.migrate': ['from', 'to'],
};

/** Creates the redactor of a kind. Without a redaction, all values are hidden. */
export function createRedactor(redaction: Redaction | undefined): Redactor {
  const context = buildTree(redaction?.context ?? []);
  const output = buildTree(redaction?.output ?? []);
  const own = buildEventTrees(redaction?.events ?? {});
  const all = buildEventTrees(COMMON_EVENTS);
  return {
    context: (value) => redactMembers(value, context),
    event: ({ type, ...fields }) => {
      const tree = own(type) ?? all(type) ?? EMPTY_TREE;
      return { type: redactText(type), ...redactMembers(fields, tree) };
    },
    output: (value) => (value === undefined ? null : redactValue(value, output)),
  };
}

/** Returns only the type and size of a value. */
export function hideValue(value: unknown): HiddenValue & JsonObject {
  if (typeof value === 'string') return { hidden: 'text', size: value.length };
  if (typeof value === 'number') return { hidden: 'number', size: 1 };
  if (typeof value === 'boolean') return { hidden: 'boolean', size: 1 };
  if (Array.isArray(value)) return { hidden: 'list', size: value.length };
  if (isObject(value)) return { hidden: 'object', size: Object.keys(value).length };
  return { hidden: 'null', size: 0 };
}

interface Tree {
  isShown: boolean;
  /** Shows everything below. */
  isWhole: boolean;
  readonly members: Map<string, Tree>;
}

const EMPTY_TREE: Tree = emptyTree();

function emptyTree(): Tree {
  return { isShown: false, isWhole: false, members: new Map() };
}

function buildTree(paths: readonly string[]): Tree {
  const root = emptyTree();
  for (const path of paths) {
    let at = root;
    for (const part of path.split('.')) {
      if (part === '**') {
        at.isWhole = true;
        break;
      }
      const next = at.members.get(part) ?? emptyTree();
      at.members.set(part, next);
      at = next;
    }
    at.isShown = true;
  }
  return root;
}

function buildEventTrees(events: Redaction['events']): (type: string) => Tree | undefined {
  const trees = new Map(Object.entries(events).map(([type, paths]) => [type, buildTree(paths)]));
  return (type) => {
    const exact = trees.get(type);
    if (exact !== undefined) return exact;
    for (let dot = type.lastIndexOf('.'); dot > 0; dot = type.lastIndexOf('.', dot - 1)) {
      const wild = trees.get(`${type.slice(0, dot)}.*`);
      if (wild !== undefined) return wild;
    }
    return trees.get('*');
  };
}

function redactValue(value: unknown, tree: Tree): Json {
  if (Array.isArray(value)) {
    const item = tree.isWhole ? tree : tree.members.get('*');
    if (item === undefined || value.length > ITEMS_MAX) return hideValue(value);
    return value.map((each) => redactValue(each, item));
  }
  if (isObject(value)) {
    const isInner = tree.isWhole || tree.members.size > 0;
    return isInner && Object.keys(value).length <= ITEMS_MAX
      ? redactMembers(value, tree)
      : hideValue(value);
  }
  if (!tree.isShown && !tree.isWhole) return hideValue(value);
  if (typeof value === 'string') return redactText(value);
  return value === undefined ? null : (value as Json);
}

function redactMembers(value: Readonly<Record<string, unknown>>, tree: Tree): JsonObject {
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(
    members.map(([key, member]) => {
      const inner = tree.isWhole ? tree : (tree.members.get(key) ?? tree.members.get('*'));
      return [key, inner === undefined ? hideValue(member) : redactValue(member, inner)];
    }),
  );
}

function redactText(text: string): Json {
  return text.length > TEXT_CHARS_MAX ? hideValue(text) : text;
}

/** Returns the paths of members of an object in the context. */
export function prefixPaths(parent: string, paths: readonly string[]): readonly string[] {
  return paths.map((path) => `${parent}.${path}`);
}
