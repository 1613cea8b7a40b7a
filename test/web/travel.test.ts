import { expect, test } from 'vitest';
import type { ActorPoint } from '../../src/domain/inspect/wire.ts';
import { RequestError } from '../../web/src/connection/request-error.ts';
import { createPoints, POINTS_MAX } from '../../web/src/journal/points.ts';
import { createRows } from '../../web/src/journal/rows.ts';
import {
  createTravel,
  DELAY_MAX_MS,
  DELAY_MIN_MS,
  replayDelayMs,
} from '../../web/src/journal/travel.ts';
import { journalOf, pointOf, rowOf } from './journal-kit.ts';

interface Wait {
  run(): void;
  readonly ms: number;
}

function world(last: number) {
  const rows = createRows(journalOf(1, last).read);
  rows.push(Array.from({ length: last }, (_, index) => rowOf(index + 1)));
  rows.extend(1, last);
  const points = createPoints(async (seq) => pointOf(seq), noWait);
  const waits: Wait[] = [];
  const travel = createTravel(rows, points, {
    start: (run, ms) => waits.push({ run, ms }),
    stop: () => waits.splice(0),
  });
  return { rows, points, travel, waits };
}

const noWait = async (): Promise<void> => {};

async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
}

test('a step from live goes to the row before the newest, and never beyond the ends', () => {
  const { travel } = world(5);
  travel.step(-1);
  expect(travel.at.value).toBe(4);
  travel.step(-10);
  expect(travel.at.value).toBe(1);
  travel.step(99);
  expect(travel.at.value).toBe(5);
});

test('rows that come while the page is away are counted and do not move it', () => {
  const { travel, rows } = world(5);
  travel.goTo(2);
  rows.push([rowOf(6), rowOf(7)]);
  expect(travel.unseen.value).toBe(2);
  expect(travel.at.value).toBe(2);
  travel.live();
  expect(travel.unseen.value).toBe(0);
  expect(travel.at.value).toBeNull();
});

test('a replay begins at the first row, keeps the gaps by its speed, and stops at the newest', () => {
  const { travel, waits } = world(3);
  travel.setSpeed(4);
  travel.play();
  expect(travel.at.value).toBe(1);
  expect(waits[0]?.ms).toBe(250);
  waits.shift()?.run();
  waits.shift()?.run();
  expect(travel.at.value).toBe(3);
  expect(travel.isPlaying.value).toBe(false);
  expect(waits).toHaveLength(0);
});

test('a choice of a row ends a replay', () => {
  const { travel, waits } = world(5);
  travel.play();
  const running = waits[0];
  travel.goTo(4);
  running?.run();
  expect(travel.at.value).toBe(4);
});

test('gaps are capped above and below', () => {
  expect(replayDelayMs(0, 1000, 1)).toBe(1000);
  expect(replayDelayMs(0, 1000, 16)).toBe(62.5);
  expect(replayDelayMs(0, 3_600_000, 1)).toBe(DELAY_MAX_MS);
  expect(replayDelayMs(0, 0, 16)).toBe(DELAY_MIN_MS);
  expect(replayDelayMs(5000, 0, 1)).toBe(DELAY_MIN_MS);
});

test('of many wishes one reading runs at a time, and the latest wish is what is shown', async () => {
  const asked: number[] = [];
  const answers: ((point: ActorPoint) => void)[] = [];
  const points = createPoints((seq) => {
    asked.push(seq);
    return new Promise((done) => answers.push(done));
  }, noWait);
  for (const seq of [1, 2, 3, 9]) points.request(seq);
  answers[0]?.(pointOf(1));
  await settled();
  expect(asked).toEqual([1, 9]);
  expect(points.state.value).toMatchObject({ kind: 'reading', seq: 9, point: { seq: 1 } });
  answers[1]?.(pointOf(9));
  await settled();
  expect(points.state.value).toMatchObject({ kind: 'read', seq: 9, point: { seq: 9 } });
});

test('a point that was read is shown at once when it is wished for again', async () => {
  let readings = 0;
  const points = createPoints(async (seq) => {
    readings += 1;
    return pointOf(seq);
  }, noWait);
  for (const seq of [1, 2, 1]) {
    points.request(seq);
    await settled();
  }
  expect(points.state.value).toMatchObject({ kind: 'read', seq: 1 });
  expect(readings).toBe(2);
  for (let seq = 2; seq <= POINTS_MAX + 2; seq += 1) await points.at(seq);
  await points.at(1);
  expect(readings).toBe(POINTS_MAX + 3);
});

test('a row that is not kept any more says so and the next wish works', async () => {
  const points = createPoints(async (seq) => {
    if (seq === 1) throw new RequestError({ code: 'JOURNAL_TRIMMED', message: 'row 1 is gone' });
    return pointOf(seq);
  }, noWait);
  points.request(1);
  await settled();
  expect(points.state.value).toEqual({
    kind: 'refused',
    seq: 1,
    words: 'row 1 is gone (JOURNAL_TRIMMED)',
  });
  points.request(2);
  await settled();
  expect(points.state.value).toMatchObject({ kind: 'read', seq: 2 });
});

test('an answer that comes after going live is not shown', async () => {
  let answer: (point: ActorPoint) => void = () => undefined;
  const points = createPoints(
    () =>
      new Promise((done) => {
        answer = done;
      }),
    noWait,
  );
  points.request(3);
  points.clear();
  answer(pointOf(3));
  await settled();
  expect(points.state.value).toEqual({ kind: 'none' });
});
