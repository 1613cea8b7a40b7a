import { AppError } from '../domain/common/error.ts';
import type { Coverage } from './coverage.ts';
import type { Driver } from './driver.ts';
import { differencesOf, type FailureFacts, PathFailure } from './failure.ts';
import type { FaultName, Standing, TestPath, TestStep } from './path.ts';

/** Options for running a path. */
export interface RunOptions {
  /** Faults to inject after every step that allows them, in addition to those of the path. */
  readonly faults?: readonly FaultName[];
  /** Counts the coverage of the run. */
  readonly coverage?: Coverage;
  /** Timeout of the whole path in milliseconds, which fails a hanging driver. Default 2 minutes. */
  readonly timeoutMs?: number;
}

/** Default timeout of a path, in milliseconds. */
const TIMEOUT_MS = 120_000;

/** Result of a run. */
export interface PathRun {
  readonly steps: number;
  /** Number of injected faults. Faults that the driver does not support are skipped. */
  readonly faults: number;
}

/**
 * Runs a path and compares system and model at the start, after every step and after every fault.
 * Always closes the driver.
 *
 * @throws {PathFailure} At the first difference, or if the driver fails.
 */
export async function runPath(
  path: TestPath,
  driver: Driver,
  options: RunOptions = {},
): Promise<PathRun> {
  const run = new Run(path, driver, options);
  let hasFailed = true;
  try {
    const result = await run.play();
    hasFailed = false;
    return result;
  } finally {
    // An error while closing must not hide the failure of the path.
    await run
      .inTime(() => driver.close())
      .catch((thrown: unknown) => {
        if (!hasFailed) throw thrown;
      });
  }
}

class Run {
  readonly #path: TestPath;
  readonly #driver: Driver;
  readonly #options: RunOptions;
  readonly #expired: Promise<never>;
  #done = 0;
  #faults = 0;

  constructor(path: TestPath, driver: Driver, options: RunOptions) {
    this.#path = path;
    this.#driver = driver;
    this.#options = options;
    const { timeoutMs = TIMEOUT_MS } = options;
    this.#expired = new Promise((_, reject) => {
      const signal = AbortSignal.timeout(timeoutMs);
      signal.addEventListener('abort', () => reject(tooLong(timeoutMs)), { once: true });
    });
    // The promise may have no listener when the time is over.
    this.#expired.catch(() => undefined);
  }

  async inTime<T>(work: () => Promise<T>): Promise<T> {
    return await Promise.race([work(), this.#expired]);
  }

  async play(): Promise<PathRun> {
    const { begin, steps, input } = this.#path;
    await this.#guard(() => this.#driver.start(input));
    await this.#look(begin.after);
    this.#options.coverage?.begin(this.#path);
    await this.#injectAll(undefined, begin);
    for (const step of steps) {
      this.#done += 1;
      await this.#guard(() => this.#act(step));
      await this.#look(step.after);
      this.#options.coverage?.step(step);
      await this.#injectAll(step, step);
    }
    return { steps: this.#done, faults: this.#faults };
  }

  async #act(step: TestStep): Promise<void> {
    const driver = this.#driver;
    switch (step.kind) {
      case 'event':
        return driver.send(step.event);
      case 'delay':
        return driver.elapse({ timerId: step.timerId, delayMs: step.delayMs });
      case 'effect_done': {
        const { src, childId, output } = step;
        return driver.settle({ src, childId }, { ok: true, output });
      }
      case 'effect_error': {
        const { src, childId, error } = step;
        return driver.settle({ src, childId }, { ok: false, error });
      }
    }
  }

  async #injectAll(
    step: TestStep | undefined,
    { faults = [], after }: { readonly faults?: readonly FaultName[]; readonly after: Standing },
  ): Promise<void> {
    const everywhere = (this.#options.faults ?? []).filter((name) => mayFollow(name, step));
    for (const name of [...faults, ...everywhere]) {
      const inject = this.#driver.faults?.[name];
      if (inject === undefined) continue;
      this.#faults += 1;
      await this.#guard(() => inject(step), name);
      await this.#look(after, name);
    }
  }

  async #look(expected: Standing, fault?: FaultName): Promise<void> {
    const seen = await this.#guard(() => this.#driver.observe(), fault);
    const differences = differencesOf(expected, seen);
    if (differences.length > 0) throw this.#failure({ differences, ...(fault && { fault }) });
  }

  async #guard<T>(work: () => Promise<T>, fault?: FaultName): Promise<T> {
    try {
      return await this.inTime(work);
    } catch (cause) {
      throw this.#failure({ differences: [], cause, ...(fault && { fault }) });
    }
  }

  #failure(facts: Omit<FailureFacts, 'path' | 'stepsDone'>): PathFailure {
    return new PathFailure({ ...facts, path: this.#path, stepsDone: this.#done });
  }
}

function tooLong(timeoutMs: number): AppError {
  const message = `the path did not end within ${timeoutMs} ms (timeoutMs)`;
  return new AppError('PATH_FAILED', { message, data: { bound: 'timeoutMs', limit: timeoutMs } });
}

/**
 * Checks whether a fault is possible after a step, for example whether there is something to
 * repeat.
 */
export function mayFollow(fault: FaultName, step: TestStep | undefined): boolean {
  switch (fault) {
    case 'kill_restart':
      return true;
    case 'lost_reply':
      return step?.kind === 'event';
    case 'duplicate':
      return step !== undefined && step.kind !== 'delay';
    case 'delay':
      return step !== undefined;
  }
}
