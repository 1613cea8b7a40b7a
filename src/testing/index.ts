/**
 * Model-based tests from state machines: paths through a machine, drivers that run them on a
 * system, and fault injection. It needs only `xstate` and works with any test runner.
 *
 * @module
 */
// biome-ignore-all lint/performance/noBarrelFile: the package export; nothing inside imports it
export type { CoverageReport } from '../domain/inspect/coverage.ts';
export type { CheckOptions } from './check-system.ts';
export { checkSystem } from './check-system.ts';
export type * from './concurrency/concurrent-driver.ts';
export { answerOfEngine, concurrentEngineDriver } from './concurrency/engine-clients.ts';
export type { History, Operation } from './concurrency/history.ts';
export { formatHistory } from './concurrency/history.ts';
export type { HistoryOptions, ModelAnswer, Verdict } from './concurrency/linearize.ts';
export { checkHistory } from './concurrency/linearize.ts';
export type { ConcurrentOptions, ConcurrentSum } from './concurrency/run-concurrently.ts';
export {
  CONCURRENT_FAULTS,
  HistoryFailure,
  runConcurrently,
} from './concurrency/run-concurrently.ts';
export type { CoverageSubject } from './coverage.ts';
export { Coverage, coverageText, mergeCoverage, writeCoverage } from './coverage.ts';
export type * from './driver.ts';
export type { EngineDriverOptions } from './engine-driver.ts';
export { engineDriver } from './engine-driver.ts';
export type { FailingTest } from './failing-test.ts';
export { writeFailingTest } from './failing-test.ts';
export type { FaultOptions } from './fault-copies.ts';
export { FAULTS, withFaults } from './fault-copies.ts';
export type { Mutant } from './mutants/mutants-of.ts';
export { mutantsOf } from './mutants/mutants-of.ts';
export type { CatchOptions, MutantOptions, MutantReport } from './mutants/try-mutants.ts';
export { catches, tryMutants } from './mutants/try-mutants.ts';
export type * from './path.ts';
export type { FailureFacts, PathDifference } from './path-failure.ts';
export { differencesOf, PathFailure, pathLines } from './path-failure.ts';
export type { SavedPath } from './paths-of.ts';
export { pathFrom, pathSetOf, pathsOf, withWaits } from './paths-of.ts';
export type { PathRun, RunOptions } from './run-path.ts';
export { runPath } from './run-path.ts';
export type { RunPathsOptions, RunsSum } from './run-paths.ts';
export { runPaths } from './run-paths.ts';
export { seedFrom } from './seeded-random.ts';
export type { SavedStep } from './walk.ts';
