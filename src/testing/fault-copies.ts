import { AppError } from '../domain/common/error.ts';
import type { FaultName, TestPath } from './path.ts';
import { canFollow } from './run-path.ts';
import { SeededRandom } from './seeded-random.ts';
import { requirePositive } from './walk.ts';

/** All faults, in the order in which they are tried. */
export const FAULTS: readonly FaultName[] = ['kill_restart', 'lost_reply', 'duplicate', 'delay'];

/** Which faults to inject, and where. */
export interface FaultOptions {
  /** Default: all. */
  readonly faults?: readonly FaultName[];
  /** Default 1. */
  readonly seed?: number;
  /**
   * `everyStep`: one copy of each path per fault, with the fault after every step that allows it. A
   * number: that many copies, each with one fault at one position.
   */
  readonly where: 'everyStep' | number;
}

/**
 * Returns copies of paths with faults. The model is unchanged, because faults must make no
 * difference.
 *
 * @throws {AppError} `INPUT_INVALID` for an unknown fault.
 */
export function withFaults(paths: readonly TestPath[], o: FaultOptions): readonly TestPath[] {
  const { faults = FAULTS, seed = 1, where } = o;
  const unknown = faults.find((name) => !FAULTS.includes(name));
  if (unknown !== undefined) {
    throw new AppError('INPUT_INVALID', {
      message: `the fault ${JSON.stringify(unknown)} is unknown; allowed: ${FAULTS.join(', ')}`,
      data: { fault: unknown },
    });
  }
  if (where === 'everyStep') {
    const copies = paths.flatMap((path) =>
      faults.map((fault) => copyWithFaultAtEveryStep(path, fault)),
    );
    return copies.filter(hasFaults);
  }
  requirePositive('where', where);
  const chance = new SeededRandom(seed);
  return paths.flatMap((path) =>
    Array.from({ length: where }, () => copyWithOneFault(path, { faults, seed, chance })),
  );
}

function copyWithFaultAtEveryStep(path: TestPath, fault: FaultName): TestPath {
  const { begin, steps, id } = path;
  return {
    ...path,
    id: `${id}+${fault}`,
    begin: canFollow(fault, undefined) ? { ...begin, faults: [fault] } : begin,
    steps: steps.map((step) => (canFollow(fault, step) ? { ...step, faults: [fault] } : step)),
  };
}

function copyWithOneFault(
  path: TestPath,
  o: {
    readonly faults: readonly FaultName[];
    readonly seed: number;
    readonly chance: SeededRandom;
  },
): TestPath {
  const { begin, steps, id } = path;
  const choices = [undefined, ...steps].flatMap((step, at) =>
    o.faults.filter((fault) => canFollow(fault, step)).map((fault) => ({ at, fault })),
  );
  const choice = o.chance.pick(choices);
  if (choice === undefined) return path;
  const { at, fault } = choice;
  return {
    ...path,
    id: `${id}+${fault}@${at}`,
    seed: o.seed,
    begin: at === 0 ? { ...begin, faults: [fault] } : begin,
    steps: steps.map((step, index) => (index === at - 1 ? { ...step, faults: [fault] } : step)),
  };
}

function hasFaults({ begin, steps }: TestPath): boolean {
  return [begin, ...steps].some(({ faults = [] }) => faults.length > 0);
}
