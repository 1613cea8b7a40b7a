import { hash as digest } from 'node:crypto';
import type { AnyMachineSnapshot } from 'xstate';
import type { PersistedSnapshot } from '../engine/types.ts';

/** Computes the hash of a text for a journal row: 16 hex digits. */
export type TextHash = (text: string) => string;

/** The hashed parts of an actor: state value, context and status. */
export type HashedState = Pick<
  PersistedSnapshot | AnyMachineSnapshot,
  'value' | 'context' | 'status'
>;

/** The hash of a state, and what the hash of the next state can reuse. */
export interface StateDigest {
  readonly hash: string;
  readonly hashParts: ContextParts;
}

/**
 * Computes the hash of a state.
 *
 * @param before - Parts of a state hashed earlier; members that both share are not hashed again.
 * The result is the same without it.
 */
export type StateHash = (state: HashedState, before?: ContextParts) => StateDigest;

/** Returns the first 16 hex digits of SHA-256. */
export const sha256Prefix: TextHash = (text) => digest('sha256', text, 'hex').slice(0, 16);

/**
 * Creates a state hash function. It hashes each context member, and each item of a list member,
 * separately, so that a row costs only what it changed. Context objects must be immutable. Equal
 * JSON gives equal hashes, regardless of the order of context members.
 */
export function createStateHash(hash: TextHash): StateHash {
  // An actor that is loaded is hashed to check its rows, and again when its machine is restored.
  let last: { readonly context: unknown; readonly parts: ContextParts } | undefined;
  return ({ value, context, status }, before) => {
    const parts =
      last !== undefined && last.context === context
        ? last.parts
        : hashParts(context as Members, before, hash);
    last = { context, parts };
    let text = '';
    for (const { head, body } of parts.inOrder) {
      if (body !== undefined) text += text === '' ? `${head}${body}` : `,${head}${body}`;
    }
    return { hash: hash(`${JSON.stringify({ value, status })}{${text}}`), hashParts: parts };
  };
}

type Members = Readonly<Record<string, unknown>>;

/** The hashed parts of a context, in sorted order, and its member names. */
export interface ContextParts {
  readonly names: readonly string[];
  readonly inOrder: readonly ContextPart[];
  /** Characters of the context as JSON, without the member names. */
  readonly chars: number;
}

/** The hash input of one context member; without a body the member is absent. */
interface ContextPart {
  readonly name: string;
  readonly head: string;
  readonly member: unknown;
  readonly body: string | undefined;
  /** Characters of the member as JSON. */
  readonly chars: number;
  /** The items if the member is a list. */
  readonly items?: readonly HashedItem[];
}

/** An item of a list: JSON of a simple value, or the hash of an object. */
type HashedItem = string | HashedText;

/** The hash of a text and the characters of that text. */
interface HashedText {
  readonly text: string;
  readonly chars: number;
}

function hashParts(
  members: Members,
  before: ContextParts | undefined,
  hash: TextHash,
): ContextParts {
  const names = Object.keys(members);
  if (before !== undefined && isSameList(names, before.names)) {
    const update = (part: ContextPart) => {
      const member = members[part.name];
      return member === part.member ? part : hashPart(part.name, member, { hash, before: part });
    };
    const updated = before.inOrder.map(update);
    return { names, inOrder: updated, chars: countChars(updated) };
  }
  const sorted = [...names].sort((left, right) => (left < right ? -1 : 1));
  const inOrder = sorted.map((name) => {
    const same = before?.inOrder.find((part) => part.name === name);
    return hashPart(name, members[name], { hash, before: same });
  });
  return { names, inOrder, chars: countChars(inOrder) };
}

function countChars(parts: readonly ContextPart[]): number {
  let chars = 0;
  for (const part of parts) chars += part.chars;
  return chars;
}

function isSameList(names: readonly string[], others: readonly string[]): boolean {
  return names.length === others.length && names.every((name, at) => name === others[at]);
}

interface PartContext {
  readonly hash: TextHash;
  readonly before: ContextPart | undefined;
}

function hashPart(name: string, member: unknown, { hash, before }: PartContext): ContextPart {
  const head = before?.head ?? `${JSON.stringify(name)}:`;
  if (member === undefined) return { name, head, member, body: undefined, chars: 0 };
  if (!Array.isArray(member)) {
    const text = JSON.stringify(member);
    const body = isObject(member) ? hash(text) : text;
    return { name, head, member, body, chars: text.length };
  }
  const items = hashItems(member, before, hash);
  const { body, chars } = joinItems(items);
  return { name, head, member, body: hash(body), items, chars };
}

function joinItems(items: readonly HashedItem[]): {
  readonly body: string;
  readonly chars: number;
} {
  let body = '[';
  let chars = items.length + 1;
  for (const item of items) {
    const text = typeof item === 'string' ? item : item.text;
    body += body === '[' ? text : `,${text}`;
    chars += typeof item === 'string' ? text.length : item.chars;
  }
  return { body: `${body}]`, chars };
}

/** Returns the texts of a list's items and reuses those of items that the previous list had. */
function hashItems(
  list: readonly unknown[],
  before: ContextPart | undefined,
  hash: TextHash,
): readonly HashedItem[] {
  const texts = before?.items ?? [];
  const known = texts.length === 0 ? [] : (before?.member as readonly unknown[]);
  let next = 0;
  return list.map((item) => {
    if (!isObject(item)) return JSON.stringify(item);
    const at = known[next] === item ? next : known.indexOf(item, next);
    if (at < 0) {
      const text = JSON.stringify(item);
      return { text: hash(text), chars: text.length };
    }
    next = at + 1;
    return texts[at] as HashedItem;
  });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
