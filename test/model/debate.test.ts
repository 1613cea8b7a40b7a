import { describe, expect, test } from 'vitest';
import { debateMachine } from '../../src/machines/debate.ts';
import type { HttpEngine } from '../../src/transport/http/host.ts';
import { pureState } from '../support/machine-paths.ts';
import { everythingOf, missing, together } from './coverage.ts';
import {
  BEYOND_DEBATE,
  coverOf,
  type DebatePath,
  debatePaths,
  MODEL_DEBATE,
} from './debate-paths.ts';
import { look, makeHappen, startDebate } from './debate-run.ts';
import { seedOf, shuffled } from './sample.ts';

const isLong = process.env['STOA_LONG'] !== undefined;
/** Paths that are played beside those that cover everything. */
const MORE = 20;
const seed = seedOf('STOA_MODEL_SEED');
const played = choose(debatePaths());

/** All of them, or in an order of chance those that cover everything and a few more. */
function choose(paths: readonly DebatePath[]): readonly DebatePath[] {
  if (isLong) return paths;
  const mixed = shuffled(paths, seed);
  return [...new Set([...coverOf(mixed), ...mixed.slice(0, MORE)])];
}

test(`the paths go through every state and transition (STOA_MODEL_SEED=${seed})`, () => {
  const all = everythingOf(debateMachine);
  expect(all.transitions.size).toBe(28);
  const seen = together(played.map(({ covered }) => covered));
  expect(missing(all, seen, Object.keys(BEYOND_DEBATE))).toEqual([]);
});

describe(`through the front (STOA_MODEL_SEED=${seed})`, () => {
  const engines: readonly HttpEngine[] = ['node', 'uws'];
  const cases = played.map(
    ({ name, events }, at) => [engines[at % 2] ?? 'node', name, events] as const,
  );

  test.each(cases)(
    'over %s, caller and engine stand where the model stands: %s',
    {
      timeout: 60_000,
    },
    async (http, _name, events) => {
      const run = await startDebate(http);
      try {
        for (let at = 0; at < events.length; at += 1) {
          const event = events[at];
          if (event === undefined) break;
          await makeHappen(run, event);
          await look(run, pureState(debateMachine, MODEL_DEBATE, events.slice(0, at + 1)));
        }
      } finally {
        await run.close();
      }
    },
  );
});
