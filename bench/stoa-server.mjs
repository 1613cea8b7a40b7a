// Our front as `stoa serve` sets it up, on the build, with the tools of the bench. HTTP=uws|node
// Sessions and stream events are kept on disk, as in production; limits are the ones it ships with.
import { fromDist } from './lib/dist.mjs';
import { scratch } from './lib/output.mjs';
import { benchService } from './lib/service.mjs';
import { everySecond, timedEvent } from './lib/ticks.mjs';

const { createFront } = await fromDist('transport/front/front.js');
const { systemClock } = await fromDist('runtime/timer/clock.js');
const { systemRandom } = await fromDist('process/server/system.js');

const folder = scratch(`front-${process.pid}`);
const state = await openState();
const front = createFront({
  http: process.env.HTTP ?? 'auto',
  clock: systemClock(),
  random: systemRandom,
  sessions: state.sessions,
  events: state.events,
  ...(state.openCalls === undefined ? {} : { openCalls: state.openCalls }),
  commerce: await benchService(),
  isOperatorToken: () => false,
});
const { baseUrl } = await front.listen('127.0.0.1', 0);
process.stdout.write(`${JSON.stringify({ url: `${baseUrl}/v1/mcp` })}\n`);
// Under TICK=1, on the very way that messages of the server take to a standing stream.
everySecond(
  () => [...front.core.sessions.live.values()],
  (session) => session.standalone?.send(timedEvent()),
);

process.once('SIGTERM', async () => {
  await front.close();
  await state.close();
  folder.clear();
  process.exit(0);
});

async function openState() {
  if (process.env.STATE === 'memory') {
    const { MemoryEventLog, MemorySessionStore } = await fromDist(
      'transport/mcp/session/memory-state.js',
    );
    const close = async () => {};
    return { sessions: new MemorySessionStore(), events: new MemoryEventLog(), close };
  }
  const { openMcpState } = await fromDist('store/session/mcp-state.js');
  return openMcpState({ path: `${folder.path}/mcp` });
}
