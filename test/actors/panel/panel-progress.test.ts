import { expect, test } from 'vitest';
import { PanelProgress } from '../../../src/actors/panel/panel-progress.ts';
import { debatePanel } from '../../../src/domain/debate/panel.ts';
import type { Turn } from '../../../src/domain/panel/records.ts';
import type { JournalEntry } from '../../../src/runtime/engine/types.ts';
import { SimulatedClock } from '../../../src/runtime/timer/clock.ts';
import { briefWith, debateInput, turnOf } from '../../support/debate.ts';

const input = debateInput();

function row(turn: Turn): JournalEntry {
  return { entry: 'event', event: { type: 'xstate.done.actor.x', output: turn } } as never;
}

function lineOf(turns: readonly Turn[]) {
  const told: { progress: number; message: string }[] = [];
  const clock = new SimulatedClock(0);
  const onProgress = (step: { progress: number; message: string }) => told.push(step);
  const { options } = briefWith();
  return {
    told,
    clock,
    line: new PanelProgress({ panel: debatePanel, input, turns, options }, { clock, onProgress }),
  };
}

test('a line speaks at once of what has been done before', () => {
  const { told } = lineOf([turnOf(input, 'opening.0.s0', 'o1')]);
  expect(told).toMatchObject([{ progress: 1, total: 15 }]);
});

test('rounds that are left out make it jump, and it never goes back', () => {
  const { told, line } = lineOf([]);
  line.onEntry(row(turnOf(input, 'opening.0.s0', 'o1')));
  line.onEntry(row(turnOf(input, 'vote.0.s0', 'o1')));
  line.onEntry(row(turnOf(input, 'opening.0.s1', 'o1')));
  expect(told.map((step) => step.progress)).toEqual([0, 1, 11]);
});

test('a ballot is told without what stands on it', () => {
  const { told, line } = lineOf([]);
  line.onEntry(row(turnOf(input, 'vote.0.s1', 'o2')));
  expect(told.at(-1)?.message).toBe('vote · seat B: has voted · 1/15 turns · $0.001 of $1.00');
});

test('silence is broken every 15 seconds, and not after the end', async () => {
  const { told, line, clock } = lineOf([]);
  await clock.advance(14_999);
  expect(told).toHaveLength(1);
  await clock.advance(1);
  await clock.advance(15_000);
  expect(told.map((step) => step.progress)).toEqual([0, 0.5, 0.75]);
  line.close();
  await clock.advance(60_000);
  line.onEntry(row(turnOf(input, 'opening.0.s0', 'o1')));
  expect(told).toHaveLength(3);
});
