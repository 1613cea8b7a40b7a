import { expect, test } from 'vitest';
import { getHighlights } from '../../web/src/chart/highlights.ts';
import { fitZoom, initialZoom, scrollToKeepPoint, ZOOM } from '../../web/src/chart/zoom.ts';
import { ALL_ROWS, isFilterActive, matchesFilter } from '../../web/src/journal/filter.ts';
import {
  formatCause,
  formatCount,
  formatDueTime,
  formatDuration,
  formatEvent,
  formatMicroUsd,
} from '../../web/src/journal/format.ts';
import { formatInnermostStates, innermostStates } from '../../web/src/journal/states.ts';
import { eventTypes, parseMembers } from '../../web/src/pages/actor/actor-send.tsx';
import {
  appendLiveText,
  dropFinished,
  LIVE_TEXT_CHARS_MAX,
} from '../../web/src/pages/panel/live-text.ts';
import { parseScore } from '../../web/src/pages/panel/panel-result.tsx';
import { groupTurns } from '../../web/src/pages/panel/panel-turns.tsx';
import { pointOf, rowOf } from './journal-kit.ts';

test('lengths of time show their two largest units', () => {
  expect([5, 1000, 65_000, 3_600_000, 90_061_000].map(formatDuration)).toEqual([
    '5 ms',
    '1 s',
    '1 min 5 s',
    '1 h',
    '1 d 1 h',
  ]);
  expect(formatDueTime(5000, 0)).toBe('in 5 s');
  expect(formatDueTime(0, 5000)).toBe('overdue by 5 s');
});

test('money is written without loss', () => {
  expect(formatMicroUsd('1250000')).toBe('$1.25');
  expect(formatMicroUsd('1')).toBe('$0.000001');
  expect(formatMicroUsd('2000000')).toBe('$2.00');
  expect(formatMicroUsd('900719925474099312345678')).toBe('$900719925474099312.345678');
  expect(formatMicroUsd('free')).toBe('free');
});

test('counts and causes are words', () => {
  expect(formatCount(1, 'row')).toBe('1 row');
  expect(formatCount(2000, 'row')).toBe('2,000 rows');
  expect(formatCause({ by: 'effect', attempt: 1, token: 't' })).toBe('effect');
  expect(formatCause({ by: 'effect', attempt: 2, token: 't' })).toBe('effect, attempt 2');
  expect(formatCause({ by: 'later' })).toBe('later');
  expect(formatEvent({ type: 'xstate.done.actor.opening.0.s2' })).toBe('done: opening.0.s2');
  expect(formatEvent({ type: 'JOB.DONE' })).toBe('JOB.DONE');
  expect(formatCause({ by: 'outside', who: 'console:1' })).toBe('from outside, console:1');
});

test('a chart lights active states, taken and possible transitions, and what was left', () => {
  const lights = getHighlights({
    ...pointOf(2),
    activeIds: ['a', 'a.b'],
    possible: [
      {
        transitionId: 'a|GO|0',
        eventType: 'GO',
        trigger: 'event',
        label: 'GO',
        guard: null,
        targetIds: [],
      },
    ],
    last: {
      event: { type: 'E' },
      entry: 'event',
      cause: {},
      transitionIds: ['a.c|E|0'],
      leftIds: ['a.c', 'a.b'],
    },
  });
  expect([...(lights.active ?? [])]).toEqual(['a', 'a.b']);
  expect([...(lights.left ?? [])]).toEqual(['a.c']);
  expect([...(lights.taken ?? [])]).toEqual(['a.c|E|0']);
  expect([...(lights.possible ?? [])]).toEqual(['a|GO|0']);
});

test('only innermost states are named', () => {
  expect(innermostStates(['a', 'a.b', 'ab'])).toEqual(['a.b', 'ab']);
  expect(formatInnermostStates(['a', 'a.b', 'ab'])).toBe('b, ab');
});

