import { expect } from 'vitest';
import type { FrontRig } from '../../support/front-rig.ts';
import { testService } from '../../support/tool-service.ts';
import { claimer } from './each-engine.ts';
import { type RpcAnswer, Wire } from './wire.ts';

const TOKEN = 'operator-token';
const claim = claimer({
  hosting: testService(),
  isOperatorToken: (token) => token === TOKEN,
});
const PATHS = ['/v1/mcp', '/v2/', '/mcp', '/hosting/mcp'];
const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
};

/** A session at each address. */
async function sessions(rig: FrontRig, version = '2025-11-25'): Promise<readonly Wire[]> {
  return Promise.all(
    PATHS.map(async (path) => {
      const wire = new Wire(rig, path);
      wire.headers = { authorization: `Bearer ${TOKEN}` };
      await wire.open(version);
      return wire;
    }),
  );
}

/** Sends bytes as they are, with a head that fits. */
function sendBytes({ rig, path, sessionId = '', headers }: Wire, body: Uint8Array) {
  return fetch(`${rig.baseUrl}${path}`, {
    method: 'POST',
    body: body as Uint8Array<ArrayBuffer>,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': sessionId,
      ...headers,
    },
  });
}

const VERSIONS = ['2025-11-25', '2025-06-18', '2024-11-05'];

claim('a version header must be the negotiated one; without it all is well', async ({ rig }) => {
  for (const negotiated of VERSIONS) {
    for (const wire of await sessions(rig, negotiated)) {
      const own = { 'mcp-protocol-version': negotiated };
      const told = [wire.path, (await wire.post(PING, { headers: own })).status];
      expect(told).toEqual([wire.path, 200]);
      expect((await wire.post(PING)).status).toBe(200);
      const other = VERSIONS.find((version) => version !== negotiated) ?? '';
      await expectRefused(wire, other, negotiated);
      // The version that a request without the header is assumed to have.
      const assumed = { headers: { 'mcp-protocol-version': '2025-03-26' } };
      expect((await wire.post(PING, assumed)).status).toBe(200);
      expect((await wire.plain('DELETE', own)).status).toBe(200);
    }
  }
});

async function expectRefused(wire: Wire, received: string, negotiated: string): Promise<void> {
  const other = { 'mcp-protocol-version': received };
  const answers = [
    await wire.post(PING, { headers: other }),
    await wire.plain('GET', other),
    await wire.plain('DELETE', other),
  ];
  for (const answer of answers) {
    expect(answer.status).toBe(400);
    const { error } = (await answer.json()) as RpcAnswer;
    expect(error).toMatchObject({ code: -32_000, data: { received, negotiated } });
    expect(error?.message).toContain(`is ${received}; this session negotiated ${negotiated}`);
  }
}

claim('a body that is not UTF-8 is a parse error', async ({ rig }) => {
  const text = JSON.stringify({ ...PING, params: { note: 'ä€😀' } });
  const whole = Buffer.from(text);
  const cut = Buffer.from(text.replace('😀', ''));
  cut[cut.indexOf('€')] = 0x20;
  const overlong = Buffer.concat([
    Buffer.from('{"a":"'),
    Buffer.from([0xc0, 0x80]),
    Buffer.from('"}'),
  ]);
  const surrogate = Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]);
  for (const wire of await sessions(rig)) {
    expect((await sendBytes(wire, whole)).status).toBe(200);
    for (const body of [cut, overlong, surrogate, Buffer.from(text, 'latin1')]) {
      const answer = await sendBytes(wire, body);
      const { error, id } = (await answer.json()) as RpcAnswer;
      expect([wire.path, answer.status, id, error?.code]).toEqual([wire.path, 400, null, -32_700]);
      expect(error?.message).toBe('Parse error: the body is not valid UTF-8');
    }
    const wide = await sendBytes(wire, Buffer.from(text, 'utf16le'));
    expect(wide.status).toBe(400);
  }
});

claim('only UTF-8 is taken as the charset of a body', async ({ rig }) => {
  const taken = [
    ...['application/json;charset=utf-8', 'application/json; charset="UTF-8"'],
    ...['APPLICATION/JSON ; Charset=Utf8', 'application/json; version=1'],
  ];
  const refused = ['utf-16', 'iso-8859-1', 'us-ascii', '"latin1"', ''];
  for (const wire of await sessions(rig)) {
    const ask = (type: string) => wire.post(PING, { headers: { 'content-type': type } });
    for (const type of taken) expect([type, (await ask(type)).status]).toEqual([type, 200]);
    for (const charset of refused) {
      const answer = await ask(`application/json; charset=${charset}`);
      expect([charset, answer.status]).toEqual([charset, 415]);
      const { error } = (await answer.json()) as RpcAnswer;
      expect(error?.data).toEqual({ received: charset, allowed: ['utf-8'] });
    }
    expect((await ask('application/jsonl')).status).toBe(415);
  }
});

claim('Accept is read by the rules of HTTP', async ({ rig }) => {
  const taken = [
    ...['*/*', 'application/*, text/*', 'TEXT/Event-Stream;q=0.1, Application/JSON; q=0.5'],
    ...['text/event-stream, application/json; charset=utf-8', 'text/html, */*;q=0.1'],
  ];
  const refused = [
    ...['application/json;q=0, text/event-stream', 'application/json, text/event-stream;q=0.0'],
    ...['*/*, text/event-stream;q=0', 'application/jsonp, text/event-stream-x', 'application/*'],
  ];
  for (const wire of await sessions(rig)) {
    const statusOf = async (accept: string) =>
      (await wire.post(PING, { headers: { accept } })).status;
    for (const accept of taken) expect([accept, await statusOf(accept)]).toEqual([accept, 200]);
    for (const accept of refused) expect([accept, await statusOf(accept)]).toEqual([accept, 406]);
    for (const accept of ['text/event-stream;q=0', 'application/json', '*/*, text/*;q=0']) {
      const answer = await wire.plain('GET', { accept });
      expect([accept, answer.status]).toEqual([accept, 406]);
    }
    const gone = new AbortController();
    const open = await wire.plain('GET', { accept: 'Text/*;q=0.2' }, gone.signal);
    expect(open.status).toBe(200);
    gone.abort();
  }
});

claim('2026-07-28 reads heads and bodies the same way', async ({ rig }) => {
  const wire = new Wire(rig, '/mcp');
  const params = { name: 'echo', arguments: {}, _meta: MODERN };
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const statusOf = async (more: Record<string, string>) => {
    const headers = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'echo',
      ...more,
    };
    return (await wire.post(body, { headers })).status;
  };
  expect(await statusOf({})).toBe(200);
  expect(await statusOf({ accept: '*/*' })).toBe(200);
  expect(await statusOf({ accept: 'application/json, text/event-stream;q=0' })).toBe(406);
  expect(await statusOf({ 'content-type': 'application/json; charset=utf-16' })).toBe(415);
});
