import { hash as digest } from 'node:crypto';
import type { AnyMachineSnapshot } from 'xstate';
import type { PersistedSnapshot } from './types.ts';

/** Turns a text into the hash of a journal row: 16 hex digits. */
export type TextHash = (text: string) => string;

/** Gives the hash of what an actor is: state value, context, status. */
export type StateHash = (state: PersistedSnapshot | AnyMachineSnapshot) => string;

/** First 16 hex digits of SHA-256. */
export const sha256Prefix: TextHash = (text) => digest('sha256', text, 'hex').slice(0, 16);

/**
 * Makes the hash of states. Each member of a context, and each item of a list that is a member, is
 * hashed by itself and once for as long as the object lives, so that a row pays for what it
 * changed. Objects of a context are never changed. Equal JSON gives equal hashes, in whatever order
 * the members of the context stand.
 */
export function stateHash(hash: TextHash): StateHash {
  const objects = new WeakMap<object, string>();
  // Apart from the others: as an item of a list, a list is hashed as plain JSON.
  const lists = new WeakMap<object, string>();
  const ofItem = (item: unknown): string =>
    isObject(item) ? kept(objects, item, () => hash(JSON.stringify(item))) : JSON.stringify(item);
  const ofMember = (member: unknown): string =>
    Array.isArray(member)
      ? kept(lists, member, () => hash(`[${member.map(ofItem).join()}]`))
      : ofItem(member);
  return ({ value, context, status }) => {
    const members = Object.entries(context as Readonly<Record<string, unknown>>)
      .filter(([, member]) => member !== undefined)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, member]) => `${JSON.stringify(name)}:${ofMember(member)}`);
    return hash(`${JSON.stringify({ value, status })}{${members.join()}}`);
  };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function kept(known: WeakMap<object, string>, key: object, make: () => string): string {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}
