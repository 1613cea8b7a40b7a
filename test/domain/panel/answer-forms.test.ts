import { expect, test } from 'vitest';
import { findOptionId, parseBallot } from '../../../src/domain/panel/answer-forms.ts';

const options = [
  { optionId: 'o1', name: 'o2' },
  { optionId: 'o2', name: 'Bravo' },
  { optionId: 'o3', name: 'Charlie' },
];

test('an option whose name is the id of another one takes none of its votes', () => {
  const value = { ranking: ['o2', 'o1', 'o3'], argument: 'It is so.', confidence: 1 };
  const parsed = parseBallot(value, { options, evidence: [] });
  expect(parsed).toMatchObject({ ok: true, answer: { ranking: ['o2', 'o1', 'o3'] } });
});

test('an option may be called by its id or its exact name, in any case of letters', () => {
  const named = ['O3', ' charlie ', 'bravo', 'delta'];
  expect(named.map((name) => findOptionId(name, { options, evidence: [] }))).toEqual([
    ...['o3', 'o3', 'o2', undefined],
  ]);
});
