import pLimit from 'p-limit';
import { AppError } from '../../domain/common/error.ts';
import type { RuntimeClock } from '../../runtime/engine/ports.ts';
import { SimulatedClock } from '../../runtime/timer/clock.ts';
import { readTestClock, writeTestClock } from './test-control-data.ts';

/** Interval of a running clock's steps, in milliseconds of real time. */
const RUN_EVERY_MS = 50;

/** The clock of a test server. It stands still until it is moved. */
export interface TestClock extends RuntimeClock {
  /**
   * Moves to a time (milliseconds), fires everything due on the way, and waits until the server is
   * idle. The time is stored before anything fires, so that a killed server continues there.
   *
   * @throws {AppError} `INPUT_INVALID` for a time in the past, `NOT_AT_REST`
   */
  moveTo(at: number): Promise<void>;
  /** Runs the clock at a multiple of real time from now on. 0 stops it. */
  run(speed: number): void;
  readonly speed: number;
}

/**
 * Opens the clock of a test server, at the time where the last one stopped.
 *
 * @param o.beginAt - Start time in a new data directory, in milliseconds.
 * @param o.rest - Waits until the server is idle.
 */
export function openTestClock(o: {
  readonly dataDir: string;
  readonly beginAt: number;
  readonly rest: () => Promise<void>;
}): TestClock {
  const clock = new SimulatedClock(readTestClock(o.dataDir) ?? o.beginAt, o.rest);
  writeTestClock(o.dataDir, clock.now());
  // One move at a time: two concurrent moves would both fire the same timer.
  const serialize = pLimit(1);
  const moveTo = (at: number): Promise<void> =>
    serialize(async () => {
      if (at < clock.now()) throw movedBackError(at, clock.now());
      writeTestClock(o.dataDir, at);
      await clock.set(at);
    });
  let speed = 0;
  let timer: NodeJS.Timeout | undefined;
  /** Incremented by every `run`, which ends the earlier loop. */
  let runCount = 0;
  const runStep = (since: number): void => {
    const own = runCount;
    timer = setTimeout(() => {
      const now = performance.now();
      // If the clock was moved ahead meanwhile, it continues from there at the next step.
      void moveTo(clock.now() + Math.round((now - since) * speed))
        .catch(() => undefined)
        .finally(() => (own === runCount ? runStep(now) : undefined));
    }, RUN_EVERY_MS);
    timer.unref();
  };
  return {
    now: () => clock.now(),
    at: (at, run) => clock.at(at, run),
    moveTo,
    run: (wanted) => {
      clearTimeout(timer);
      runCount += 1;
      speed = wanted;
      if (speed > 0) runStep(performance.now());
    },
    get speed() {
      return speed;
    },
  };
}

function movedBackError(at: number, now: number): AppError {
  const [from, to] = [now, at].map((ms) => new Date(ms).toISOString());
  return new AppError('INPUT_INVALID', {
    message: `The clock is at ${from} and cannot go back to ${to}.`,
    data: { at, now },
  });
}
