import { expect, test } from 'vitest';
import { alertMachine } from '../../src/machines/alert/alert.ts';
import { type Mutant, mutantsOf } from '../../src/testing/mutants/mutants-of.ts';
import { tryMutants } from '../../src/testing/mutants/try-mutants.ts';
import { pathSetOf } from '../../src/testing/paths-of.ts';
import { alertPlan } from '../../src/testing/plans/alert.ts';
import { playAlert } from '../support/alert-sequences.ts';
import { seeded } from '../support/seeded.ts';
import { alertFrontPlan } from './alert-plan.ts';

/** Typed by hand: fewer copies would be a hole that nobody sees. */
const LEAST = 145;
/** Lives that the oracle of alerts looks at for each copy that no path has caught. */
const LIVES = 200;

/** Broken copies that behave like the good machine in every way, and why. */
const EQUIVALENT: Readonly<Record<string, string>> = {
  'action-dropped-1:active.trigger.created|xstate.done.actor.read|1':
    'nobody is told that an alert was armed by its first reading, so there is nothing to tell',
};

test('every broken copy of an alert is caught by the paths of the front, or by the oracle', {
  timeout: 900_000,
}, async () => {
  const copies = mutantsOf(alertMachine);
  expect(copies.length).toBeGreaterThanOrEqual(LEAST);
  const front = pathSetOf(alertMachine, {
    ...alertFrontPlan,
    how: 'transitions',
    ignored: 'none',
  });
  const inFront = await tryMutants(copies, front.paths);
  // On the engine also what no source says, and what a state takes no notice of.
  const engine = pathSetOf(alertMachine, { ...alertPlan, how: 'transitions', ignored: 'all' });
  const onEngine = await tryMutants(inFront.survivors, engine.paths);
  const left = onEngine.survivors.filter((copy) => !isCaughtByOracle(copy));
  const counts = [copies, inFront.survivors, onEngine.survivors, left].map(({ length }) => length);
  process.stdout.write(
    `alert: copies, left by front, by engine, by oracle: ${counts.join(', ')}\n`,
  );
  expect(left.map(({ id }) => id)).toEqual(Object.keys(EQUIVALENT));
});

test('the good machine is not caught by the oracle, so a catch says a lot', () => {
  const [copy] = mutantsOf(alertMachine);
  expect(isCaughtByOracle({ ...(copy as Mutant), machine: alertMachine })).toBe(false);
});

function isCaughtByOracle({ machine }: Mutant): boolean {
  return Array.from({ length: LIVES }, (_, at) => at + 1).some((seed) => {
    try {
      return playAlert(seeded(seed), 60, machine) !== undefined;
    } catch {
      // A machine that throws has been caught as well.
      return true;
    }
  });
}