test('a chart begins at a size at which it can be read, and a point under the pointer stays', () => {
  const frame = { width: 800, height: 400 };
  expect(initialZoom({ width: 3000, height: 300 }, frame)).toBe(1);
  expect(initialZoom({ width: 100, height: 50 }, frame)).toBe(1.25);
  expect(fitZoom({ width: 1600, height: 400 }, frame)).toBe(0.5);
  expect(fitZoom({ width: 1e9, height: 1 }, frame)).toBe(ZOOM.least);
  expect(scrollToKeepPoint({ left: 100, top: 0 }, { x: 50, y: 10 }, 2)).toEqual({
    left: 250,
    top: 10,
  });
});

test('a filter lists rows by kind and by cause', () => {
  const stale = rowOf(1, { entry: 'stale', cause: { by: 'timer', token: 't' } });
  expect(isFilterActive(ALL_ROWS)).toBe(false);
  expect(matchesFilter(stale, ALL_ROWS)).toBe(true);
  expect(matchesFilter(stale, { entry: 'event', by: 'all' })).toBe(false);
  expect(matchesFilter(stale, { entry: 'stale', by: 'timer' })).toBe(true);
  expect(matchesFilter(stale, { entry: 'all', by: 'effect' })).toBe(false);
});

test('a test event takes an object without a type', () => {
  expect(parseMembers(' ')).toEqual({ isOk: true, members: {} });
  expect(parseMembers('{"a": 1}')).toEqual({ isOk: true, members: { a: 1 } });
  expect(parseMembers('[1]')).toMatchObject({ isOk: false });
  expect(parseMembers('{"type": "X"}')).toMatchObject({ isOk: false });
  expect(parseMembers('{a')).toMatchObject({
    isOk: false,
    fault: expect.stringMatching(/^Not JSON/),
  });
});

test('only events from outside are offered as test events, each once', () => {
  const one = (eventType: string, trigger: string) => ({
    transitionId: eventType,
    eventType,
    trigger,
    label: '',
    guard: null,
    targetIds: [],
  });
  const possible = [one('GO', 'event'), one('GO', 'event'), one('xstate.after.1', 'after')];
  expect(eventTypes({ possible })).toEqual(['GO']);
});

test('words that are being written pile up by seat, within a bound, until the seat has spoken', () => {
  let speech = appendLiveText(new Map(), {
    type: 'TURN.DELTA',
    turnId: 'p/opening/0/s1',
    text: 'Hel',
  });
  speech = appendLiveText(speech, { type: 'TURN.DELTA', turnId: 'p/opening/0/s1', text: 'lo' });
  speech = appendLiveText(speech, { seat: 's2', text: 'x'.repeat(LIVE_TEXT_CHARS_MAX + 9) });
  expect(speech.get('s1')).toBe('Hello');
  expect(speech.get('s2')).toHaveLength(LIVE_TEXT_CHARS_MAX);
  expect(appendLiveText(speech, { type: 'OTHER' })).toBe(speech);
  const seat = { role: '', filledBy: '' };
  const left = dropFinished(speech, [
    { ...seat, seat: 's1', state: 'speaking' },
    { ...seat, seat: 's2', state: 'spoken' },
  ]);
  expect([...left.keys()]).toEqual(['s1']);
});

test('turns stand together by phase and round', () => {
  const turn = (phase: string, round: number, seat: string) => ({
    phase,
    round,
    seat,
    at: 0,
    isOk: true,
    text: '',
  });
  const groups = groupTurns([
    turn('opening', 0, 's1'),
    turn('rebuttal', 1, 's1'),
    turn('opening', 0, 's2'),
  ]);
  expect(groups.map(({ name, turns }) => [name, turns.length])).toEqual([
    ['opening', 2],
    ['rebuttal, round 1', 1],
  ]);
});

test('a bar is as long as the number that its score begins with', () => {
  expect([parseScore('3 votes'), parseScore('2.5'), parseScore('-1'), parseScore('none')]).toEqual([
    3, 2.5, 0, 0,
  ]);
});
