import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PersistedSnapshot } from '../../../src/runtime/engine/types.ts';
import {
  type ContextParts,
  createStateHash,
  sha256Prefix,
} from '../../../src/runtime/value/state-hash.ts';

type Context = PersistedSnapshot['context'];

const SEED = 20_261_120;
/** Objects that contexts share by identity, as one follows another. */
const POOL = [{ a: 1 }, { b: [2] }, [{ c: 3 }], ['d'], 'e', 5, null];
const contexts = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }), { maxKeys: 6 });

test('a hash is 16 hex digits of what anyone can compute', () => {
  // SHA-256 of {"value":"open","status":"active"}{"list":#,"n":1,"o":#}, with the hashes inside.
  const list = sha256Prefix(`[1,${sha256Prefix('{"a":2}')}]`);
  const text = `{"value":"open","status":"active"}{"list":${list},"n":1,"o":${sha256Prefix('{"b":3}')}}`;
  const got = computeHash(state({ o: { b: 3 }, n: 1, gone: undefined, list: [1, { a: 2 }] }));
  expect(got).toBe(sha256Prefix(text));
  expect(got).toBe('ff820d910edbb016');
});

test('equal contexts have equal hashes, whoever made them and whatever was hashed before', () => {
  const hash = createStateHash(sha256Prefix);
  fc.assert(
    fc.property(contexts, (context) => {
      const first = hash(state(context)).hash;
      expect(hash(state(context)).hash).toBe(first);
      expect(hash(state(structuredClone(context))).hash).toBe(first);
      expect(hash(state(turnedAround(context))).hash).toBe(first);
      // At rest a state is JSON, and the next process begins with nothing in mind.
      const read = JSON.parse(JSON.stringify(context)) as Context;
      expect(computeHash(state(read))).toBe(first);
    }),
    { seed: SEED },
  );
});

test('a change at any depth, a member more and a member less change the hash', () => {
  fc.assert(
    fc.property(contexts, fc.nat(), (context, pick) => {
      const before = computeHash(state(context));
      const changed = changedAt(context, pick) as Context;
      expect(computeHash(state(changed))).not.toBe(before);
      expect(computeHash(state({ ...context, 'one more': null }))).not.toBe(before);
    }),
    { seed: SEED },
  );
});

test('one list as a member and inside another has each time the hash of its place', () => {
  const shared = [{ a: 1 }];
  const context = { first: shared, second: [shared], third: { shared } };
  const turned = { third: { shared }, second: [shared], first: shared };
  expect(computeHash(state(turned))).toBe(computeHash(state(context)));
  const read = JSON.parse(JSON.stringify(context)) as Context;
  expect(computeHash(state(read))).toBe(computeHash(state(context)));
});

test('a text that looks like the hash of an object is another state', () => {
  const digest = sha256Prefix('{"a":1}');
  expect(computeHash(state({ m: digest }))).not.toBe(computeHash(state({ m: { a: 1 } })));
});

test('the state before saves work and changes no hash', () => {
  const lists = fc.array(fc.constantFrom(...POOL), { maxLength: 6 });
  const shared = fc.record({ list: lists, one: fc.constantFrom(...POOL) }, { requiredKeys: [] });
  fc.assert(
    fc.property(fc.array(shared, { minLength: 2, maxLength: 5 }), (walk) => {
      const hash = createStateHash(sha256Prefix);
      let parts: ContextParts | undefined;
      for (const context of walk) {
        const got = hash(state(context), parts);
        expect(got.hash).toBe(computeHash(state(structuredClone(context))));
        parts = got.hashParts;
      }
    }),
    { seed: SEED, numRuns: 300 },
  );
});

test('state value and status count', () => {
  const one = state({ n: 1 });
  const hashes = [one, { ...one, value: 'shut' }, { ...one, status: 'done' as const }].map((each) =>
    computeHash(each),
  );
  expect(new Set(hashes).size).toBe(3);
});

test('what did not change is not hashed again', () => {
  const texts: string[] = [];
  const hash = createStateHash((text) => {
    texts.push(text);
    return sha256Prefix(text);
  });
  const turns = [{ turn: 1 }, { turn: 2 }];
  const input = { question: 'q' };
  const before = state({ input, turns });
  const { hashParts } = hash(before);
  expect(texts.splice(0)).toHaveLength(5);
  hash(state({ input, turns: [...turns, { turn: 3 }] }), hashParts);
  // The new turn, the list of turns, the state.
  expect(texts).toHaveLength(3);
  expect(texts[0]).toBe('{"turn":3}');
});

/** The hash of a state, by a function that has hashed nothing before. */
function computeHash(hashed: PersistedSnapshot): string {
  return createStateHash(sha256Prefix)(hashed).hash;
}

function state(context: Context): PersistedSnapshot {
  return { status: 'active', value: 'open', context };
}

function turnedAround(context: Context): Context {
  return Object.fromEntries(Object.entries(context).reverse());
}

/** A copy in which one leaf, picked by number, is another. */
function changedAt(value: unknown, pick: number): unknown {
  if (typeof value !== 'object' || value === null) return value === 'other' ? 'changed' : 'other';
  if (Array.isArray(value)) {
    if (value.length === 0) return [null];
    const at = pick % value.length;
    return value.map((item, place) => (place === at ? changedAt(item, pick >> 2) : item));
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return { made: null };
  const at = pick % entries.length;
  return Object.fromEntries(
    entries.map(([key, item], place) => [key, place === at ? changedAt(item, pick >> 2) : item]),
  );
}
