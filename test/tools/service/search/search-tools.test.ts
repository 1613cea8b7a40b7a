import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import type { ToolCall } from '../../../../src/domain/tool/tool.ts';
import { commerceTools } from '../../../../src/tools/service/catalog.ts';
import { hostingTools } from '../../../../src/tools/service/hosting-catalog.ts';
import { searchTools } from '../../../../src/tools/service/search/search-tools.ts';
import { createToolService } from '../../../../src/tools/service/service.ts';
import { NOTHING } from '../nothing.ts';

/** What a model may see of a listing in search mode, in tokens. */
const TOKENS_MAX = 2_000;

const SERVERS = {
  commerce: commerceTools(NOTHING as never),
  hosting: hostingTools(NOTHING as never),
} as const;

const serve = (server: keyof typeof SERVERS) =>
  searchTools(
    createToolService({
      server,
      title: server,
      version: '1.0.0',
      instructions: 'Tools.',
      tools: SERVERS[server],
      paid: { payments: NOTHING as never, challenger: { offer: () => ({}) } as never },
    }),
  );

const call = (name: string, args: object): ToolCall => ({
  name,
  arguments: args,
  payments: [],
  resourceUrl: `mcp://tool/${name}`,
  principal: { kind: 'local', id: 'test' },
  signal: new AbortController().signal,
});

test.each(['commerce', 'hosting'] as const)(
  'a model sees little of %s in search mode',
  (server) => {
    const { tools } = serve(server);
    expect(tools.map(({ name }) => name)).toEqual(['find_tool', 'describe_tool', 'call_tool']);
    const seen = tools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema,
    }));
    expect(encode(JSON.stringify(seen)).length).toBeLessThan(TOKENS_MAX);
  },
);

test('found tools say what they do and what they cost', async () => {
  const outcome = await serve('commerce').call(
    call('find_tool', { request: 'tell me when bitcoin drops below 50,000', limit: 2 }),
  );
  if (outcome.kind !== 'result') throw new Error(outcome.kind);
  expect(outcome.result.structuredContent).toMatchObject({
    tools: [{ name: 'oracle_alert-generator', price_usd: '0.05' }, {}],
  });
  const [text] = outcome.result.content;
  expect(text).toMatchObject({
    text: expect.stringMatching(/^oracle_alert-generator: .* \$0\.05\./),
  });
});

test('every tool can be described, within the schema of the answer', async () => {
  for (const server of ['commerce', 'hosting'] as const) {
    const service = serve(server);
    for (const { name } of SERVERS[server]) {
      const outcome = await service.call(call('describe_tool', { name }));
      if (outcome.kind !== 'result') throw new Error(outcome.kind);
      expect(outcome.result.isError, name).toBeUndefined();
      expect(outcome.result.structuredContent, name).toMatchObject({ name });
    }
  }
});
