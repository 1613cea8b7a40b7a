// The limit: uWebSockets.js with nothing but JSON.parse and JSON.stringify. No checks, no session.
// `tools/list` sends cached bytes; `progress20` is a hand-written stream.

import uWS from 'uWebSockets.js';
import { readFileSync } from 'node:fs';
import { resultOf } from '../../lib/answers.mjs';

const decoder = new TextDecoder();
// The bytes of our own listing, so that both send the same.
const HEAD_BYTES_MAX = 128;
const listing = readFileSync(process.env.LIST_FILE);
const listAnswer = Buffer.concat([Buffer.alloc(HEAD_BYTES_MAX), listing, Buffer.from('}')]);

uWS
  .App()
  .post('/mcp', (response) => {
    response.onAborted(() => {});
    readBody(response, (body) => answer(response, JSON.parse(body)));
  })
  .listen('127.0.0.1', 0, (socket) => {
    const port = uWS.us_socket_local_port(socket);
    process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}/mcp` })}\n`);
  });

function answer(response, message) {
  const { id, method, params } = message;
  if (method === 'tools/list') {
    return send(response, listBytes(id));
  }
  if (params?.name === 'progress20') return stream(response, message);
  const result = resultOf('echo', params?.arguments ?? {});
  return send(response, JSON.stringify({ jsonrpc: '2.0', id, result }));
}

/** The cached bytes with this id written before them. */
function listBytes(id) {
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
  const from = HEAD_BYTES_MAX - head.length;
  listAnswer.latin1Write(head, from);
  return listAnswer.subarray(from);
}

async function stream(response, { id, params }) {
  const total = params.arguments.count;
  const { progressToken } = params._meta;
  response.cork(() => response.writeHeader('content-type', 'text/event-stream'));
  for (let progress = 1; progress <= total; progress += 1) {
    // Each step in a turn of its own, as they come out of a running tool.
    await null;
    const step = { progressToken, progress, total, message: `step ${progress}` };
    const note = { jsonrpc: '2.0', method: 'notifications/progress', params: step };
    response.cork(() => response.write(`event: message\ndata: ${JSON.stringify(note)}\n\n`));
  }
  const last = JSON.stringify({ jsonrpc: '2.0', id, result: resultOf('progress20', {}) });
  response.cork(() => response.end(`event: message\ndata: ${last}\n\n`));
}

function send(response, body) {
  response.cork(() => {
    response.writeHeader('content-type', 'application/json');
    response.end(body);
  });
}

function readBody(response, take) {
  let text = '';
  response.onData((chunk, isLast) => {
    text += decoder.decode(chunk);
    if (isLast) take(text);
  });
}
