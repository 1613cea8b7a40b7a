import { AppError } from '../domain/common/error.ts';
import { Chance } from './chance.ts';
import type { FaultName, TestPath } from './path.ts';
import { mayFollow } from './run-path.ts';
import { checkBound } from './walk.ts';

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
    const copies = paths.flatMap((path) => faults.map((fault) => atEveryStep(path, fault)));
    return copies.filter(hasFaults);
  }
  checkBound('where', where);
  const chance = new Chance(seed);
  return paths.flatMap((path) =>
    Array.from({ length: where }, () => atOnePlace(path, { faults, seed, chance })),
  );
}

function atEveryStep(path: TestPath, fault: FaultName): TestPath {
  const { begin, steps, id } = path;
  return {
    ...path,
    id: `${id}+${fault}`,
    begin: mayFollow(fault, undefined) ? { ...begin, faults: [fault] } : begin,
    steps: steps.map((step) => (mayFollow(fault, step) ? { ...step, faults: [fault] } : step)),
  };
}

function atOnePlace(
  path: TestPath,
  o: { readonly faults: readonly FaultName[]; readonly seed: number; readonly chance: Chance },
): TestPath {
  const { begin, steps, id } = path;
  const places = [undefined, ...steps].flatMap((step, at) =>
    o.faults.filter((fault) => mayFollow(fault, step)).map((fault) => ({ at, fault })),
  );
  const place = o.chance.pick(places);
  if (place === undefined) return path;
  const { at, fault } = place;
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
