// The calls of an audit by the bare client of the MCP SDK: no actor, no record, no judgement. What the
// client cannot say goes by plain HTTP. RECORD: the file with the calls. RUNS, WARM
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { answer } from '../lib/cpu.mjs';
import { startTarget } from './target.mjs';

const { RUNS = '1', WARM = '1', RECORD = '' } = process.env;
const CALL_MS_MAX = 10_000;
const calls = JSON.parse(readFileSync(RECORD, 'utf8'));
const agent = new Agent({ keepAlive: true });
const target = await startTarget();

const seen = [];
for (let run = 0; run < Number(WARM) + Number(RUNS); run += 1) {
  const cpu = process.cpuUsage();
  const began = performance.now();
  const failed = await replay();
  const { user, system } = process.cpuUsage(cpu);
  const one = { cpuUs: user + system, wallUs: (performance.now() - began) * 1000, failed };
  if (run >= Number(WARM)) seen.push(one);
}
await target.stop();
const mean = (key) => seen.reduce((sum, one) => sum + one[key], 0) / seen.length;
answer({
  cpuUs: mean('cpuUs'),
  wallUs: mean('wallUs'),
  failed: mean('failed'),
  calls: calls.length,
});
process.exit(0);

/** One call after the other; a target that refuses has answered. */
async function replay() {
  const open = new Map();
  let failed = 0;
  for (const call of calls) {
    try {
      await one(call, open);
    } catch {
      failed += 1;
    }
  }
  for (const client of open.values()) await client.close();
  return failed;
}

async function one(call, open) {
  const client = open.get(call.of);
  switch (call.what) {
    case 'connect': {
      if (!call.isPlain) return plain({ method: 'POST', body: INITIALIZE });
      const fresh = new Client({ name: 'bench', version: '1' });
      await fresh.connect(new StreamableHTTPClientTransport(new URL(target.url)));
      open.set(call.of, fresh);
      return;
    }
    case 'request': {
      const { method, params } = call;
      const message = { jsonrpc: '2.0', id: 1, method, params };
      if (client === undefined) return plain({ method: 'POST', body: JSON.stringify(message) });
      return ask(client, method, params);
    }
    case 'notify':
      return client?.notification({ method: call.method, params: call.params });
    case 'close': {
      await client?.transport?.terminateSession();
      open.delete(call.of);
      return client?.close();
    }
    case 'exchange':
      return plain(call.raw);
  }
}

function ask(client, method, params) {
  const options = { timeout: CALL_MS_MAX };
  if (method === 'tools/list') return client.listTools(params, options);
  if (method === 'tools/call') return client.callTool(params, options);
  return client.request({ method, params }, ANYTHING, options);
}

/** Takes any answer: what comes back is not looked at. */
const ANYTHING = {
  '~standard': { version: 1, vendor: 'bench', validate: (value) => ({ value }) },
};
const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  },
});

function plain({ method, path, headers = {}, body }) {
  const { hostname, port, pathname } = new URL(target.url);
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const accept = 'application/json, text/event-stream';
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        hostname,
        port,
        path: path ?? pathname,
        method,
        agent,
        timeout: CALL_MS_MAX,
        headers: { accept, ...type, ...headers },
      },
      (response) => {
        response.resume();
        response.once('end', resolve);
        response.once('error', reject);
      },
    );
    sent.once('timeout', () => sent.destroy(new Error('no answer in time')));
    sent.once('error', reject);
    sent.end(body);
  });
}
