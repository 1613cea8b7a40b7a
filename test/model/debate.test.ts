import { describe, expect, test } from 'vitest';
import { debateMachine } from '../../src/machines/debate.ts';
import { everythingOf, missing, together } from './coverage.ts';
import { BEYOND_DEBATE, coverOf, debatePaths } from './debate-paths.ts';
import { playDebate } from './debate-run.ts';
import { overBothEngines, seedOf, shuffled } from './sample.ts';

/** Paths that are played beside those that cover everything. */
const MORE = 20;
const seed = seedOf('STOA_MODEL_SEED');
const mixed = shuffled(debatePaths(), seed);
const played = [...new Set([...coverOf(mixed), ...mixed.slice(0, MORE)])];

test(`the paths go through every state and transition (STOA_MODEL_SEED=${seed})`, () => {
  const all = everythingOf(debateMachine);
  expect([all.states.size, all.transitions.size]).toEqual([11, 28]);
  const seen = together(played.map(({ covered }) => covered));
  expect(missing(all, seen, Object.keys(BEYOND_DEBATE))).toEqual([]);
});

describe(`through the front (STOA_MODEL_SEED=${seed})`, () => {
  test.each(overBothEngines(played))(
    'over %s, caller and engine stand where the model stands: %s',
    { timeout: 60_000 },
    (http, _name, events) => playDebate(http, events),
  );
});
