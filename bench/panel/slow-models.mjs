// Models that answer as the instant ones do, each call after a time of its own that a seed deals.
import { createHash } from 'node:crypto';
import { PANEL, positionOf, REBUTTALS } from '../lib/debate.mjs';
import { sleep } from '../lib/proc.mjs';
import { instantModels, replyOf } from './models.mjs';

const PHASES = REBUTTALS + 2;
const seatOf = new Map(PANEL.map(({ model, seatId }) => [model, seatId]));

/** Models with latencies between `least` and `most` milliseconds, for any number of debates. */
export function slowModels(times) {
  return {
    ...instantModels(),
    complete: async ({ modelId, prompt }) => {
      const seatId = seatOf.get(modelId);
      const call = callOf(seatId, prompt);
      await sleep(latency(times, seatId, call));
      return replyOf(seatId, call);
    },
  };
}

/** Which call of its debate it is: many run at once, so that only the prompt can tell. */
function callOf(seatId, prompt) {
  if (prompt.includes('\nYour opening.')) return 0;
  if (prompt.includes('\nThe vote.')) return PHASES - 1;
  const [, position] = /your_last_argument[^>]*position="(\w+)"/.exec(prompt);
  for (let round = 0; round < REBUTTALS; round += 1) {
    if (positionOf(seatId, round) === position) return round + 1;
  }
  throw new Error(`no call of ${seatId} follows ${position}`);
}

/** Milliseconds of the slowest chain: in every phase the slowest seat, one phase after the other. */
export function slowestChain(times) {
  let total = 0;
  for (let call = 0; call < PHASES; call += 1) {
    total += Math.max(...PANEL.map(({ seatId }) => latency(times, seatId, call)));
  }
  return total;
}

function latency({ least, most, seed }, seatId, call) {
  const digest = createHash('sha256').update(`${seed}|${seatId}|${call}`).digest();
  return Math.round(least + (digest.readUInt32BE() / 2 ** 32) * (most - least));
}
