import { Ajv } from 'ajv';
import { encode as encodeNewer } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/domain/common/json.ts';
import type { Tool } from '../../../src/domain/tool/tool.ts';
import { commerceTools } from '../../../src/tools/service/catalog.ts';
import { hostingTools } from '../../../src/tools/service/hosting-catalog.ts';
import { describeTool, listTool } from '../../../src/tools/service/listing.ts';
import { NOTHING } from './nothing.ts';
import { findIn, propertiesOf, VENDOR_RULES } from './vendor-rules.ts';

const SERVERS = {
  commerce: commerceTools(NOTHING as never),
  hosting: hostingTools(NOTHING as never),
} as const;
/**
 * What a listing of the specified tools may take: bytes on the wire, and tokens of what a model
 * sees. Further tools may take the same on average.
 */
const LIMITS = {
  commerce: { tools: 40, bytes: 60_000, tokens: 9_000 },
  hosting: { tools: 26, bytes: 40_960, tokens: 9_000 },
} as const;
const CHALLENGER = { offer: () => ({}) } as never;

const every = Object.values(SERVERS).flat();
const listed = every.map((tool) => listTool(tool, CHALLENGER));

test.each(['commerce', 'hosting'] as const)('the listing of %s is small', (server) => {
  const tools = SERVERS[server].map((tool) => listTool(tool, CHALLENGER));
  const limit = LIMITS[server];
  const share = Math.max(1, tools.length / limit.tools);
  expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThan(limit.bytes * share);
  const seen = tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
  }));
  const tokens = seen.reduce((sum, each) => sum + encodeNewer(JSON.stringify(each)).length, 0);
  expect(tokens).toBeLessThan(limit.tokens * share);
});

test('every parameter has a description, listed or not', () => {
  const missing = every.flatMap((tool) =>
    [
      listTool(tool, CHALLENGER),
      { ...listTool(tool, CHALLENGER), ...describeTool(tool, undefined) },
    ].flatMap((each) =>
      findIn(each, (schema) =>
        Object.entries(propertiesOf(schema)).flatMap(([name, value]) =>
          typeof value['description'] === 'string' ? [] : [name],
        ),
      ),
    ),
  );
  expect(missing).toEqual([]);
});

test('every tool has an example, which it takes, and which its listing shows', () => {
  for (const tool of every) {
    const { name, example } = tool;
    expect(example, name).toBeDefined();
    expect(tool.input.safeParse(example).error?.issues, name).toBeUndefined();
    expect(listTool(tool, CHALLENGER).description, name).toContain(JSON.stringify(example));
  }
});

test('a listed schema takes whatever the whole schema takes', () => {
  const ajv = new Ajv({ strict: false });
  for (const tool of every) {
    const { inputSchema } = listTool(tool, CHALLENGER);
    const isValid = ajv.compile(inputSchema);
    expect(isValid(tool.example), tool.name).toBe(true);
    for (const name of Object.keys(propertiesOf(inputSchema))) {
      expect(isInWhole(tool, name), `${tool.name}.${name}`).toBe(true);
    }
  }
});

test('a parameter that a listing leaves out is named in it', () => {
  for (const tool of every) {
    const { description, inputSchema } = listTool(tool, CHALLENGER);
    const whole = Object.keys(propertiesOf(describeTool(tool, undefined).inputSchema));
    const shown = Object.keys(propertiesOf(inputSchema));
    for (const name of whole.filter((each) => !shown.includes(each))) {
      expect(description, tool.name).toContain(name);
    }
  }
});

describe('the documented rules of the model vendors', () => {
  test.each(Object.entries(VENDOR_RULES))('%s', (_rule, check) => {
    expect(listed.flatMap(check)).toEqual([]);
  });
});

function isInWhole(tool: Tool, name: string): boolean {
  return name in propertiesOf(describeTool(tool, undefined).inputSchema as JsonObject);
}
