import { expect, test } from 'vitest';
import { parseInput, type Usage } from '../../src/cli/common/usage.ts';
import { findHelp } from '../../src/cli/program.ts';
import { refusalOf } from '../support/tool-answers.ts';

const USAGE = {
  about: 'Send something.',
  args: { to: { about: 'Who' }, more: { isOptional: true, isMultiple: true, about: 'Others' } },
  flags: {
    why: { value: 'text', about: 'Why' },
    size: { value: 'n', default: '1', allowed: ['1', '2'], about: 'Size' },
    tag: { value: 'name', isMultiple: true, about: 'Tag' },
    'no-wait': { about: 'Do not wait' },
  },
  examples: ['send b'],
} as const satisfies Usage;

const REQUIRED = {
  about: 'Send something.',
  flags: { to: { value: 'name', isRequired: true, about: 'Who' } },
  examples: ['send --to b'],
} as const satisfies Usage;

const ABSENT = { to: 'b', more: [], why: undefined, size: '1', tag: [], 'no-wait': false };

test.each<[readonly string[], object]>([
  [['b'], {}],
  [['b', 'c', 'd'], { more: ['c', 'd'] }],
  [['--why', 'x', 'b', '--no-wait'], { why: 'x', 'no-wait': true }],
  [['b', '--why=', '--size=2'], { why: '', size: '2' }],
  [['b', '--why', 'x', '--why', 'y=z'], { why: 'y=z' }],
  [['b', '--why=-x', '--tag', '1', '--tag=-2'], { why: '-x', tag: ['1', '-2'] }],
  [['b', '--why', '-'], { why: '-' }],
  [['b', '--why', 'x', '--', '--why', '-1'], { why: 'x', more: ['--why', '-1'] }],
])('%j is read as a user means it', (words, values) => {
  expect(parseInput(USAGE, words)).toEqual(Object.assign({}, ABSENT, values));
});

test.each<[readonly string[], string]>([
  [[], "Missing required argument 'to'."],
  [[''], 'The argument to is empty.'],
  [['b', '--why'], "Option '--why <text>' argument missing."],
  [['b', '--why', '--tag', 'x'], 'The value of --why is missing. For a dash, write --why=--tag.'],
  [['b', '--why', '--', 'x'], 'The value of --why is missing. For a dash, write --why=--.'],
  [['b', '--no-wait=1'], '--no-wait takes no value; it has "1".'],
  [['b', '--wait'], "Unknown option '--wait'. Did you mean --no-wait?"],
  [['b', '-1'], "Unknown option '-1'."],
  [['b', '--size', '3'], '--size is "3"; it must be one of 1, 2.'],
])('%j is refused: %s', async (words, says) => {
  expect(await refusalOf(async () => parseInput(USAGE, words))).toMatchObject({
    code: 'CONFIG_INVALID',
    message: says,
  });
});

test('a flag that is required is missed after one that is unknown', async () => {
  expect(parseInput(REQUIRED, ['--to', 'b'])).toEqual({ to: 'b' });
  const said = async (...words: string[]) =>
    (await refusalOf(async () => parseInput(REQUIRED, words))).message;
  expect(await said()).toBe('--to is missing.');
  expect(await said('--ot', 'b')).toBe("Unknown option '--ot'. Did you mean --to?");
});

test('the help of a command line is that of the command and action it names', () => {
  expect(findHelp(['serve', '--prot', '1'])).toBe('stoa help serve');
  expect(findHelp(['help', 'token', 'create'])).toBe('stoa help token create');
  expect(findHelp(['token', 'crate'])).toBe('stoa help token');
  expect(findHelp([])).toBe('stoa help');
});
