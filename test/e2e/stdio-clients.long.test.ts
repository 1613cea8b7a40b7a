import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cleanUp, cliPath, freshDataDir, startRealServer } from '../support/real-server.ts';

const INFO = { name: 'e2e', version: '1' };
const DEBATE = 'deliberation_multi-agent-debate';
const OPEN_QUESTION = {
  question: 'Tea or coffee?',
  options: ['tea', 'coffee'],
  seats_by: 'caller',
};

let command: { command: string; args: string[] };

beforeAll(async () => {
  const server = await startRealServer(freshDataDir());
  command = {
    command: process.execPath,
    args: [await cliPath(), 'stdio', '--server', 'commerce', '--data', server.dataDir],
  };
}, 120_000);
afterAll(cleanUp);

/** What the tests need of a client, of either generation. */
interface Peer {
  names(): Promise<string[]>;
  call(name: string, args: Record<string, unknown>): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

async function v1(): Promise<Peer> {
  const client = new ClientV1(INFO, {});
  await client.connect(new StdioV1(command));
  return {
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args) => client.callTool({ name, arguments: args }),
    close: () => client.close(),
  };
}

async function v2(mode: 'legacy' | 'auto' | { pin: '2026-07-28' }): Promise<Peer> {
  const client = new ClientV2(INFO, { versionNegotiation: { mode } });
  await client.connect(new StdioV2(command));
  return {
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args) => client.callTool({ name, arguments: args }),
    close: () => client.close(),
  };
}

describe.each([
  ['the first generation', v1],
  ['the second, with a handshake', () => v2('legacy')],
  ['the second, choosing for itself', () => v2('auto')],
  ['the second, without a session', () => v2({ pin: '2026-07-28' })],
])('a spawned stdio client of %s', (_name, connect) => {
  test('lists the tools, is challenged in band and told of an unknown job', {
    timeout: 60_000,
  }, async () => {
    const peer = await connect();
    expect(await peer.names()).toEqual(
      expect.arrayContaining(['get_result', DEBATE, 'ops_link-integrity']),
    );
    const unpaid = await peer.call(DEBATE, OPEN_QUESTION);
    expect(unpaid['isError']).toBe(true);
    expect(unpaid['structuredContent']).toMatchObject({ x402Version: 2 });
    const unknown = await peer.call('get_result', { job_id: `job_${'0'.repeat(40)}` });
    expect(unknown['isError']).toBe(true);
    expect(unknown['structuredContent']).toMatchObject({ error: 'JOB_UNKNOWN' });
    await peer.close();
  });
});
