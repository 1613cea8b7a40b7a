import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import type { ToolService } from '../../../src/domain/tool/tool.ts';
import { createHostingServer } from '../../../src/process/hosting/hosting-tools.ts';
import { LastWorkspaces } from '../../../src/transport/mcp/session/last-workspaces.ts';
import { serveStreams } from '../../../src/transport/mcp/stdio.ts';
import { hostingWorld, WORKSPACES } from '../../support/hosting-world.ts';
import { greeting } from '../../support/wire-session.ts';
import { TOOL_NAMES } from '../../tidy/tool-names.ts';

const ALPHA = WORKSPACES[0].id;
const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
};

function hosting(): ToolService {
  const { provider, clock } = hostingWorld();
  return createHostingServer({ provider, clock });
}

/** One connection, on which each request is awaited. */
function connect(service: ToolService, workspaces: LastWorkspaces) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const served = serveStreams(service, { input, output }, undefined, workspaces);
  const waiting = new Map<number, (message: unknown) => void>();
  let text = '';
  output.on('data', (chunk: Buffer) => {
    const lines = `${text}${chunk.toString('utf8')}`.split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) {
      const message = JSON.parse(line) as { id: number };
      waiting.get(message.id)?.(message);
    }
  });
  const end = async (): Promise<void> => {
    input.end();
    await served;
  };
  onTestFinished(end);
  let id = 0;
  const ask = (method: string, params: object) => {
    id += 1;
    // biome-ignore lint/suspicious/noExplicitAny: tests look into results of every shape
    const answer = new Promise<any>((resolve) => waiting.set(id, resolve));
    input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return answer;
  };
  const call = async (name: string, args: object = {}, meta: object = {}) => {
    const answer = await ask('tools/call', { name, arguments: args, ...meta });
    return answer.result?.structuredContent;
  };
  const begin = async (version: string) => {
    const answer = await ask('initialize', greeting(version));
    input.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    return answer.result;
  };
  return { ask, call, begin, end };
}

test.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])(
  'with %s the connection is the session of a selection',
  async (version) => {
    const workspaces = new LastWorkspaces();
    const service = hosting();
    const one = connect(service, workspaces);
    expect((await one.begin(version)).protocolVersion).toBe(version);
    expect((await one.call('list_services')).error).toBe('WORKSPACE_REQUIRED');
    expect((await one.call('select_workspace', { ownerID: ALPHA })).selected).toBe(ALPHA);
    expect((await one.call('list_services')).services).toEqual([]);
    await one.end();
    const two = connect(service, workspaces);
    await two.begin(version);
    const refused = await two.call('list_services');
    expect(refused).toMatchObject({ error: 'WORKSPACE_REQUIRED', data: { last_selected: ALPHA } });
  },
);

test('without sessions (2026-07-28) all tools are served, and workspaceId is asked for', async () => {
  const { ask, call } = connect(hosting(), new LastWorkspaces());
  const meta = { _meta: MODERN };
  const { result } = await ask('tools/list', meta);
  expect(result.tools.map(({ name }: { name: string }) => name)).toEqual(TOOL_NAMES.hosting);
  const none = await call('list_services', {}, meta);
  expect(none.error).toBe('WORKSPACE_REQUIRED');
  expect(none.message).toContain('This connection has no sessions');
  const selected = await call('select_workspace', { ownerID: ALPHA }, meta);
  expect(selected.error).toBe('WORKSPACE_REQUIRED');
  expect(selected.message).toContain(`Pass workspaceId: "${ALPHA}" on each call instead.`);
  const named = await call('list_services', { workspaceId: ALPHA }, meta);
  expect(named.services).toEqual([]);
  expect((await call('list_services', {}, meta)).error).toBe('WORKSPACE_REQUIRED');
});
