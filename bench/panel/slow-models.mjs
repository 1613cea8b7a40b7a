// Models that answer as the instant ones do, each call after a time of its own that a seed deals.
import { createHash } from 'node:crypto';
import { PANEL, REBUTTALS } from '../lib/debate.mjs';
import { sleep } from '../lib/proc.mjs';
import { instantModels } from './models.mjs';

const PHASES = REBUTTALS + 2;
const seatOf = new Map(PANEL.map(({ model, seatId }) => [model, seatId]));

/** Models with latencies between `least` and `most` milliseconds. */
export function slowModels({ least, most, seed }) {
  const models = instantModels();
  const calls = new Map();
  return {
    ...models,
    complete: async (request) => {
      const seatId = seatOf.get(request.modelId);
      const call = calls.get(seatId) ?? 0;
      calls.set(seatId, (call + 1) % PHASES);
      await sleep(latency({ least, most, seed }, seatId, call));
      return models.complete(request);
    },
  };
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
