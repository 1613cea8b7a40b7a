import {
  Client as ModernClient,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { AppError } from '../../../src/domain/common/error.ts';
import type { Tool } from '../../../src/domain/tool/tool.ts';
import { createToolService } from '../../../src/tools/service/service.ts';
import { startFront } from '../../support/front-rig.ts';

const INFO = { name: 'peer', version: '1' };

test('the v1 client takes results and errors of a tool by the listed schema', async () => {
  const client = new Client(INFO);
  const transport = new OldHttp(new URL(await serve()));
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  onTestFinished(() => client.close());
  // Once it knows the schemas, the client checks every structured content.
  await client.listTools();
  const ask = (word: string) => client.callTool({ name: 'get_result', arguments: { word } });
  expect((await ask('yes')).structuredContent).toEqual({ said: 'yes' });
  expect(await ask('fail')).toMatchObject({ isError: true, structuredContent: FAILED });
});

test('the v2 client takes results and errors of a tool by the listed schema', async () => {
  const client = new ModernClient(INFO, { versionNegotiation: { mode: 'legacy' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(await serve())));
  onTestFinished(() => client.close());
  await client.listTools();
  const ask = (word: string) => client.callTool({ name: 'get_result', arguments: { word } });
  expect((await ask('yes')).structuredContent).toEqual({ said: 'yes' });
  expect(await ask('fail')).toMatchObject({ isError: true, structuredContent: FAILED });
});

test('a listed answer names its members in words, since clients compile properties', async () => {
  const { tools } = await listAll(await serve());
  expect(tools.map(({ outputSchema }) => outputSchema)).toEqual([
    { type: 'object', description: 'Members: said' },
  ]);
});

test('the error branch of a schema is short and tells an error from an answer', () => {
  const branches = service().describe('get_result')?.outputSchema['anyOf'] as unknown[];
  expect(branches.at(-1)).toEqual({
    type: 'object',
    properties: { error: { type: 'string' }, retry: { enum: ['never', 'after_fix', 'later'] } },
    required: ['error', 'message', 'retry', 'doc'],
  });
});

test('schemas are spelled for clients that know one type a schema', () => {
  const shape = z.looseObject({
    answer: z.union([z.record(z.string(), z.unknown()), z.string()]).describe('Any.'),
    note: z.string().max(9).nullable().describe('Or none.'),
    type: z.array(z.string()),
  });
  const whole = service(shape).describe('get_result');
  expect(whole?.inputSchema).toMatchObject({
    additionalProperties: true,
    properties: {
      answer: { anyOf: [{ type: 'object', additionalProperties: true }, { type: 'string' }] },
      note: { anyOf: expect.arrayContaining([{ type: 'null' }]), description: 'Or none.' },
      type: { type: 'array', items: { type: 'string' } },
    },
  });
  expect(JSON.stringify(whole)).not.toMatch(/"type":\[|:\{\}/);
});

const FAILED = { error: 'EGRESS_FAILED', retry: 'later' };

async function listAll(url: string) {
  const client = new ModernClient(INFO, { versionNegotiation: { mode: 'legacy' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  onTestFinished(() => client.close());
  return client.listTools();
}

async function serve(): Promise<string> {
  const rig = await startFront('node', { commerce: service() });
  onTestFinished(() => rig.front.close());
  return `${rig.baseUrl}/v1/mcp`;
}

function service(input: z.ZodType = z.strictObject({ word: z.string() })) {
  const tool: Tool<{ word: string }> = {
    server: 'commerce',
    name: 'get_result',
    title: 'Say a word',
    description: 'Says a word, or fails.',
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    input,
    output: z.strictObject({ said: z.string() }),
    run: async ({ word }) => {
      if (word === 'fail') throw new AppError('EGRESS_FAILED', { data: { host: 'example.org' } });
      return { content: [{ type: 'text', text: word }], structuredContent: { said: word } };
    },
  } as Tool<{ word: string }>;
  return createToolService({
    server: 'commerce',
    title: 'Commerce',
    version: '1.0.0',
    instructions: '',
    tools: [tool],
  });
}
