import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ENGINES } from '../../support/engines.ts';
import { type FrontRig, startFront } from '../../support/front-rig.ts';
import { PairTransport } from '../../support/pair-transport.ts';
import { CHALLENGE, testService } from '../../support/tool-service.ts';

const INFO = { name: 'peer', version: '1' };

describe.each(ENGINES)('real clients over %s', (engine) => {
  let rig: FrontRig;
  beforeEach(async () => {
    rig = await startFront(engine);
  });
  afterEach(() => rig.front.close());

  test('the v1 client lists, calls, hears progress and ends its session', async () => {
    const transport = new StreamableHTTPClientTransport(new URL(`${rig.baseUrl}/v1/mcp`));
    const client = new Client(INFO);
    await client.connect(transport as Parameters<typeof client.connect>[0]);
    expect(client.getServerVersion()?.name).toBe('stoa-commerce');
    expect((await client.listTools()).tools.length).toBeGreaterThan(4);
    const heard: number[] = [];
    const result = await client.callTool({ name: 'steps', arguments: { count: 5 } }, undefined, {
      onprogress: ({ progress }) => heard.push(progress),
    });
    expect(result.content).toEqual([{ type: 'text', text: '5 steps' }]);
    expect(heard).toEqual([1, 2, 3, 4, 5]);
    await expect(client.callTool({ name: 'paid' })).rejects.toMatchObject({ code: 402 });
    await transport.terminateSession();
    await client.close();
  });

  test('the v2 client speaks the older versions and is aborted cleanly', async () => {
    const client = new ModernClient(INFO, { versionNegotiation: { mode: 'legacy' } });
    await client.connect(new ModernHttp(new URL(`${rig.baseUrl}/v1/mcp`)));
    expect(client.getProtocolEra()).toBe('legacy');
    const heard: number[] = [];
    await client.callTool(
      { name: 'steps', arguments: { count: 5 } },
      { onprogress: ({ progress }) => heard.push(progress) },
    );
    expect(heard).toEqual([1, 2, 3, 4, 5]);
    const gone = new AbortController();
    const held = client.callTool({ name: 'hold' }, { signal: gone.signal });
    const ended = expect(held).rejects.toThrow();
    while (rig.service.calls.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    gone.abort();
    await ended;
    while (rig.service.calls[1]?.signal.aborted !== true) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    rig.service.release();
    await client.close();
  });

  test.for([
    ['legacy', '/v2/', 'legacy'],
    ['auto', '/v2/', 'modern'],
    ['auto', '/v1/mcp', 'legacy'],
    [{ pin: '2026-07-28' }, '/v2/', 'modern'],
  ] as const)('the v2 client with %j on %s speaks the %s era', async ([mode, path, era]) => {
    const client = new ModernClient(INFO, { versionNegotiation: { mode } });
    await client.connect(new ModernHttp(new URL(`${rig.baseUrl}${path}`)));
    expect(client.getProtocolEra()).toBe(era);
    expect((await client.listTools()).tools.length).toBeGreaterThan(4);
    const heard: number[] = [];
    const result = await client.callTool(
      { name: 'steps', arguments: { count: 4 } },
      { onprogress: ({ progress }) => heard.push(progress) },
    );
    expect(result.content).toEqual([{ type: 'text', text: '4 steps' }]);
    expect(heard).toEqual([1, 2, 3, 4]);
    if (path === '/v2/') {
      const paid = await client.callTool({ name: 'paid' });
      expect([paid.isError, paid.structuredContent]).toEqual([true, CHALLENGE]);
    }
    expect(rig.service.calls[0]?.principal).toEqual({ kind: 'address', id: '127.0.0.1' });
    await client.close();
  });

  test('a client pinned to 2026-07-28 is refused on /v1/mcp', async () => {
    const client = new ModernClient(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    const transport = new ModernHttp(new URL(`${rig.baseUrl}/v1/mcp`));
    await expect(client.connect(transport)).rejects.toThrow();
  });
});

describe('real clients over a pair of streams', () => {
  test('the v1 client lists, calls and hears progress', async () => {
    const client = new Client(INFO);
    const transport = new PairTransport(testService());
    await client.connect(transport as Parameters<typeof client.connect>[0]);
    expect((await client.listTools()).tools.length).toBeGreaterThan(4);
    const heard: number[] = [];
    await client.callTool({ name: 'steps', arguments: { count: 3 } }, undefined, {
      onprogress: ({ progress }) => heard.push(progress),
    });
    expect(heard).toEqual([1, 2, 3]);
    await client.close();
  });

  test.for([
    ['legacy', 'legacy'],
    ['auto', 'modern'],
    [{ pin: '2026-07-28' }, 'modern'],
  ] as const)('the v2 client with %j speaks the %s era', async ([mode, era]) => {
    const client = new ModernClient(INFO, { versionNegotiation: { mode } });
    await client.connect(new PairTransport(testService()));
    expect(client.getProtocolEra()).toBe(era);
    const heard: number[] = [];
    await client.callTool(
      { name: 'steps', arguments: { count: 3 } },
      { onprogress: ({ progress }) => heard.push(progress) },
    );
    expect(heard).toEqual([1, 2, 3]);
    await client.close();
  });
});
