// Hand-written sessions and standing streams, with nothing kept. ENGINE=uws|node. TICK=1 sends every
// open stream one event a second.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { everySecond, timedEvent } from '../../lib/ticks.mjs';

const { ENGINE = 'uws' } = process.env;
const HELLO = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'hand' } };
const streams = new Map();

const listen = ENGINE === 'uws' ? await onUws() : onNode();
listen((port) => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}/mcp` })}\n`);
});
everySecond(
  () => [...streams.values()],
  (write) => write?.(`event: message\ndata: ${timedEvent()}\n\n`),
);

/** The answer to a message, and the id of the session that it began. */
function answerTo(text) {
  const { id, method } = JSON.parse(text);
  if (id === undefined) return { status: 202, body: '' };
  if (method !== 'initialize') return { status: 200, body: reply(id, {}) };
  const sessionId = randomUUID();
  streams.set(sessionId, undefined);
  return { status: 200, body: reply(id, HELLO), sessionId };
}

function reply(id, result) {
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}

async function onUws() {
  const { default: uWS } = await import('uWebSockets.js');
  const decoder = new TextDecoder();
  const app = uWS.App();
  app.post('/mcp', (response) => {
    response.onAborted(() => {});
    let text = '';
    response.onData((chunk, isLast) => {
      text += decoder.decode(chunk);
      if (!isLast) return;
      const { status, body, sessionId } = answerTo(text);
      response.cork(() => {
        response.writeStatus(status === 202 ? '202 Accepted' : '200 OK');
        response.writeHeader('content-type', 'application/json');
        if (sessionId !== undefined) response.writeHeader('mcp-session-id', sessionId);
        response.end(body);
      });
    });
  });
  app.get('/mcp', (response, request) => {
    const sessionId = request.getHeader('mcp-session-id');
    response.onAborted(() => streams.set(sessionId, undefined));
    response.cork(() => {
      response.writeHeader('content-type', 'text/event-stream');
      response.write(': open\n\n');
    });
    streams.set(sessionId, (text) => response.cork(() => response.write(text)));
  });
  return (then) => {
    app.listen('127.0.0.1', 0, (socket) => then(uWS.us_socket_local_port(socket)));
  };
}

function onNode() {
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      const sessionId = request.headers['mcp-session-id'];
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': open\n\n');
      response.on('close', () => streams.set(sessionId, undefined));
      streams.set(sessionId, (text) => response.write(text));
      return;
    }
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      const { status, body, sessionId } = answerTo(text);
      const own = sessionId === undefined ? {} : { 'mcp-session-id': sessionId };
      response.writeHead(status, { 'content-type': 'application/json', ...own }).end(body);
    });
  });
  return (then) => server.listen(0, '127.0.0.1', () => then(server.address().port));
}
