// An engine with its console, whose actors are told by callers of this same process. HTTP=uws|node
// Asked by messages: {callers, seconds, perSecond?} measures and answers; `perSecond` offers a fixed
// rate instead of as much as goes.
import { flipDefinition, flipEvent } from '../durable/work.mjs';
import { measureCallers } from '../lib/callers.mjs';
import { fromDist } from '../lib/dist.mjs';
import { scratch } from '../lib/output.mjs';
import { benchService } from '../lib/service.mjs';
import { percentile } from '../lib/stats.mjs';

const { createEngine } = await fromDist('runtime/engine/engine.js');
const { systemClock } = await fromDist('runtime/timer/clock.js');
const { systemRandom } = await fromDist('process/server/system.js');
const { openEngineStore } = await fromDist('store/engine/engine-store.js');
const { openBlobStore } = await fromDist('store/common/blob-store.js');
const { openMcpState } = await fromDist('store/session/mcp-state.js');
const { openTrustStore } = await fromDist('store/chain/trust-store.js');
const { openProofs } = await fromDist('process/proof/proofs.js');
const { openTelemetry } = await fromDist('process/telemetry/telemetry.js');
const { createInspector } = await fromDist('actors/inspect/inspector.js');
const { createFront } = await fromDist('transport/front/front.js');

const TOKEN = 'bench';
const ACTORS = 256;
const TURN_MS = 10;

const clock = systemClock();
const folder = scratch(`watched-${process.pid}`);
const store = {
  engine: openEngineStore({ path: `${folder.path}/actors` }),
  blobs: openBlobStore({ path: `${folder.path}/blobs` }),
  mcp: openMcpState({ path: `${folder.path}/mcp` }),
  proofs: openProofs({ dataDir: folder.path, publicUrl: undefined, clock }).log,
  trust: openTrustStore({ path: `${folder.path}/trust` }),
};
const running = { isClosing: false };
const chain = { facts: { treasury: '' }, balance: async () => '0' };
const notice = (line) => process.stderr.write(`${line}\n`);
const telemetry = await openTelemetry({
  config: {},
  chain,
  clock,
  store,
  running,
  notice,
  stalls: () => ({ count: 0, blockedMs: 0 }),
});
const definition = await flipDefinition();
const observer = telemetry.observer;
const engine = await createEngine({
  store: store.engine,
  clock,
  definitions: [definition],
  observer,
});
running.engine = engine;
const front = createFront({
  http: process.env.HTTP ?? 'auto',
  clock,
  random: systemRandom,
  sessions: store.mcp.sessions,
  events: store.mcp.events,
  openCalls: store.mcp.openCalls,
  commerce: await benchService(),
  isOperatorToken: (token) => token === TOKEN,
  console: { folder: folder.path, cookieKey: new Uint8Array(32) },
  inspector: createInspector({
    engine,
    blobs: store.blobs,
    clock,
    machines: [{ ...definition, title: 'Flip' }],
    redactions: [{ kind: 'flip', context: ['**'], hidden: [], events: { FLIP: ['**'] } }],
    panelViews: [],
    runtime: telemetry.source,
    coverage: async () => [],
    version: 'bench',
    epoch: 'bench',
    actions: [],
    developmentKinds: [],
  }),
});
running.front = front;
const { port } = await front.listen('127.0.0.1', 0);
const ids = Array.from({ length: ACTORS }, (_, n) => `flip/${n}`);
await Promise.all(ids.map((id) => engine.create('flip', id)));
process.send({ port, token: TOKEN, actorId: ids[0] });

process.on('message', async ({ callers, seconds, perSecond }) => {
  const once = (caller, n) => engine.tell(ids[caller % ACTORS], flipEvent(n));
  const measured =
    perSecond === undefined
      ? await measureCallers(once, { callers, seconds })
      : await offer(once, { perSecond, seconds });
  process.send({ ...measured, consoles: front.consoles() });
});
process.once('disconnect', () => {
  end().then(() => process.exit(0));
});

async function end() {
  await front.close();
  await engine.close();
  await telemetry.close();
  for (const each of Object.values(store)) await each.close();
  folder.clear();
}

/** Tells at a fixed rate, whatever the answers do. */
async function offer(once, { perSecond, seconds }) {
  const cpu = process.cpuUsage();
  const began = performance.now();
  const latencies = [];
  const open = [];
  let told = 0;
  for (;;) {
    const now = performance.now();
    if (now - began >= seconds * 1000) break;
    for (const due = ((now - began) / 1000) * perSecond; told < due; told += 1) {
      const at = performance.now();
      open.push(once(told, told).then(() => latencies.push(performance.now() - at)));
    }
    await new Promise((resolve) => setTimeout(resolve, TURN_MS));
  }
  await Promise.all(open);
  const took = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return {
    calls: latencies.length,
    rate: latencies.length / took,
    cpuUs: (user + system) / latencies.length,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  };
}
