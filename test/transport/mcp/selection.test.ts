import { expect, test } from 'vitest';
import { selectTools } from '../../../src/tools/service/select-tools.ts';
import { ToolViews, VIEWS_MAX } from '../../../src/transport/mcp/call/tool-views.ts';
import { stdioPair } from '../../support/stdio-pair.ts';
import { type TestService, testService } from '../../support/tool-service.ts';
import { claimer } from './each-engine.ts';
import { type RpcAnswer, Wire } from './wire.ts';

/** Test tools of the core, and two of the group `idle`; `paid` changes something. */
function grouped(): TestService {
  const service = testService(2);
  const tools = service.tools.map((tool) => ({
    ...tool,
    annotations: { ...tool.annotations, readOnlyHint: tool.name !== 'paid' },
  }));
  return { ...service, tools, listJson: JSON.stringify({ tools }) };
}

const ALL = [
  'echo',
  'steps',
  'hold',
  'paid',
  'late',
  'pending',
  'big',
  'broken',
  'idle_0',
  'idle_1',
];
const CORE = ALL.slice(0, 8);
const INIT = {
  jsonrpc: '2.0',
  id: 'init',
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 't', version: '1' },
  },
};
const MODERN_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
};

const names = (answer: RpcAnswer): string[] =>
  answer.result.tools.map(({ name }: { name: string }) => name);
const claim = claimer({ commerce: grouped() });

for (const [query, headers, left] of [
  ['', {}, ALL],
  ['?toolsets=core', {}, CORE],
  ['?toolsets=idle', {}, ALL],
  ['', { 'x-mcp-toolsets': 'core' }, CORE],
  ['?exclude_tools=idle_0,%20big', {}, ALL.filter((name) => name !== 'idle_0' && name !== 'big')],
  ['', { 'x-mcp-tools': 'idle_1' }, [...CORE, 'idle_1']],
  ['', { 'x-mcp-exclude-tools': 'echo' }, ALL.slice(1)],
  ['?readonly=true', {}, ALL.filter((name) => name !== 'paid')],
  ['', { 'x-mcp-readonly': '1' }, ALL.filter((name) => name !== 'paid')],
  ['?readonly=false&toolsets=all', {}, ALL],
  ['?tools=idle_0', { 'x-mcp-toolsets': 'idle' }, [...CORE, 'idle_0']],
] as const) {
  const said = `${query} ${JSON.stringify(headers)}`;
  claim(`a session lists what ${said} selects, on both paths`, async ({ rig }) => {
    for (const path of ['/v1/mcp', '/v2/']) {
      const wire = new Wire(rig, `${path}${query}`);
      wire.headers = { ...headers };
      await wire.open();
      wire.headers = {};
      expect(names(await wire.ask('tools/list'))).toEqual(left);
    }
  });
  claim(`a request of 2026-07-28 lists what ${said} selects`, async ({ rig }) => {
    const wire = new Wire(rig, `/v2/${query}`);
    wire.headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list', ...headers };
    const list = await wire.ask('tools/list', { _meta: MODERN_META });
    expect(names(list)).toEqual(left);
    expect(list.result.cacheScope).toBe(left.length === ALL.length ? 'public' : 'private');
  });
}

claim('the selection stands from initialize on, also after a restart', async ({ start, rig }) => {
  const wire = new Wire(rig, '/v1/mcp?toolsets=core');
  await wire.open();
  const later = new Wire(rig, '/v1/mcp?toolsets=all');
  later.sessionId = wire.sessionId;
  expect(names(await later.ask('tools/list'))).toEqual(CORE);
  await rig.front.close();
  const { sessions, events } = rig.options;
  const again = new Wire(await start({ sessions, events, commerce: grouped() }));
  again.sessionId = wire.sessionId;
  expect(names(await again.ask('tools/list'))).toEqual(CORE);
});

claim('a tool outside of the selection is unknown, with a hint, everywhere', async ({ rig }) => {
  const said = {
    code: -32_602,
    message: expect.stringMatching(/^Unknown tool: idle_0; it exists, .* toolset is idle\)$/),
  };
  const lean = new Wire(rig, '/v1/mcp?toolsets=core');
  await lean.open();
  const params = { name: 'idle_0', arguments: {} };
  expect((await lean.ask('tools/call', params)).error).toMatchObject(said);
  const modern = new Wire(rig, '/v2/?toolsets=core');
  modern.headers = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'idle_0',
  };
  const answer = await modern.ask('tools/call', { ...params, _meta: MODERN_META });
  expect(answer.error).toMatchObject(said);
});

for (const [query, code, data] of [
  ['?toolsets=opps', 'TOOLSET_UNKNOWN', { received: ['opps'], allowed: ['core', 'idle', 'all'] }],
  ['?tools=nothing', 'TOOL_UNKNOWN', { received: ['nothing'], allowed: ALL }],
  ['?exclude_tools=nothing', 'TOOL_UNKNOWN', { received: ['nothing'], allowed: ALL }],
  ['?readonly=maybe', 'INPUT_INVALID', { received: 'maybe', allowed: ['true', 'false'] }],
] as const) {
  claim(`the wish ${query} is refused by name, and begins no session`, async ({ rig }) => {
    const before = rig.options.sessions.count();
    const wire = new Wire(rig, `/v2/${query}`);
    const response = await wire.post(INIT);
    expect([response.status, response.headers.get('mcp-session-id')]).toEqual([400, null]);
    expect(await response.json()).toMatchObject({
      id: 'init',
      error: { code: -32_602, data: { error: code, data } },
    });
    wire.headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };
    const modern = await wire.ask('tools/list', { _meta: MODERN_META });
    expect(modern.error?.data).toMatchObject({ error: code });
    expect(rig.options.sessions.count()).toBe(before);
  });
}

test('stdio serves the same selection with the same hint', async () => {
  const pair = stdioPair(selectTools(grouped(), { toolsets: ['core'] }));
  pair.send(INIT);
  await pair.next();
  pair.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  expect(names((await pair.next()) as RpcAnswer)).toEqual(CORE);
  const params = { name: 'idle_0', arguments: {} };
  pair.send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params });
  expect(await pair.next()).toMatchObject({
    error: { code: -32_602, message: expect.stringContaining('idle_0; it exists, ') },
  });
  await pair.end();
});

test('listings are made once for a selection, and a bounded number of them is kept', () => {
  const more = VIEWS_MAX + 10;
  const views = new ToolViews(testService(more), []);
  const first = views.select([{ excluded: ['idle_0'] }]);
  expect(views.select([{ excluded: ['idle_0'] }])).toBe(first);
  expect(views.forSelection(first.selection)).toBe(first);
  for (let at = 1; at < more; at += 1) views.select([{ excluded: [`idle_${at}`] }]);
  expect(views.size).toBe(VIEWS_MAX);
  const again = views.forSelection(first.selection);
  expect(again).not.toBe(first);
  expect(again.list.text).toBe(first.list.text);
});
