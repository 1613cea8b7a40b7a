import type { Clock } from '../../src/domain/common/clock.ts';
import { realClock } from './real-clock.ts';

/** Gives threads that take feeds apart more time: on a busy machine they begin late. */
export const patientClock: Clock = {
  now: realClock.now,
  at: (at, run) => realClock.at(at - realClock.now() > 4_000 ? at + 40_000 : at, run),
};
