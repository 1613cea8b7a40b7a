import { hash as digest } from 'node:crypto';
import type { AnyMachineSnapshot } from 'xstate';
import type { PersistedSnapshot } from './types.ts';

/** Turns a text into the hash of a journal row: 16 hex digits. */
export type TextHash = (text: string) => string;

/** What an actor is: state value, context, status. */
export type HashedState = Pick<
  PersistedSnapshot | AnyMachineSnapshot,
  'value' | 'context' | 'status'
>;

/**
 * Gives the hash of a state.
 *
 * @param before - A state that was hashed before: what both hold is not hashed again. The answer
 * is the same without it.
 */
export type StateHash = (state: HashedState, before?: HashedState) => string;

/** First 16 hex digits of SHA-256. */
export const sha256Prefix: TextHash = (text) => digest('sha256', text, 'hex').slice(0, 16);

/**
 * Makes the hash of states. Each member of a context, and each item of a list that is a member, is
 * hashed by itself, so that a row pays for what it changed. Objects of a context are never changed.
 * Equal JSON gives equal hashes, in whatever order the members of the context stand.
 */
export function stateHash(hash: TextHash): StateHash {
  const known = new WeakMap<object, Parts>();
  return ({ value, context, status }, before) => {
    const members = context as Members;
    let parts = known.get(members);
    if (parts === undefined) {
      parts = partsOf(members, before && known.get(before.context as object), hash);
      known.set(members, parts);
    }
    let text = '';
    for (const { head, body } of parts.inOrder) {
      if (body !== undefined) text += text === '' ? `${head}${body}` : `,${head}${body}`;
    }
    return hash(`${JSON.stringify({ value, status })}{${text}}`);
  };
}

type Members = Readonly<Record<string, unknown>>;

/** The parts of a context: by the order of its members, and by name. */
interface Parts {
  readonly names: readonly string[];
  readonly inOrder: readonly Part[];
}

/** A member as it goes into the hash; without a body it is absent. */
interface Part {
  readonly name: string;
  readonly head: string;
  readonly member: unknown;
  readonly body: string | undefined;
  /** Texts of the items, where the member is a list. */
  readonly items?: readonly string[];
}

function partsOf(members: Members, before: Parts | undefined, hash: TextHash): Parts {
  const names = Object.keys(members);
  if (before !== undefined && isSame(names, before.names)) {
    const renew = (part: Part) => {
      const member = members[part.name];
      return member === part.member ? part : partOf(part.name, member, { hash, before: part });
    };
    return { names, inOrder: before.inOrder.map(renew) };
  }
  const sorted = [...names].sort((left, right) => (left < right ? -1 : 1));
  const inOrder = sorted.map((name) => {
    const same = before?.inOrder.find((part) => part.name === name);
    return partOf(name, members[name], { hash, before: same });
  });
  return { names, inOrder };
}

function isSame(names: readonly string[], others: readonly string[]): boolean {
  return names.length === others.length && names.every((name, at) => name === others[at]);
}

interface Making {
  readonly hash: TextHash;
  readonly before: Part | undefined;
}

function partOf(name: string, member: unknown, { hash, before }: Making): Part {
  const head = before?.head ?? `${JSON.stringify(name)}:`;
  if (member === undefined) return { name, head, member, body: undefined };
  if (!Array.isArray(member)) return { name, head, member, body: textOf(member, hash) };
  const items = itemsOf(member, before, hash);
  return { name, head, member, body: hash(`[${items.join()}]`), items };
}

/** Texts of a list's items; those that the list before had, in that order, are taken from there. */
function itemsOf(list: readonly unknown[], before: Part | undefined, hash: TextHash) {
  const texts = before?.items ?? [];
  const known = texts.length === 0 ? [] : (before?.member as readonly unknown[]);
  let next = 0;
  return list.map((item) => {
    if (!isObject(item)) return JSON.stringify(item);
    const at = known[next] === item ? next : known.indexOf(item, next);
    if (at < 0) return textOf(item, hash);
    next = at + 1;
    return texts[at] as string;
  });
}

function textOf(value: unknown, hash: TextHash): string {
  const text = JSON.stringify(value);
  return isObject(value) ? hash(text) : text;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
