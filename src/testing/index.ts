/**
 * Model-based tests from state machines: paths through a machine, drivers that run them on a
 * system, and fault injection. It needs only `xstate` and works with any test runner.
 *
 * @module
 */
// biome-ignore-all lint/performance/noBarrelFile: the package export; nothing inside imports it
export type { CoverageReport } from '../domain/inspect/coverage.ts';
export { seedFrom } from './chance.ts';
export type { CoverageSubject } from './coverage.ts';
export { Coverage, coverageText, mergeCoverage, writeCoverage } from './coverage.ts';
export type * from './driver.ts';
export type { EngineDriverOptions } from './engine-driver.ts';
export { engineDriver } from './engine-driver.ts';
export type { FailingTest } from './failing-test.ts';
export { writeFailingTest } from './failing-test.ts';
export type { FailureFacts, PathDifference } from './failure.ts';
export { differencesOf, PathFailure, pathLines } from './failure.ts';
export type { FaultOptions } from './faults.ts';
export { FAULTS, withFaults } from './faults.ts';
export type { CatchOptions, MutantOptions, MutantReport } from './mutants/catches.ts';
export { catches, tryMutants } from './mutants/catches.ts';
export type { Mutant } from './mutants/mutants-of.ts';
export { mutantsOf } from './mutants/mutants-of.ts';
export type * from './path.ts';
export type { SavedPath } from './paths-of.ts';
export { pathFrom, pathSetOf, pathsOf } from './paths-of.ts';
export type { PathRun, RunOptions } from './run-path.ts';
export { runPath } from './run-path.ts';
export type { RunPathsOptions, RunsSum } from './run-paths.ts';
export { runPaths } from './run-paths.ts';
export type { SavedStep } from './walk.ts';
