import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Claim, judgeClaims, judgeRows } from './requirements/gate.ts';
import { context, deferred, proven } from './requirements/rows.ts';
import { cutUnits, unitHash } from './requirements/units.ts';
import { requirements } from './requirements.ts';

const SPECIFICATION = `# A server

It answers. It charges (fee; tax); it rests.

## 2. Fields

- One thing: a name. Another
| Name | Meaning |
|---|---|
| passport | an id; a wallet |
| badge | a colour |

### Key Value
1. Kept.
`;

const rows = [
  ...proven('test/front', { 'C1.s1 aa': 'answers', 'C1.s2 bb': 'charges' }),
  ...deferred('console', { 'C1.s3 cc': 'shows' }),
  ...context('a heading', { 'C1.h1 dd': 'Heading.' }),
];
const units = rows.map(({ id, hash }) => ({ id, hash }));

function claim(id: string, over: Partial<Claim> = {}): Claim {
  return { id, file: 'test/front/a.test.ts', test: 'it does', state: 'passed', ...over };
}

const allProven = [claim('C1.s1'), claim('C1.s2')];

test('a specification is cut into headings, sentences, items, rows and clauses', () => {
  expect(cutUnits(SPECIFICATION, 'C').map((unit) => `${unit.id} ${unit.text}`)).toEqual([
    'C0.h1 A server',
    'C0.s1 It answers.',
    'C0.s2.c1 It charges (fee; tax)',
    'C0.s2.c2 it rests.',
    'C2.h1 2. Fields',
    'C2.i1.c1 One thing: a name.',
    'C2.i1.c2 Another',
    'C2.th1 Name | Meaning',
    'C2.t1.c1 passport | an id',
    'C2.t1.c2 passport | a wallet',
    'C2.t2 badge | a colour',
    'C2.key-value.h1 Key Value',
    'C2.key-value.i1 Kept.',
  ]);
});

test('a unit keeps its hash over white space and loses it over words', () => {
  expect(unitHash('a  b\n')).toBe(unitHash('a b'));
  expect(unitHash('a b')).not.toBe(unitHash('a c'));
});

test('rows and units that agree have no fault', () => {
  expect(judgeRows(rows, units)).toEqual([]);
});

test('a unit without a row, a row without a unit, a changed text and a double row are faults', () => {
  expect(judgeRows(rows.slice(1), units)).toEqual(['C1.s1: no row (hash aa)']);
  expect(judgeRows(rows, units.slice(1))).toEqual([
    'C1.s1: the specification has no such unit any more',
  ]);
  const changed = [{ id: 'C1.s1', hash: 'ee' }, ...units.slice(1)];
  expect(judgeRows(rows, changed)).toEqual(['C1.s1: its text changed (aa is now ee)']);
  expect(judgeRows([...rows, ...rows.slice(0, 1)], units)).toEqual(['C1.s1: has two rows']);
});

test('a run that proves every row has no fault', () => {
  expect(judgeClaims(rows, allProven, false)).toEqual([]);
});

test('a row whose test did not run is a fault', () => {
  expect(judgeClaims(rows, [claim('C1.s1')], false)).toEqual([
    'C1.s2: no test under test/front claims it (charges)',
  ]);
  const elsewhere = [claim('C1.s1'), claim('C1.s2', { file: 'test/other/a.test.ts' })];
  expect(judgeClaims(rows, elsewhere, false)).toHaveLength(1);
});

test('a row whose test failed or was skipped is a fault, also beside one that passed', () => {
  for (const state of ['failed', 'skipped', 'pending'] as const) {
    expect(judgeClaims(rows, [...allProven, claim('C1.s2', { state })], false)).toEqual([
      `C1.s2: test/front/a.test.ts "it does" ${state}`,
    ]);
  }
});

test('a claim on an unknown id or on a row that waits is a fault', () => {
  expect(judgeClaims(rows, [...allProven, claim('C9.s9')], false)).toEqual([
    'C9.s9: claimed by test/front/a.test.ts "it does", but no row has this id',
  ]);
  expect(judgeClaims(rows, [...allProven, claim('C1.s3')], false)).toEqual([
    'C1.s3: claimed by test/front/a.test.ts "it does", but its row says that nothing proves it yet',
  ]);
});

test('a row of a long test is owed by the long run alone', () => {
  const long = proven('test/fault/a.long.test.ts', { 'C1.s1 aa': 'survives' });
  expect(judgeClaims(long, [], false)).toEqual([]);
  expect(judgeClaims(long, [], true)).toHaveLength(1);
  expect(judgeClaims(rows, [], true)).toEqual([]);
});

test('the rows agree with the committed index of units', () => {
  const index: unknown = JSON.parse(readFileSync('docs/requirements-index.json', 'utf8'));
  const marks = Object.entries(index as Record<string, string>);
  expect(
    judgeRows(
      requirements,
      marks.map(([id, hash]) => ({ id, hash })),
    ),
  ).toEqual([]);
});
