// A bare server of one SDK version with one tool. VERSION=sdk-1.32
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { importVersion } from './versions.mjs';

const { Server, ServerTransport, list, call } = await importVersion(process.env.VERSION);
const properties = { answer: { type: 'string' } };
const TOOL = {
  name: 'echo',
  description: 'Returns a text.',
  inputSchema: { type: 'object', properties: {} },
  outputSchema: { type: 'object', properties, required: ['answer'] },
};
const sessions = new Map();

const http = createServer(async (request, response) => {
  const transport = sessions.get(request.headers['mcp-session-id']) ?? (await openTransport());
  await transport.handleRequest(request, response);
});
http.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${http.address().port}/mcp`;
  process.stdout.write(`${JSON.stringify({ url })}\n`);
});

async function openTransport() {
  const transport = new ServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (sessionId) => sessions.set(sessionId, transport),
  });
  const server = new Server({ name: 'bare', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(list, () => ({ tools: [TOOL] }));
  server.setRequestHandler(call, () => ({
    content: [{ type: 'text', text: 'hello' }],
    structuredContent: { answer: 'hello' },
  }));
  await server.connect(transport);
  return transport;
}
