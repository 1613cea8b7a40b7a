import type { AnyStateMachine } from 'xstate';
import { AppError } from '../../domain/common/error.ts';
import { Model } from '../model.ts';
import { MoveGenerator } from '../moves.ts';
import type { PathPlan } from '../path.ts';
import { SEED_VARIABLE, SeededRandom } from '../seeded-random.ts';
import { requirePositive } from '../walk.ts';
import type { ConcurrentDriver, ConcurrentFault } from './concurrent-driver.ts';
import { type RunRecord, runScript } from './concurrent-run.ts';
import { formatHistory, type History } from './history.ts';
import { checkHistory, type HistoryOptions, type Verdict } from './linearize.ts';
import { planScript, type Script } from './scripts.ts';

const CLIENTS = 3;
const OPERATIONS = 4;
const RUNS = 100;
/** Default time without any progress after which a run fails, in milliseconds. */
const TIMEOUT_MS = 30_000;
/** Default maximum number of runs to shrink a failure. */
const SHRINK_RUNS_MAX = 400;
/** Number of interleavings that are tried with each shorter script. */
const SHRINK_TRIES = 12;
/** Distance of the seeds of two runs of one call. */
const SEED_STRIDE = 100_003;

/** All faults of concurrent runs. */
export const CONCURRENT_FAULTS: readonly ConcurrentFault[] = [
  'kill_restart',
  'lost_reply',
  'duplicate',
];

/** Options for concurrent runs. */
export interface ConcurrentOptions extends HistoryOptions, Pick<PathPlan, 'events'> {
  /** Creates a driver for one run. */
  readonly driver: () => ConcurrentDriver | Promise<ConcurrentDriver>;
  /** Number of clients. Default 3. */
  readonly clients?: number;
  /** Operations of each client. Default 4. */
  readonly operations?: number;
  /** Number of actors that the clients share. Default 1. */
  readonly actors?: number;
  /** Maximum number of runs, each with another script and interleaving. Default 100. */
  readonly runs?: number;
  /** How long to run, in milliseconds. Default: until `runs` are done. */
  readonly timeMs?: number;
  /** Default 1. */
  readonly seed?: number;
  /** Default: all. `kill_restart` needs `killAndRestart` of the driver. */
  readonly faults?: readonly ConcurrentFault[];
  /** Time without any progress after which a run fails, in milliseconds. Default 30 s. */
  readonly timeoutMs?: number;
  /** Maximum number of runs to shrink a failure. Default 400. */
  readonly shrinkRunsMax?: number;
}

/** Totals over all runs. */
export interface ConcurrentSum {
  readonly runs: number;
  readonly operations: number;
  readonly faults: number;
}

/** A history that no order of its operations explains. The message shows it. */
export class HistoryFailure extends AppError {
  readonly history: History;
  readonly verdict: Verdict;
  readonly seed: number;

  constructor(machineId: string, o: FoundViolation) {
    const { history, verdict, seed } = o;
    super('NOT_LINEARIZABLE', {
      message: [
        `${machineId}, ${verdict.actor}: no order of these operations explains the answers`,
        ...formatHistory(history),
        `  ${verdict.reason ?? ''}`,
        `  again: ${SEED_VARIABLE}=${seed}`,
      ].join('\n'),
      data: { actor: verdict.actor, seed },
    });
    this.name = 'HistoryFailure';
    this.history = history;
    this.verdict = verdict;
    this.seed = seed;
  }
}

interface FoundViolation {
  readonly history: History;
  readonly verdict: Verdict;
  readonly script: Script;
  readonly seed: number;
}

/**
 * Runs several clients at once on a system, with seeded interleavings and faults, and checks that
 * the operations on each actor are linearizable: as if one after another on the machine.
 *
 * @throws {HistoryFailure} The smallest history found that no order explains.
 * @throws {AppError} What the driver throws; `PATH_FAILED` if a call gets no answer.
 * @example
 * await runConcurrently(machine, { driver: () => concurrentEngineDriver({ machine }) });
 */
export async function runConcurrently(
  machine: AnyStateMachine,
  options: ConcurrentOptions,
): Promise<ConcurrentSum> {
  validateOptions(options);
  const { runs = RUNS, seed = 1, timeMs } = options;
  const search = new ConcurrentSearch(machine, options);
  const deadline = timeMs === undefined ? undefined : AbortSignal.timeout(timeMs);
  let [done, operations, faults] = [0, 0, 0];
  for (; done < runs && deadline?.aborted !== true; done += 1) {
    const runSeed = seed + done;
    const script = search.plan(runSeed);
    const record = await search.run(script, runSeed);
    operations += record.history.length;
    faults += record.faults;
    const verdict = search.findViolation(record.history);
    if (verdict === undefined) continue;
    const found = { history: record.history, verdict, script, seed: runSeed };
    throw await search.createFailure(found);
  }
  return { runs: done, operations, faults };
}

