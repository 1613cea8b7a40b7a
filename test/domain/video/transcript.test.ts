import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinCues } from '../../../src/domain/research/passage.ts';
import { detectFormat, parseCues } from '../../../src/domain/video/cues.ts';
import { containsQuoteAt } from '../../../src/domain/video/sections.ts';
import { parseVideoId, timestampUrl } from '../../../src/domain/video/video.ts';

const SRT =
  '1\r\n00:00:01,500 --> 00:00:04,000\r\nHello <i>there</i>\r\nfriends\r\n\r\n2\r\n01:00:05,000 --> 01:00:06,000\r\nBye &amp; thanks\r\n';
const VTT =
  'WEBVTT\n\nNOTE a comment\n\n00:01.500 --> 00:04.000 align:start\nHello <c>there</c>\nfriends\n\n01:00:05.000 --> 01:00:06.000\nBye &amp; thanks\n';
const JSON3 = JSON.stringify({
  events: [
    { tStartMs: 1_500, dDurationMs: 2_500, segs: [{ utf8: 'Hello there' }, { utf8: '\nfriends' }] },
    { tStartMs: 3_605_000, dDurationMs: 1_000, segs: [{ utf8: 'Bye & thanks' }] },
    { tStartMs: -5, segs: [{ utf8: 'x' }] },
    { segs: 'x' },
  ],
});

test.each([
  ['srt', SRT],
  ['vtt', VTT],
  ['json3', JSON3],
] as const)('%s is known by its beginning and read to the same cues', (format, text) => {
  expect(detectFormat(text)).toBe(format);
  expect(parseCues(text, format)).toEqual([
    { startMs: 1_500, endMs: 4_000, text: 'Hello there friends' },
    { startMs: 3_605_000, endMs: 3_606_000, text: 'Bye & thanks' },
  ]);
});

test('captions that roll are told once', () => {
  const rolled = ['one two', 'one two three', 'one two three', 'four'].map(
    (text, at) => `00:00:0${at},000 --> 00:00:0${at + 1},000\n${text}\n`,
  );
  const texts = parseCues(rolled.join('\n'), 'srt').map(({ text }) => text);
  expect(texts).toEqual(['one two', 'three', 'four']);
});

const clock = (ms: number) => {
  const [minutes, seconds] = [Math.floor(ms / 60_000), Math.floor((ms % 60_000) / 1_000)];
  const two = (count: number) => String(count).padStart(2, '0');
  return `00:${two(minutes)}:${two(seconds)}.${String(ms % 1_000).padStart(3, '0')}`;
};
const word = fc.stringMatching(/^[a-z]{1,6}$/);
const lines = fc.array(
  fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(' ')),
  {
    minLength: 6,
    maxLength: 30,
  },
);

/** Every line comes as the lowest of so many, each 2 s; holds last 10 ms. */
function roll(all: readonly string[], shown: number, hasHolds: boolean, isOneLine: boolean) {
  const glue = isOneLine ? ' ' : '\n';
  return all.flatMap((_, at) => {
    const seen = all.slice(Math.max(0, at - shown + 1), at + 1);
    const [start, end] = [clock(at * 2_000), clock(at * 2_000 + (hasHolds ? 1_990 : 2_000))];
    const cue = `${start} --> ${end} align:start\n${shown > seen.length ? ' \n' : ''}${seen.join(glue)}\n`;
    const hold = `${end} --> ${clock(at * 2_000 + 2_000)}\n${(seen.length < shown ? seen : seen.slice(1)).join(glue)}\n \n`;
    return hasHolds ? [cue, hold] : [cue];
  });
}

test('however captions roll, each line is kept once with the time at which it came', () => {
  const roller = fc.record({
    all: lines.filter((all) => all.every((line, at) => line !== all[at - 1])),
    shown: fc.constantFrom(2, 3),
    hasHolds: fc.boolean(),
    format: fc.constantFrom('vtt', 'srt'),
  });
  fc.assert(
    fc.property(roller, ({ all, shown, hasHolds, format }) => {
      const body = roll(all, shown, hasHolds, false).join('\n');
      const cues = parseCues(format === 'vtt' ? `WEBVTT\n\n${body}` : body, format as 'vtt');
      expect(cues.map(({ text }) => text)).toEqual(all);
      expect(cues.map(({ startMs }) => startMs)).toEqual(all.map((_, at) => at * 2_000));
    }),
    { numRuns: 300 },
  );
});

