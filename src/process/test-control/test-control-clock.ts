import { AppError } from '../../domain/common/error.ts';
import type { RuntimeClock } from '../../runtime/engine/ports.ts';
import { SimulatedClock } from '../../runtime/timer/clock.ts';
import { keepTestClock, readTestClock } from './test-control-data.ts';

/** How often a clock that runs by itself goes on, in milliseconds of real time. */
const RUN_EVERY_MS = 50;

/** The clock of a test server: it stands until it is moved. */
export interface TestClock extends RuntimeClock {
  /**
   * Moves on to a time (milliseconds) over everything that is due on the way, and waits until all
   * of it has come to rest. Kept before anything is due, so that a killed server goes on there.
   *
   * @throws {AppError} `INPUT_INVALID` when it lies in the past, `NOT_AT_REST`
   */
  moveTo(at: number): Promise<void>;
  /** From now on it goes on by itself, so many times as fast as time; 0 ends that. */
  run(speed: number): void;
  readonly speed: number;
}

/**
 * Opens the clock of a test server, where the last one in the data directory stood.
 *
 * @param o.beginAt - Milliseconds; where a new data directory begins.
 * @param o.rest - Waits until everything that was begun has come to rest.
 */
export function openTestClock(o: {
  readonly dataDir: string;
  readonly beginAt: number;
  readonly rest: () => Promise<void>;
}): TestClock {
  const clock = new SimulatedClock(readTestClock(o.dataDir) ?? o.beginAt, o.rest);
  keepTestClock(o.dataDir, clock.now());
  let moving: Promise<void> = Promise.resolve();
  const moveTo = (at: number): Promise<void> => {
    // One move at a time: of two, both would fire the same timer.
    const moved = moving.then(async () => {
      if (at < clock.now()) throw backwards(at, clock.now());
      keepTestClock(o.dataDir, at);
      await clock.set(at);
    });
    moving = moved.catch(() => undefined);
    return moved;
  };
  let speed = 0;
  let timer: NodeJS.Timeout | undefined;
  /** Changes with every `run`: what an earlier one began ends then. */
  let runs = 0;
  const goOn = (since: number): void => {
    const own = runs;
    timer = setTimeout(() => {
      const now = performance.now();
      // One that was moved on meanwhile is ahead already: it goes on from there at the next look.
      void moveTo(clock.now() + Math.round((now - since) * speed))
        .catch(() => undefined)
        .finally(() => (own === runs ? goOn(now) : undefined));
    }, RUN_EVERY_MS);
    timer.unref();
  };
  return {
    now: () => clock.now(),
    at: (at, run) => clock.at(at, run),
    moveTo,
    run: (wanted) => {
      clearTimeout(timer);
      runs += 1;
      speed = wanted;
      if (speed > 0) goOn(performance.now());
    },
    get speed() {
      return speed;
    },
  };
}

function backwards(at: number, now: number): AppError {
  const [from, to] = [now, at].map((ms) => new Date(ms).toISOString());
  return new AppError('INPUT_INVALID', {
    message: `The clock stands at ${from} and does not go back to ${to}.`,
    data: { at, now },
  });
}
