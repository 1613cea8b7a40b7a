import { AppError } from '../domain/common/error.ts';
import type { Coverage } from './coverage.ts';
import type { Driver } from './driver.ts';
import type { FaultName, Standing, TestPath, TestStep } from './path.ts';
import { differencesOf, type FailureFacts, PathFailure } from './path-failure.ts';

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
  const run = new PathRunner(path, driver, options);
  let hasFailed = true;
  try {
    const result = await run.play();
    hasFailed = false;
    return result;
  } finally {
    // An error while closing must not hide the failure of the path.
    await run
      .withTimeout(() => driver.close())
      .catch((thrown: unknown) => {
        if (!hasFailed) throw thrown;
      });
  }
}

class PathRunner {
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
      signal.addEventListener('abort', () => reject(timeoutError(timeoutMs)), { once: true });
    });
    // The promise may have no listener when the time is over.
    this.#expired.catch(() => undefined);
  }

  async withTimeout<T>(work: () => Promise<T>): Promise<T> {
    return await Promise.race([work(), this.#expired]);
  }

  async play(): Promise<PathRun> {
    const { begin, steps, input } = this.#path;
    await this.#runGuarded(() => this.#driver.start(input));
    await this.#compare(begin.after);
    this.#options.coverage?.begin(this.#path);
    await this.#injectAll(undefined, begin);
    for (const step of steps) {
      this.#done += 1;
      await this.#runGuarded(() => this.#act(step));
      await this.#compare(step.after);
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
      case 'wait': {
        if (driver.wait === undefined) throw waitError();
        return driver.wait(step.waitMs);
      }
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
    const everywhere = (this.#options.faults ?? []).filter((name) => canFollow(name, step));
    for (const name of [...faults, ...everywhere]) {
      const inject = this.#driver.faults?.[name];
      if (inject === undefined) continue;
      this.#faults += 1;
      await this.#runGuarded(() => inject(step), name);
      await this.#compare(after, name);
    }
  }

  async #compare(expected: Standing, fault?: FaultName): Promise<void> {
    const observed = await this.#runGuarded(() => this.#driver.observe(), fault);
    const differences = differencesOf(expected, observed);
    if (differences.length > 0) throw this.#createFailure({ differences, ...(fault && { fault }) });
  }

  async #runGuarded<T>(work: () => Promise<T>, fault?: FaultName): Promise<T> {
    try {
      return await this.withTimeout(work);
    } catch (cause) {
      throw this.#createFailure({ differences: [], cause, ...(fault && { fault }) });
    }
  }

  #createFailure(facts: Omit<FailureFacts, 'path' | 'stepsDone'>): PathFailure {
    return new PathFailure({ ...facts, path: this.#path, stepsDone: this.#done });
  }
}

function waitError(): AppError {
  const message = "the path waits, but the driver has no wait(); add it, or use time: 'due'";
  return new AppError('PATH_INVALID', { message });
}

function timeoutError(timeoutMs: number): AppError {
  const message = `the path did not end within ${timeoutMs} ms (timeoutMs)`;
  return new AppError('PATH_FAILED', { message, data: { bound: 'timeoutMs', limit: timeoutMs } });
}

/**
 * Checks whether a fault is possible after a step, for example whether there is something to
 * repeat.
 */
export function canFollow(fault: FaultName, step: TestStep | undefined): boolean {
  switch (fault) {
    case 'kill_restart':
      return true;
    case 'lost_reply':
      return step?.kind === 'event';
    case 'duplicate':
      return step !== undefined && step.kind !== 'delay' && step.kind !== 'wait';
    case 'delay':
      return step !== undefined;
  }
}
