import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ActorRow, ActorsFrame } from '../../src/domain/inspect/wire.ts';
import {
  Directory,
  type Filter,
  kindFacets,
  stateFacets,
} from '../../web/src/directory/directory.ts';
import {
  createComparator,
  DEFAULT_SORT,
  formatSort,
  nextSort,
  parseSort,
} from '../../web/src/directory/sort.ts';

function actor(id: string, change: Partial<ActorRow> = {}): ActorRow {
  return {
    id,
    kind: 'job',
    state: 'open',
    status: 'active',
    seq: 1,
    createdAt: 1,
    at: 1,
    lastEvent: null,
    ...change,
  };
}

function frame(rows: readonly ActorRow[], change: Partial<ActorsFrame> = {}): ActorsFrame {
  return {
    topic: 'actors',
    isFirst: false,
    isWhole: true,
    rows,
    gone: [],
    counts: [],
    rowsMax: 100,
    ...change,
  };
}

function ids(directory: Directory): string[] {
  return directory.listed.map(({ row }) => row.id);
}

function filled(...rows: readonly ActorRow[]): Directory {
  const directory = new Directory();
  directory.applyFrame(frame(rows, { isFirst: true }));
  directory.applyPending();
  return directory;
}

test('rows keep their places while they change, and take new ones when settled', () => {
  const directory = filled(actor('a', { at: 3 }), actor('b', { at: 2 }), actor('c', { at: 1 }));
  directory.applyFrame(
    frame([actor('c', { at: 9, seq: 2, state: 'shut' }), actor('d', { at: 10 })]),
  );
  expect(ids(directory)).toEqual(['a', 'b', 'c']);
  expect(directory.listed[2]?.row.state).toBe('shut');
  expect(directory.pendingChanges).toEqual({ added: 1, changed: 1 });
  directory.applyPending();
  expect(ids(directory)).toEqual(['d', 'c', 'a', 'b']);
  expect(directory.pendingChanges).toEqual({ added: 0, changed: 0 });
});

test('new actors that do not fit the filter are not counted as waiting', () => {
  const directory = filled(actor('a'));
  directory.applyQuery({ kind: 'job' }, DEFAULT_SORT);
  directory.applyFrame(frame([actor('p', { kind: 'payment' }), actor('j')]));
  expect(directory.pendingChanges.added).toBe(1);
});

test('a change counts as waiting where it can move a row into, within or out of the list', () => {
  const directory = filled(
    actor('a'),
    actor('b', { state: 'shut' }),
    actor('c', { state: 'shut' }),
  );
  directory.applyQuery({ state: 'shut' }, DEFAULT_SORT);
  directory.applyFrame(frame([actor('a', { seq: 2 })]));
  expect(directory.pendingChanges).toEqual({ added: 0, changed: 0 });
  directory.applyFrame(frame([actor('a', { seq: 3, state: 'shut' }), actor('b', { seq: 2 })]));
  expect(directory.pendingChanges).toEqual({ added: 1, changed: 1 });
  directory.applyPending();
  expect(ids(directory)).toEqual(['a', 'c']);
});

test('a purged actor stays marked in its place until the list is settled', () => {
  const directory = filled(actor('a', { at: 2 }), actor('b', { at: 1 }));
  directory.applyFrame(frame([], { gone: ['a'] }));
  expect(directory.listed.map(({ isPurged }) => isPurged)).toEqual([true, false]);
  expect(directory.size).toBe(1);
  directory.applyPending();
  expect(ids(directory)).toEqual(['b']);
});

test('an actor that came and went in between leaves no trace', () => {
  const directory = filled(actor('a'));
  directory.applyFrame(frame([actor('b')]));
  directory.applyFrame(frame([], { gone: ['b'] }));
  expect(directory.pendingChanges).toEqual({ added: 0, changed: 0 });
  directory.applyPending();
  expect(ids(directory)).toEqual(['a']);
});

test('after a reconnect, what the server no longer has goes, and the rest keeps its place', () => {
  const directory = filled(actor('a', { at: 3 }), actor('b', { at: 2 }), actor('c', { at: 1 }));
  directory.applyFrame(frame([actor('c', { at: 1 })], { isFirst: true, isWhole: false }));
  expect(ids(directory)).toEqual(['a', 'b', 'c']);
  directory.applyFrame(frame([actor('a', { at: 3 })]));
  expect(directory.listed.map(({ isPurged }) => isPurged)).toEqual([false, true, false]);
  directory.applyPending();
  expect(ids(directory)).toEqual(['a', 'c']);
});

test('statuses are counted over all rows, through changes and purges', () => {
  const directory = filled(actor('a'), actor('b'), actor('c', { status: 'done' }));
  directory.applyFrame(frame([actor('a', { seq: 2, status: 'done' })], { gone: ['b'] }));
  expect(directory.statuses).toEqual([{ name: 'done', count: 2 }]);
});

