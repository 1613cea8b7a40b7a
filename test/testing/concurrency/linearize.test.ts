import { expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import { formatHistory, type History } from '../../../src/testing/concurrency/history.ts';
import { checkHistory, type ModelAnswer } from '../../../src/testing/concurrency/linearize.ts';

const counter = setup({
  types: {} as { context: { n: number }; events: { type: 'ADD'; by?: number } },
}).createMachine({
  id: 'counter',
  context: { n: 0 },
  initial: 'on',
  states: {
    on: {
      on: { ADD: { actions: assign({ n: ({ context, event }) => context.n + (event.by ?? 1) }) } },
    },
  },
});

const answer = ({ after }: ModelAnswer) => (after.context as { readonly n: number }).n;

type Row = readonly [client: string, event: string, from: number, to?: number, answer?: number];

/** A history from rows: a read has no event type. */
function historyOf(...rows: readonly Row[]): History {
  return rows.map(([client, type, invokedAt, returnedAt, seen], n) => ({
    id: `${n}`,
    client,
    actor: 'a',
    invokedAt,
    ...(type === 'read' ? {} : { event: { type } }),
    ...(returnedAt === undefined ? {} : { returnedAt }),
    answer: type === 'read' ? { value: 'on', status: 'active', facets: { n: seen } } : seen,
  }));
}

const isLinearizable = (history: History) =>
  checkHistory(counter, history, { answer }).every(({ order }) => order !== undefined);

test.each<[string, readonly Row[], boolean]>([
  [
    'answers in the order of the calls',
    [
      ['a', 'ADD', 1, 2, 1],
      ['b', 'ADD', 3, 4, 2],
    ],
    true,
  ],
  [
    'answers against the order of the calls',
    [
      ['a', 'ADD', 1, 2, 2],
      ['b', 'ADD', 3, 4, 1],
    ],
    false,
  ],
  [
    'calls at the same time in either order',
    [
      ['a', 'ADD', 1, 4, 2],
      ['b', 'ADD', 2, 3, 1],
    ],
    true,
  ],
  [
    'a lost update',
    [
      ['a', 'ADD', 1, 3, 1],
      ['b', 'ADD', 2, 4, 1],
    ],
    false,
  ],
  [
    'a stale read',
    [
      ['a', 'ADD', 1, 2, 1],
      ['b', 'read', 3, 4, 0],
    ],
    false,
  ],
  [
    'a read during the update, old',
    [
      ['a', 'ADD', 1, 4, 1],
      ['b', 'read', 2, 3, 0],
    ],
    true,
  ],
  [
    'a read during the update, new',
    [
      ['a', 'ADD', 1, 4, 1],
      ['b', 'read', 2, 3, 1],
    ],
    true,
  ],
  [
    'an unanswered event that was applied',
    [
      ['a', 'ADD', 1],
      ['b', 'read', 2, 3, 1],
    ],
    true,
  ],
  [
    'an unanswered event that was not applied',
    [
      ['a', 'ADD', 1],
      ['b', 'read', 2, 3, 0],
    ],
    true,
  ],
  [
    'an unanswered event that is applied late',
    [
      ['a', 'ADD', 1],
      ['b', 'read', 2, 3, 0],
      ['b', 'read', 4, 5, 1],
    ],
    true,
  ],
  [
    'an unanswered event that is taken back',
    [
      ['a', 'ADD', 1],
      ['b', 'read', 2, 3, 1],
      ['b', 'read', 4, 5, 0],
    ],
    false,
  ],
  [
    'an unanswered event applied twice',
    [
      ['a', 'ADD', 1],
      ['b', 'read', 2, 3, 2],
    ],
    false,
  ],
  ['an event from nowhere', [['b', 'read', 2, 3, 1]], false],
])('%s', (_name, rows, expected) => {
  expect(isLinearizable(historyOf(...rows))).toBe(expected);
});

test('each actor has a verdict of its own, and a refusal says what contradicts', () => {
  const good = historyOf(['a', 'ADD', 1, 2, 1]);
  const bad = historyOf(['a', 'ADD', 3, 4, 1], ['b', 'read', 5, 6, 0]);
  const history = [...good, ...bad.map((each) => ({ ...each, id: `b${each.id}`, actor: 'b' }))];
  const [first, second] = checkHistory(counter, history, { answer });
  expect(first).toMatchObject({ actor: 'a', order: [{ id: '0' }] });
  expect(second).toEqual({
    actor: 'b',
    reason: 'after ADD: b read: context.n expected 1, seen 0',
  });
});

test('a long history with many calls at once is decided', () => {
  const rows = Array.from({ length: 60 }, (_, n): Row => {
    const round = Math.floor(n / 6) * 100;
    return [`c${n % 6}`, 'ADD', round + (n % 6), round + 50 - (n % 6), n + 1];
  });
  expect(isLinearizable(historyOf(...rows))).toBe(true);
  const twice = rows.map(
    (row, n): Row => (n === 59 ? ['c5', 'ADD', row[2], row[2] + 40, 59] : row),
  );
  expect(isLinearizable(historyOf(...twice))).toBe(false);
});

test('a history has one lane for each client', () => {
  const history = historyOf(['a', 'ADD', 1, 4, 1], ['b', 'ADD', 2], ['c', 'ADD', 3, 5, 2]);
  expect(formatHistory(history)).toEqual([
    '  a     b       c',
    '  ADD',
    '  │     ADD',
    '  │             ADD',
    '  → 1           │',
    '                → 2',
    '        ? ADD',
  ]);
});