test('captions that roll on one line are told once', () => {
  const all = [
    'the kiln must cool',
    'for nine hours before',
    'anyone opens it',
    'or it will crack',
  ];
  const body = roll(all, 2, false, true).join('\n');
  expect(parseCues(body, 'srt').map(({ text }) => text)).toEqual(all);
});

test('what is said twice with a pause is kept twice, and a chorus in prose is no roll', () => {
  const said = (times: string, text: string) => `${times}\n${text}\n`;
  const twice = [
    said('00:00:01,000 --> 00:00:02,000', 'Is anybody there?'),
    said('00:00:04,000 --> 00:00:05,000', 'Is anybody there?'),
    said('00:00:05,000 --> 00:00:06,000', '- Who is it?\n- Nobody.'),
    said('00:00:06,000 --> 00:00:07,000', '- Nobody.\n- Good.'),
    said('00:00:07,000 --> 00:00:08,000', 'Then we can go.'),
  ];
  const texts = parseCues(twice.join('\n'), 'srt').map(({ text }) => text);
  expect(texts.slice(0, 4)).toEqual([
    ...['Is anybody there?', 'Is anybody there?', '- Who is it? - Nobody.', '- Nobody. - Good.'],
  ]);
});

test('positions and numbered signs are read as what they show', () => {
  const cue = '00:00:01,000 --> 00:00:02,000\n{\\an8}It&#8217;s 5 &lt; 6\n';
  expect(parseCues(cue, 'srt')[0]?.text).toBe('It’s 5 < 6');
});

test.each(['', 'no times here', '{"events":1}', '{', 'WEBVTT', '00:00 --> x'])(
  'a text without timed words (%s) has no cues',
  (text) => {
    expect(parseCues(text, detectFormat(text))).toEqual([]);
  },
);

test('any text is read or not, in time and without a throw', () => {
  const hostile = [
    `${'0'.repeat(400_000)}`,
    '00:00:01,0 --> '.repeat(20_000),
    `<${'a'.repeat(300_000)}`,
  ];
  for (const text of hostile) expect(parseCues(text, detectFormat(text))).toEqual([]);
  fc.assert(fc.property(fc.string(), (text) => Array.isArray(parseCues(text, detectFormat(text)))));
});

const spoken = fc
  .array(fc.stringMatching(/^[a-z]{1,8}( [a-z]{1,8}){0,6}[.]?$/), { minLength: 1, maxLength: 60 })
  .map((texts) =>
    texts.map((text, at) => ({ startMs: at * 2_000, endMs: at * 2_000 + 1_900, text })),
  );

test('every passage is found again at its time, and not with a word put in', () => {
  fc.assert(
    fc.property(spoken, (cues) => {
      for (const { text, from, to } of joinCues('v', cues)) {
        expect(containsQuoteAt(cues, { quote: text, fromMs: from, toMs: to })).toBe(true);
        expect(containsQuoteAt(cues, { quote: `${text} zzzzzzzzzz`, fromMs: from, toMs: to })).toBe(
          false,
        );
      }
    }),
  );
});

test('words of another time are not said at this one', () => {
  const cues = [
    { startMs: 0, endMs: 1_000, text: 'early words' },
    { startMs: 60_000, endMs: 61_000, text: 'late words' },
  ];
  expect(containsQuoteAt(cues, { quote: 'late words', fromMs: 0, toMs: 1_000 })).toBe(false);
  expect(containsQuoteAt(cues, { quote: 'late words', fromMs: 61_500, toMs: 62_000 })).toBe(true);
});

test.each([
  ['dQw4w9WgXcQ', 'dQw4w9WgXcQ'],
  ['https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=3s', 'dQw4w9WgXcQ'],
  ['https://youtu.be/dQw4w9WgXcQ?si=x', 'dQw4w9WgXcQ'],
  ['https://m.youtube.com/shorts/dQw4w9WgXcQ', 'dQw4w9WgXcQ'],
  ['https://youtube.com.evil.example/watch?v=dQw4w9WgXcQ', undefined],
  ['https://www.youtube.com/watch?v=short', undefined],
  ['javascript:alert(1)', undefined],
  ['../../../etc', undefined],
])('the id in %s is %s', (text, id) => {
  expect(parseVideoId(text)).toBe(id);
});

test('a moment begins at a whole second', () => {
  expect(timestampUrl('dQw4w9WgXcQ', 61_900)).toBe(
    'https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=61s',
  );
});
