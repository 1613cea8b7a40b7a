import { expect, test } from 'vitest';
import { randomDefinition, randomMachine } from './random-machine.ts';
import { Comparison } from './xstate-model.ts';

const isLong = process.env['STOA_LONG'] === 'all';
/** Sequences of the short run, and of the long one. */
const SEQUENCES = isLong ? 1_000_000 : 100_000;
const SEQUENCES_A_MACHINE = 100;
const MOVES = 3;
const FIRST_SEED = Number(process.env['STOA_SEED'] ?? 1);

test('an effect that a history state starts again has the same order after a restart', () => {
  const machine = randomMachine(3683);
  const comparison = new Comparison(machine, randomDefinition(machine));
  const sequence = { seed: 368_218, moves: MOVES, restarts: 0.1, withKit: false };
  expect(comparison.play(sequence)).toBeUndefined();
});

test('engine and testing kit do what XState does, over restarts after any event', () => {
  let moves = 0;
  let odd = 0;
  for (let played = 0; played < SEQUENCES; played += SEQUENCES_A_MACHINE) {
    const machineSeed = FIRST_SEED + played / SEQUENCES_A_MACHINE;
    const machine = randomMachine(machineSeed);
    const comparison = new Comparison(machine, randomDefinition(machine));
    for (let at = 0; at < SEQUENCES_A_MACHINE; at += 1) {
      const seed = played + at;
      const sequence = { seed, moves: MOVES, restarts: 0.1, withKit: at % 20 === 0 };
      const fault = comparison.play(sequence);
      expect(fault, `machine ${machineSeed}, sequence ${seed}`).toBeUndefined();
    }
    moves += comparison.moves;
    odd += comparison.odd;
  }
  expect(moves).toBeGreaterThan(2 * SEQUENCES);
  expect(odd).toBeLessThan(SEQUENCES / 20);
}, 3_600_000);