class ConcurrentSearch {
  readonly #machine: AnyStateMachine;
  readonly #options: ConcurrentOptions;
  readonly #model: Model;
  readonly #moves: MoveGenerator;
  readonly #actors: readonly string[];
  #runsLeft: number;

  constructor(machine: AnyStateMachine, options: ConcurrentOptions) {
    const { actors = 1, shrinkRunsMax = SHRINK_RUNS_MAX } = options;
    this.#machine = machine;
    this.#options = options;
    this.#model = new Model(machine);
    this.#moves = new MoveGenerator(this.#model, options);
    this.#actors = Array.from({ length: actors }, (_, n) => `actor-${n + 1}`);
    this.#runsLeft = shrinkRunsMax;
  }

  plan(seed: number): Script {
    const { clients = CLIENTS, operations = OPERATIONS, input } = this.#options;
    const chance = new SeededRandom(seed);
    const size = { clients, operations, actors: this.#actors };
    return planScript(this.#model, this.#moves, { ...size, input, chance });
  }

  async run(script: Script, seed: number): Promise<RunRecord> {
    const { input, faults = CONCURRENT_FAULTS, timeoutMs = TIMEOUT_MS } = this.#options;
    const chance = new SeededRandom(seed * SEED_STRIDE);
    const inputs = { script, actors: this.#actors, input, faults, timeoutMs, chance };
    return await runScript(await this.#options.driver(), inputs);
  }

  findViolation(history: History): Verdict | undefined {
    const verdicts = checkHistory(this.#machine, history, this.#options);
    return verdicts.find(({ order }) => order === undefined);
  }

  /** Shortens a violation. The seed of the first run repeats it. */
  async createFailure(found: FoundViolation): Promise<HistoryFailure> {
    const smallest = this.trim(await this.shrink(found));
    return new HistoryFailure(this.#machine.id, { ...smallest, seed: found.seed });
  }

  /** Runs shorter scripts: to leave a call out of one recorded history would prove nothing. */
  async shrink(found: FoundViolation): Promise<FoundViolation> {
    const script = found.script.filter(({ actor }) => actor === found.verdict.actor);
    let best = (await this.#violate(script, found.seed)) ?? found;
    for (let length = best.script.length >> 1; length > 0; length >>= 1) {
      for (let at = best.script.length - length; at >= 0; at -= 1) {
        const shorter = [...best.script.slice(0, at), ...best.script.slice(at + length)];
        const smaller = await this.#violate(shorter, best.seed);
        if (smaller === undefined) continue;
        best = smaller;
        at = Math.min(at, best.script.length - length + 1);
      }
    }
    return best;
  }

  /**
   * Shortens one history where that proves the same: what was called after the contradiction did
   * not cause it, and reads change nothing.
   */
  trim(found: FoundViolation): FoundViolation {
    let best = {
      ...found,
      history: found.history.filter(({ actor }) => actor === found.verdict.actor),
    };
    const ends = best.history.map(({ returnedAt }) => returnedAt ?? 0);
    for (const end of ends.toSorted((one, other) => one - other)) {
      const history = best.history
        .filter(({ invokedAt }) => invokedAt <= end)
        .map((operation) => {
          if ((operation.returnedAt ?? 0) <= end) return operation;
          const { returnedAt: _later, answer: _unknown, ...call } = operation;
          return call;
        });
      const answered = history.filter((each) => each.event !== undefined || 'returnedAt' in each);
      const verdict = this.findViolation(answered);
      if (verdict === undefined) continue;
      best = { ...best, history: answered, verdict };
      break;
    }
    for (const read of best.history.filter(({ event }) => event === undefined)) {
      const history = best.history.filter((each) => each !== read);
      const verdict = this.findViolation(history);
      if (verdict !== undefined) best = { ...best, history, verdict };
    }
    return best;
  }

  async #violate(script: Script, seed: number): Promise<FoundViolation | undefined> {
    for (let n = 0; n < SHRINK_TRIES && this.#runsLeft > 0; n += 1) {
      this.#runsLeft -= 1;
      const { history } = await this.run(script, seed + n);
      const verdict = this.findViolation(history);
      if (verdict !== undefined) return { history, verdict, script, seed: seed + n };
    }
    return undefined;
  }
}

function validateOptions(options: ConcurrentOptions): void {
  const { clients, operations, actors, runs, timeMs, timeoutMs, faults = [] } = options;
  const counts = { clients, operations, actors, runs, timeMs, timeoutMs };
  for (const [name, value] of Object.entries(counts)) requirePositive(name, value);
  const unknown = faults.find((name) => !CONCURRENT_FAULTS.includes(name));
  if (unknown === undefined) return;
  const allowed = CONCURRENT_FAULTS.join(', ');
  throw new AppError('INPUT_INVALID', {
    message: `the fault ${JSON.stringify(unknown)} is unknown; allowed: ${allowed}`,
    data: { fault: unknown },
  });
}
