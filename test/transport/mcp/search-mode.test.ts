import { expect, test } from 'vitest';
import { searchTools } from '../../../src/tools/service/search/search-tools.ts';
import { stdioPair } from '../../support/stdio-pair.ts';
import { SETTLEMENT, testService } from '../../support/tool-service.ts';
import { claimer } from './each-engine.ts';
import { type RpcAnswer, readMessages, Wire } from './wire.ts';

const service = testService(2);
const claim = claimer({ commerce: service });
const SEARCH = ['find_tool', 'describe_tool', 'call_tool'];
const MODERN_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
};

const names = (answer: RpcAnswer): string[] =>
  answer.result.tools.map(({ name }: { name: string }) => name);
const carried = (name: string, input: object = {}) => ({ name, arguments: input });

for (const [query, headers] of [
  ['?mode=search', {}],
  ['', { 'x-mcp-mode': 'search' }],
  ['?mode=search&toolsets=core', { 'x-mcp-mode': 'list' }],
] as const) {
  const asked = `${query} ${JSON.stringify(headers)}`;
  claim(`a session with ${asked} lists three tools and says how to use them`, async ({ rig }) => {
    for (const path of ['/v1/mcp', '/v2/', '/mcp']) {
      const wire = new Wire(rig, `${path}${query}`);
      wire.headers = { ...headers };
      const hello = await wire.open();
      expect(hello.result.instructions).toContain('find_tool');
      expect(names(await wire.ask('tools/list'))).toEqual(SEARCH);
    }
  });
  claim(`2026-07-28 with ${asked} lists three tools, and calls through one`, async ({ rig }) => {
    const wire = new Wire(rig, `/v2/${query}`);
    const version = { 'mcp-protocol-version': '2026-07-28', ...headers };
    wire.headers = { ...version, 'mcp-method': 'tools/list' };
    const list = await wire.ask('tools/list', { _meta: MODERN_META });
    expect(names(list)).toEqual(SEARCH);
    expect(list.result.cacheScope).toBe('private');
    wire.headers = { ...version, 'mcp-method': 'tools/call', 'mcp-name': 'call_tool' };
    const answer = await wire.ask('tools/call', {
      ...carried('call_tool', carried('echo', { a: 1 })),
      _meta: MODERN_META,
    });
    expect(answer.result.structuredContent).toEqual({ text: '{"a":1}' });
  });
}

claim('a call through call_tool is the call of its tool', async ({ rig }) => {
  const wire = new Wire(rig, '/v1/mcp?mode=search');
  await wire.open();
  const direct = await wire.ask('tools/call', carried('echo', { a: [1] }));
  const through = await wire.ask('tools/call', carried('call_tool', carried('echo', { a: [1] })));
  expect(through).toEqual(direct);
  const asText = carried('call_tool', { name: 'echo', arguments: '{"a":[1]}' });
  expect(await wire.ask('tools/call', asText)).toEqual(direct);
  expect(service.calls.at(-1)?.name).toBe('echo');
  const unknown = await wire.ask('tools/call', carried('call_tool', carried('nothing')));
  expect(unknown.error).toMatchObject({ code: -32_602, message: 'Unknown tool: nothing' });
});

claim('payment passes through call_tool, in every carrier', async ({ rig }) => {
  const paid = carried('paid');
  const wire = new Wire(rig, '/v1/mcp?mode=search');
  await wire.open();
  const unpaid = await wire.call('call_tool', paid);
  expect(unpaid.status).toBe(402);
  const plain = new Wire(rig);
  await plain.open();
  const direct = await plain.call('paid');
  expect(await unpaid.json()).toEqual(await direct.json());
  expect(unpaid.headers.get('payment-required')).toBe(direct.headers.get('payment-required'));
  const header = await wire.call('call_tool', paid, { headers: { 'payment-signature': 'e30=' } });
  expect([header.status, header.headers.has('payment-response')]).toEqual([200, true]);
  const meta = await wire.call('call_tool', paid, { meta: { 'x402/payment': { pay: 1 } } });
  const { result } = (await meta.json()) as RpcAnswer;
  expect(result._meta['x402/payment-response']).toEqual(SETTLEMENT);
});

