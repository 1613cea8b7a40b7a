import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Tool } from '../../../src/domain/tool/tool.ts';
import { defineTool } from '../../../src/tools/service/define-tool.ts';
import { TOOL_NAMES } from '../../../src/tools/service/names.ts';
import { SPECIFIED_TOOLS } from '../../tidy/tool-names.ts';

function tool(overrides: Partial<Tool> = {}): Tool {
  return {
    server: 'commerce',
    name: 'reputation_lookup',
    title: 'Reputation',
    description: 'Looks up the track record of a counterparty in settled jobs.',
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    input: z.object({}),
    output: z.object({}),
    run: async () => ({ content: [] }),
    ...overrides,
  };
}

const order = async () => ({ kind: 'debate', input: {} });

test('the specifications name 40 and 26 tools, each once', () => {
  const { commerce, hosting } = SPECIFIED_TOOLS;
  expect([commerce.length, hosting.length]).toEqual([40, 26]);
  expect(new Set([...commerce, ...hosting]).size).toBe(66);
  const names = [...TOOL_NAMES.commerce, ...TOOL_NAMES.hosting];
  expect(new Set(names).size).toBe(names.length);
});

test('a tool that keeps the rules comes back as it is', () => {
  const good = tool({ price: { amount: '10000', flow: 'authorization' } });
  expect(defineTool(good)).toBe(good);
});

test.each<[string, Partial<Tool>]>([
  ['no tool of this name', { name: 'reputation_look-up' }],
  ['no tool of this name', { server: 'hosting' }],
  ['a title', { title: '' }],
  ['a description', { description: 'Too short.' }],
  ['a read-only tool', { annotations: { ...tool().annotations, destructiveHint: true } }],
  ['above zero', { price: { amount: '0', flow: 'authorization' } }],
  ['paid up front', { order, price: { amount: '1', flow: 'authorization' }, cancelTerms: 'x' }],
  ['paid up front', { order }],
  ['its cancel terms', { order, price: { amount: '1', flow: 'upfront' } }],
])('a tool is refused by rule and name: %s', (rule, overrides) => {
  expect(() => defineTool(tool(overrides))).toThrow(rule);
});
