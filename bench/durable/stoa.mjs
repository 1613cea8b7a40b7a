// Callers that tell an actor each and wait for the acknowledgement. CALLERS, SECONDS
import { measureCallers, WARM_CALLERS } from '../lib/callers.mjs';
import { answer } from '../lib/cpu.mjs';
import { fromDist } from '../lib/dist.mjs';
import { scratch } from '../lib/output.mjs';
import { flipDefinition, flipEvent } from './work.mjs';

const { CALLERS = '16', SECONDS = '2' } = process.env;
const callers = Number(CALLERS);
const { createEngine } = await fromDist('runtime/engine/engine.js');
const { systemClock } = await fromDist('runtime/timer/clock.js');
const { openEngineStore } = await fromDist('store/engine/engine-store.js');

const folder = scratch(`durable-stoa-${process.pid}`);
const store = openEngineStore({ path: folder.path });
const definitions = [await flipDefinition()];
const engine = await createEngine({ store, clock: systemClock(), definitions });
const ids = Array.from(
  { length: Math.max(callers, WARM_CALLERS) },
  (_, caller) => `flip/${caller}`,
);
await Promise.all(ids.map((id) => engine.create('flip', id)));

const result = await measureCallers((caller, n) => engine.tell(ids[caller], flipEvent(n)), {
  callers,
  seconds: Number(SECONDS),
});
await engine.close();
await store.close();
folder.clear();
answer(result);