claim('progress passes through call_tool', async ({ rig }) => {
  const wire = new Wire(rig, '/v1/mcp?mode=search');
  await wire.open();
  const meta = { progressToken: 'tok' };
  const response = await wire.call('call_tool', carried('steps', { count: 3 }), { meta });
  const messages = await readMessages(response);
  const steps = messages.flatMap(({ params }) => (params ? [params.progress] : []));
  expect(steps).toEqual([1, 2, 3]);
  expect(messages.at(-1)?.result.structuredContent).toEqual({ text: '3 steps' });
});

claim('tools are found and described within the selection', async ({ rig }) => {
  const wire = new Wire(rig, '/v1/mcp?mode=search&toolsets=core');
  await wire.open();
  const found = await wire.ask('tools/call', carried('find_tool', { request: 'echo or idle_0' }));
  expect(found.result.structuredContent.tools).toEqual([
    { name: 'echo', summary: 'echo', price_usd: '0' },
  ]);
  const none = await wire.ask('tools/call', carried('find_tool', { request: 'xyzzy' }));
  expect(none.result.content[0].text).toMatch(/^No tool matches .* echo, steps/);
  const described = await wire.ask('tools/call', carried('describe_tool', { name: 'echo' }));
  expect(described.result.content[0].text).toContain('Parameters: {"type":"object"');
  const hidden = await wire.ask('tools/call', carried('describe_tool', { name: 'idle_0' }));
  expect(hidden.result).toMatchObject({
    isError: true,
    structuredContent: { error: 'TOOL_UNKNOWN', data: { received: 'idle_0' } },
  });
});

claim('malformed arguments of the three are refused by path', async ({ rig }) => {
  const wire = new Wire(rig, '/v1/mcp?mode=search');
  await wire.open();
  for (const [tool, input, error] of [
    ['find_tool', {}, 'INPUT_INVALID'],
    ['find_tool', { request: '' }, 'INPUT_INVALID'],
    ['find_tool', { request: 'a', limit: 11 }, 'INPUT_INVALID'],
    ['describe_tool', { name: 7 }, 'INPUT_INVALID'],
    ['call_tool', {}, 'INPUT_INVALID'],
    ['call_tool', { name: 'echo', arguments: 'not JSON' }, 'INPUT_INVALID'],
    ['call_tool', carried('call_tool', carried('echo')), 'TOOL_UNKNOWN'],
  ] as const) {
    const { result } = await wire.ask('tools/call', carried(tool, input));
    expect(result, `${tool} ${JSON.stringify(input)}`).toMatchObject({
      isError: true,
      structuredContent: { error },
    });
  }
});

claim('search mode stands after a restart', async ({ rig, start }) => {
  const wire = new Wire(rig, '/v1/mcp?mode=search');
  await wire.open();
  await rig.front.close();
  const { sessions, events } = rig.options;
  const again = new Wire(await start({ sessions, events, commerce: testService(2) }));
  again.sessionId = wire.sessionId;
  expect(names(await again.ask('tools/list'))).toEqual(SEARCH);
  const echo = await again.ask('tools/call', carried('call_tool', carried('echo')));
  expect(echo.result.structuredContent).toEqual({ text: '{}' });
});

claim('an unknown mode is refused by name', async ({ rig }) => {
  const wire = new Wire(rig, '/v1/mcp?mode=fast');
  const answer = await wire.open();
  expect(answer.error?.data).toMatchObject({
    error: 'INPUT_INVALID',
    data: { path: 'mode', received: 'fast', allowed: ['list', 'search'] },
  });
});

test('stdio serves search mode', async () => {
  const pair = stdioPair(searchTools(testService()));
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 't', version: '1' },
  };
  pair.send({ jsonrpc: '2.0', id: 'init', method: 'initialize', params });
  await pair.next();
  pair.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  expect(names((await pair.next()) as RpcAnswer)).toEqual(SEARCH);
  const call = carried('call_tool', carried('echo', { a: 1 }));
  pair.send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: call });
  expect(await pair.next()).toMatchObject({
    result: { structuredContent: { text: '{"a":1}' } },
  });
  await pair.end();
});