test('kinds and states are summed from the counts of all actors', () => {
  const counts = [
    { kind: 'job', state: 'open', count: 2 },
    { kind: 'job', state: 'shut', count: 5 },
    { kind: 'payment', state: 'open', count: 4 },
  ];
  expect(kindFacets(counts)).toEqual([
    { name: 'job', count: 7 },
    { name: 'payment', count: 4 },
  ]);
  expect(stateFacets(counts)[0]).toEqual({ name: 'open', count: 6 });
  expect(stateFacets(counts, 'payment')).toEqual([{ name: 'open', count: 4 }]);
});

test('a search looks at id, kind, state and last event, without regard to capitals', () => {
  const directory = filled(
    actor('x-1', { lastEvent: 'TURN.OK' }),
    actor('x-2', { kind: 'turn' }),
    actor('x-3', { state: 'turning' }),
    actor('turn-4'),
    actor('x-5'),
  );
  directory.applyQuery({ text: 'Turn' }, { by: 'id', isDescending: false });
  expect(ids(directory)).toEqual(['turn-4', 'x-1', 'x-2', 'x-3']);
});

test('columns turn around at a second press and come back from an address', () => {
  expect(nextSort(DEFAULT_SORT, 'at')).toEqual({ by: 'at', isDescending: false });
  expect(nextSort(DEFAULT_SORT, 'seq')).toEqual({ by: 'seq', isDescending: true });
  expect(nextSort(DEFAULT_SORT, 'id')).toEqual({ by: 'id', isDescending: false });
  expect(parseSort(formatSort({ by: 'seq', isDescending: true }))).toEqual({
    by: 'seq',
    isDescending: true,
  });
  expect(parseSort('no column')).toEqual(DEFAULT_SORT);
});

// Every list that frames, filters and settlings lead to is the one that a plain sort makes.
const anyRow = fc.record({
  id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
  kind: fc.constantFrom('job', 'payment'),
  state: fc.constantFrom('open', 'shut'),
  status: fc.constantFrom('active', 'done'),
  seq: fc.nat(5),
  createdAt: fc.nat(5),
  at: fc.nat(5),
  lastEvent: fc.constantFrom(null, 'GO'),
});
const anyStep = fc.oneof(
  fc.record({
    do: fc.constant('take' as const),
    rows: fc.array(anyRow, { maxLength: 4 }),
    gone: fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 2 }),
    isFirst: fc.boolean(),
  }),
  fc.record({
    do: fc.constant('choose' as const),
    kind: fc.constantFrom(undefined, 'job'),
    text: fc.constantFrom(undefined, 'o', 'op'),
    by: fc.constantFrom('at' as const, 'id' as const),
    isDescending: fc.boolean(),
  }),
);

test('the list is always what a plain filter and sort of the known rows would be', () => {
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 12 }), (steps) => {
      const directory = new Directory();
      const plain = new PlainDirectory();
      for (const step of steps) {
        if (step.do === 'take') directory.applyFrame(plain.take(step));
        else directory.applyQuery(...plain.choose(step));
        directory.applyPending();
        expect(ids(directory)).toEqual(plain.ids());
      }
    }),
  );
});

type Step = typeof anyStep extends fc.Arbitrary<infer One> ? One : never;
type StepOf<Name> = Extract<Step, { readonly do: Name }>;

/** Keeps rows in a map and puts them in order anew each time. */
class PlainDirectory {
  readonly #rows = new Map<string, ActorRow>();
  #filter: Filter = {};
  #sort = DEFAULT_SORT;
  #seq = 0;

  take({ rows, gone, isFirst }: StepOf<'take'>): ActorsFrame {
    if (isFirst) this.#rows.clear();
    // Rows of an actor that come later say something new.
    for (const row of rows) this.#rows.set(row.id, { ...row, seq: this.#nextSeq() });
    const sent = rows.flatMap(({ id }) => this.#rows.get(id) ?? []);
    for (const id of gone) this.#rows.delete(id);
    return frame(sent, { gone, isFirst });
  }

  choose({ kind, text, by, isDescending }: StepOf<'choose'>): [Filter, typeof DEFAULT_SORT] {
    this.#filter = { ...(kind ? { kind } : {}), ...(text ? { text } : {}) };
    this.#sort = { by, isDescending };
    return [this.#filter, this.#sort];
  }

  ids(): string[] {
    const { kind, text = '' } = this.#filter;
    return [...this.#rows.values()]
      .filter((row) => kind === undefined || row.kind === kind)
      .filter(({ id, kind: of, state, lastEvent }) =>
        `${id} ${of} ${state} ${lastEvent ?? ''}`.toLowerCase().includes(text),
      )
      .sort(createComparator(this.#sort))
      .map(({ id }) => id);
  }

  #nextSeq(): number {
    this.#seq += 1;
    return this.#seq;
  }
}
