import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyDelta, deltaBetween, SAME } from '../../../src/runtime/journal/delta.ts';
import { toStorable } from '../../../src/runtime/value/plain.ts';

const SEED = 20_261_126;
const LONG = 'a text that is long enough to be pointed at';

type Members = Readonly<Record<string, unknown>>;
type Choose = (options: number) => number;

test('a delta leads from any value to the one that rules made of it', () => {
  const choices = fc.array(fc.nat(), { minLength: 40, maxLength: 40 });
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue(), choices, (first, output, given) => {
      let next = 0;
      const choose: Choose = (options) => (given[next++ % given.length] ?? 0) % options;
      let now: Members = toStorable({ first, list: [1, { first }], n: 0 }, 'context');
      for (let row = 0; row < 5; row += 1) {
        const event = toStorable({ type: 'SAID', output, text: LONG }, 'event');
        const after: Members = toStorable(changed(now, event, choose), 'context', now);
        const delta = atRest(deltaBetween(now, after, event));
        const read = applyDelta(atRest(now), delta, atRest(event));
        // The order of members is a part of a context.
        expect(JSON.stringify(read)).toBe(JSON.stringify(after));
        now = after;
      }
    }),
    { seed: SEED, numRuns: 500 },
  );
});

test.each<[string, Members, (context: Members) => Members, unknown]>([
  ['a number', { n: 1, s: 'x' }, (c) => ({ ...c, n: 2 }), [1, { n: 2 }]],
  [
    'a list that grew',
    { items: [1, 2, 3], s: 'x' },
    (c) => ({ ...c, items: [...(c['items'] as number[]), 4] }),
    [1, { items: [2, [6, 0, 3], 4] }],
  ],
  [
    'a window that moved on',
    { s: 'x', last: [{ n: 1 }, { n: 2 }, { n: 3 }] },
    (c) => ({ ...c, last: [...(c['last'] as object[]).slice(1), { n: 4 }] }),
    [1, { last: [2, [6, 1, 2], { n: 4 }] }],
  ],
  [
    'one seat of many',
    {
      seats: [
        { id: 1, vote: 0 },
        { id: 2, vote: 0 },
      ],
    },
    (c) => ({
      seats: (c['seats'] as { id: number }[]).map((s) => (s.id < 2 ? s : { ...s, vote: 5 })),
    }),
    [1, { seats: [2, [6, 0, 1], [7, 1, [1, { vote: 5 }]]] }],
  ],
  ['a member that went', { a: 1, b: 2 }, () => ({ b: 2 }), [1, {}, ['a']]],
  [
    'what the event brought',
    { n: 1 },
    (c) => ({ ...c, said: { by: 'me', text: LONG } }),
    [1, { said: [4, { by: 'me', text: [3, 'text'] }] }],
  ],
  [
    'flags all over',
    { q: [true, false, true, true, false, true] },
    () => ({ q: [false, true, false, false, true, false] }),
    { q: [false, true, false, false, true, false] },
  ],
])('the delta of %s is short', (_name, first, change, delta) => {
  const before = toStorable(first, 'context');
  const after = toStorable(change(before), 'context', before);
  expect(deltaBetween(before, after, { type: 'SAID', text: LONG })).toEqual(delta);
});

test('nothing changed is said as such', () => {
  const context = toStorable({ list: [{ a: 1 }] }, 'context');
  expect(deltaBetween(context, { ...context }, {})).toEqual([1, {}]);
  expect(deltaBetween(context, context, {})).toBe(SAME);
});

function changed(value: Members, event: Members, choose: Choose): Members {
  const names = Object.keys(value);
  const name = names[choose(names.length || 1)] ?? 'none';
  switch (choose(6)) {
    case 0:
      return { ...value, [`new${choose(5)}`]: choose(100) };
    case 1: {
      const { [name]: _gone, ...rest } = value;
      return rest;
    }
    case 2:
      return { ...value, [name]: changedPart(value[name], choose) };
    case 3:
      return { front: 1, ...value };
    case 4:
      return { ...value, said: [event['output'], { text: event['text'], is: event['output'] }] };
    default:
      return { ...value, list: changedPart(value['list'] ?? [], choose) };
  }
}

function changedPart(value: unknown, choose: Choose): unknown {
  if (!Array.isArray(value)) return choose(2) === 0 ? [value ?? 0] : choose(1_000);
  switch (choose(5)) {
    case 0:
      return [...(value as unknown[]), choose(9)];
    case 1:
      return value.slice(1);
    case 2:
      return [...(value as unknown[])].reverse();
    case 3:
      return value.filter((_item, at) => at % 2 === 0);
    default:
      return [{ a: 1 }, ...(value as unknown[])];
  }
}

function atRest(value: unknown): unknown {
  return value === SAME ? [1, {}] : (JSON.parse(JSON.stringify(value)) as unknown);
}
