import { expect, test } from 'vitest';
import { BREAKABLE, copiesOf, EQUIVALENT, survivorsOf } from './broken-copies.ts';
import { DRIVEN } from './front-paths.ts';

/** Typed by hand: fewer copies would be a hole that nobody sees. */
const LEAST = { control: 40 };

test.each(BREAKABLE)(
  'every broken copy of %s is caught through the front',
  { timeout: 120_000 },
  async (kind) => {
    const copies = copiesOf(kind);
    expect(copies.length).toBeGreaterThanOrEqual(LEAST[kind]);
    expect(await survivorsOf(kind, copies)).toEqual([]);
  },
);

test.each(BREAKABLE)(
  'the good machine of %s is not caught, so a catch says a lot',
  async (kind) => {
    const [copy] = copiesOf(kind);
    if (copy === undefined) throw new Error('there is no copy');
    const good = { ...copy, id: 'good', machine: DRIVEN[kind].machine };
    expect(await survivorsOf(kind, [good])).toEqual(['good']);
  },
);

test.each(BREAKABLE)('what is excused of %s is a copy of it', (kind) => {
  const ids = copiesOf(kind).map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining(Object.keys(EQUIVALENT[kind])));
});
