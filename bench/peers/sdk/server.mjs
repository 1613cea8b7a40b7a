// The official SDK, version 1, as its own examples set it up: one server and transport a session,
// JSON answers where a call reports no progress. FRAME=express|http  ANSWER=json|sse
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import express from 'express';
import { resultOf } from '../../lib/answers.mjs';
import { everySecond, timedNotification } from '../../lib/ticks.mjs';
import { benchTools } from '../../lib/tools.mjs';

const { FRAME = 'express', ANSWER = 'json' } = process.env;
// Schemas are made once and shared by all sessions, which is the best that this SDK offers.
const tools = (await benchTools()).map(({ name, input, output, ...rest }) => ({
  name,
  config: { ...rest, inputSchema: input, outputSchema: output },
}));
const sessions = new Map();
const servers = [];

const server = FRAME === 'express' ? onExpress() : onHttp();
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address();
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}/mcp` })}\n`);
});

everySecond(
  () => servers,
  (mcp) => mcp.server.notification(timedNotification()).catch(() => {}),
);

function onExpress() {
  const app = express();
  app.use(express.json());
  app.all('/mcp', (request, response) => handle(request, response, request.body));
  return createServer(app);
}

function onHttp() {
  return createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
}

async function handle(request, response, body) {
  const sessionId = request.headers['mcp-session-id'];
  if (sessionId !== undefined && !sessions.has(sessionId)) {
    response.writeHead(404).end();
    return;
  }
  const transport = sessions.get(sessionId) ?? (await openTransport());
  await transport.handleRequest(request, response, body);
}

async function openTransport() {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: ANSWER === 'json',
    onsessioninitialized: (sessionId) => sessions.set(sessionId, transport),
  });
  transport.onclose = () => sessions.delete(transport.sessionId);
  const mcp = makeServer();
  await mcp.connect(transport);
  servers.push(mcp);
  return transport;
}

function makeServer() {
  const mcp = new McpServer({ name: 'bench', version: '1' }, { capabilities: { logging: {} } });
  for (const { name, config } of tools) {
    mcp.registerTool(name, config, async (input, extra) => {
      if (name === 'progress20') await report(input.count ?? 20, extra);
      return resultOf(name, input);
    });
  }
  return mcp;
}

async function report(total, extra) {
  const progressToken = extra._meta?.progressToken;
  if (progressToken === undefined) return;
  for (let progress = 1; progress <= total; progress += 1) {
    await extra.sendNotification({
      method: 'notifications/progress',
      params: { progressToken, progress, total, message: `step ${progress}` },
    });
  }
}
