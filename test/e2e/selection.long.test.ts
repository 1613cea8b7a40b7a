import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, expect, test } from 'vitest';
import {
  cleanUp,
  cliPath,
  freshDataDir,
  type RealServer,
  startRealServer,
} from '../support/real-server.ts';
import { askWire, greeting, openWire } from '../support/wire-session.ts';

afterAll(cleanUp);

interface Listed {
  readonly tools: readonly {
    readonly name: string;
    readonly annotations: { readonly readOnlyHint: boolean };
  }[];
}

async function listed(url: string): Promise<readonly string[]> {
  const { message } = await (await openWire(url)).ask('tools/list');
  return (message.result as unknown as Listed).tools.map(({ name }) => name);
}

/** Tools that say of themselves that they change nothing. */
async function listedReading(url: string): Promise<readonly string[]> {
  const { message } = await (await openWire(url)).ask('tools/list');
  const { tools } = message.result as unknown as Listed;
  return tools.filter(({ annotations }) => annotations.readOnlyHint).map(({ name }) => name);
}

async function overStdio({ dataDir }: RealServer, ...flags: string[]): Promise<readonly string[]> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [await cliPath(), 'stdio', '--data', dataDir, ...flags],
  });
  const client = new Client({ name: 'e2e', version: '1' }, {});
  await client.connect(transport);
  const { tools } = await client.listTools();
  await client.close();
  return tools.map(({ name }) => name);
}

async function stdioEnds(dataDir: string, ...flags: string[]) {
  const child = spawn(process.execPath, [await cliPath(), 'stdio', '--data', dataDir, ...flags]);
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString('utf8');
  });
  const [code] = await once(child, 'exit');
  return { code, said };
}

test('groups and read-only hold over HTTP and stdio, and the flags of serve are their floor', {
  timeout: 120_000,
}, async () => {
  const server = await startRealServer(freshDataDir(), ['--toolsets', 'ops,deliberation']);
  const { mcp } = server.ready;
  const debate = 'deliberation_multi-agent-debate';
  const ops = ['ops_due-diligence-scan', 'ops_link-integrity'];
  expect(await listed(mcp)).toEqual(['get_result', debate, ...ops]);
  expect(await listed(`${mcp}?toolsets=deliberation`)).toEqual(['get_result', debate]);
  expect(await listed(`${mcp}?readonly=true`)).toEqual(ops);
  expect(await overStdio(server)).toEqual(['get_result', debate, ...ops]);
  expect(await overStdio(server, '--toolsets', 'ops')).toEqual(['get_result', ...ops]);
  expect(await overStdio(server, '--read-only')).toEqual(ops);
  const { code, said } = await stdioEnds(server.dataDir, '--toolsets', 'nothing');
  expect(code).toBe(1);
  expect(said).toContain('TOOLSET_UNKNOWN: Unknown: nothing. Allowed: core, deliberation, ops');
  const wrong = await askWire(`${mcp}?toolsets=oracle`, 'initialize', greeting('2025-11-25'));
  expect(wrong.status).toBe(400);
  expect(await server.stop()).toBe(0);
});

test('a read-only server of all groups lists what changes nothing, and a wrong group is usage', {
  timeout: 120_000,
}, async () => {
  const server = await startRealServer(freshDataDir(), ['--read-only']);
  const every = await startRealServer(freshDataDir());
  const reading = await listedReading(every.ready.mcp_v1);
  expect(await every.stop()).toBe(0);
  expect(reading).toContain('reputation_lookup');
  expect(reading).not.toContain('deliberation_multi-agent-debate');
  expect(await listed(server.ready.mcp_v1)).toEqual(reading);
  expect(await listed(`${server.ready.mcp_v1}?readonly=false&toolsets=all`)).toEqual(reading);
  const call = { name: 'get_result', arguments: { job_id: 'x' } };
  const { message } = await (await openWire(server.ready.mcp_v1)).ask('tools/call', call);
  expect(message.error?.message).toBe('Unknown tool: get_result; the operator does not offer it');
  expect(await server.stop()).toBe(0);
  await expect(startRealServer(freshDataDir(), ['--toolsets', 'opps'])).rejects.toThrow(
    /ended with 2: .*CONFIG_INVALID: --toolsets: Unknown: opps/s,
  );
});

test('callers on this machine are held to the rates where the flag says so', {
  timeout: 120_000,
}, async () => {
  const server = await startRealServer(freshDataDir(), ['--limit-local']);
  const session = await openWire(server.ready.mcp_v1);
  const statuses = new Set<number>();
  let retryAfter = 0;
  for (let asked = 0; asked < 3_000 && !statuses.has(429); asked += 1) {
    const answer = await session.ask('ping');
    statuses.add(answer.status);
    retryAfter = Number(answer.headers.get('retry-after') ?? 0);
  }
  expect([...statuses]).toEqual([200, 429]);
  expect(retryAfter).toBeGreaterThanOrEqual(1);
  expect(await server.stop()).toBe(0);
});
