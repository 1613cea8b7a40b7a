// A front with a few idle tools on a free port. Says its port; answers each line of input with what
// it holds: memory after a collection, in bytes, and open answers.
//   node --expose-gc front-server.mjs <dist> <engine> <options as JSON>
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [dist, engine, options] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(`${dist}/${name}`).href);
const { createFront } = await load('transport/front/front.js');
const { systemClock } = await load('runtime/timer/clock.js');
const { systemRandom } = await load('process/server/system.js');
const { MemoryEventLog, MemorySessionStore } = await load('transport/mcp/session/memory-state.js');

const sessions = new MemorySessionStore();
const front = createFront({
  http: engine,
  clock: systemClock(),
  random: systemRandom,
  sessions,
  events: new MemoryEventLog(),
  commerce: service(),
  isOperatorToken: () => false,
  ...JSON.parse(options),
});
const { port } = await front.listen('127.0.0.1', 0);
process.stdout.write(`${JSON.stringify({ port })}\n`);
createInterface({ input: process.stdin }).on('line', () => {
  globalThis.gc();
  const { rss, heapUsed, external } = process.memoryUsage();
  const heapBytes = heapUsed + external;
  const holds = {
    rssBytes: rss,
    heapBytes,
    sessions: sessions.count(),
    open: (front.host.openConnections ?? front.host.openExchanges).size,
  };
  process.stdout.write(`${JSON.stringify(holds)}\n`);
});

function service() {
  const annotations = {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  };
  const schema = { type: 'object', properties: {} };
  const tools = Array.from({ length: 40 }, (_, at) => ({
    name: `tool${at}`,
    title: 'A tool',
    description: `Tool ${at} tells many steps. ${'Words of a description. '.repeat(40)}`,
    inputSchema: schema,
    outputSchema: schema,
    annotations,
  }));
  return {
    server: 'commerce',
    title: 'Tools',
    version: '0.0.1',
    instructions: 'Call tool0.',
    tools,
    listJson: JSON.stringify({ tools }),
    resourceTemplates: [],
    readResource: async () => undefined,
    call,
  };
}

// Tells steps, as many as it is asked for, then answers a text of the length that it is asked for.
async function call(caller) {
  const { steps = 0, chars = 2 } = caller.arguments;
  for (let progress = 1; progress <= steps && !caller.signal.aborted; progress += 1) {
    caller.onProgress?.({ progress, total: steps, message: 'x'.repeat(190) });
    if (progress % 50 === 0) await new Promise((done) => setImmediate(done));
  }
  const content = [{ type: 'text', text: 'y'.repeat(chars) }];
  return { kind: 'result', result: { content } };
}
