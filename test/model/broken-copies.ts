import { type Mutant, mutantsOf } from '../../src/testing/mutants/mutants-of.ts';
import { tryMutants } from '../../src/testing/mutants/try-mutants.ts';
import { DRIVEN, frontPaths, worldDriver } from './front-paths.ts';

/**
 * Kinds whose broken copies are run behind the front: all of what they keep can be seen there. A
 * job
 * has too many for that: broken-jobs.long.test.ts runs them on the engine.
 */
export const BREAKABLE = ['control'] as const;

/** Broken copies that behave like the good machine in every way, and why. */
export const EQUIVALENT: Readonly<
  Record<(typeof BREAKABLE)[number], Readonly<Record<string, string>>>
> = {
  control: {
    'target:LIVE|CONTROL.CHANGED|1': '`declared` leads on by the label that was just kept, to OFF',
    'target:SHADOW|CONTROL.CHANGED|1':
      '`declared` leads on by the label that was just kept, to OFF',
  },
};

/** All broken copies of a machine. */
export function copiesOf(kind: (typeof BREAKABLE)[number]): readonly Mutant[] {
  return mutantsOf(DRIVEN[kind].machine);
}

/**
 * Runs broken copies as the server's machine, and the paths of the good one through the front.
 *
 * @returns Ids of copies that no path caught, without those that are equivalent.
 */
export async function survivorsOf(
  kind: (typeof BREAKABLE)[number],
  copies: readonly Mutant[],
): Promise<readonly string[]> {
  const { paths } = frontPaths(kind, { how: 'transitions', ignored: 'all' });
  let actors = 0;
  const { survivors } = await tryMutants(copies, paths, {
    equivalent: EQUIVALENT[kind],
    driver: (machine) => {
      actors += 1;
      return worldDriver({ kind, actorId: `copy-${actors}` }, 'node', machine);
    },
  });
  return survivors.map(({ id }) => id);
}
