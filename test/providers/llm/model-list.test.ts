import { expect, test } from 'vitest';
import { createLlm } from '../../../src/providers/llm/create-llm.ts';
import { modelFamily } from '../../../src/providers/llm/family.ts';
import { parseModelList } from '../../../src/providers/llm/model-list.ts';
import { realClock } from '../../support/real-clock.ts';

const make = (models: string, keys: Record<string, string> = {}, prices = '') =>
  createLlm({ models, prices, keys: (variable) => keys[variable], clock: realClock });

test('an entry gives vendor, model, address and the variable of its key', () => {
  const text =
    'openai:gpt-5-mini, anthropic:claude-sonnet-4-5#MY_KEY,' +
    'openai:llama3:8b@http://127.0.0.1:11434/v1,openai:qwen/qwen3@https://openrouter.ai/api/v1/#OR';
  expect(parseModelList(text)).toEqual([
    {
      modelId: 'openai:gpt-5-mini',
      vendor: 'openai',
      model: 'gpt-5-mini',
      family: 'gpt',
      url: 'https://api.openai.com/v1',
      baseUrl: undefined,
      keyVariable: 'OPENAI_API_KEY',
    },
    {
      modelId: 'anthropic:claude-sonnet-4-5',
      vendor: 'anthropic',
      model: 'claude-sonnet-4-5',
      family: 'claude',
      url: 'https://api.anthropic.com',
      baseUrl: undefined,
      keyVariable: 'MY_KEY',
    },
    {
      modelId: 'openai:llama3:8b',
      vendor: 'openai',
      model: 'llama3:8b',
      family: 'llama',
      url: 'http://127.0.0.1:11434/v1',
      baseUrl: 'http://127.0.0.1:11434/v1',
      keyVariable: undefined,
    },
    {
      modelId: 'openai:qwen/qwen3',
      vendor: 'openai',
      model: 'qwen/qwen3',
      family: 'qwen',
      url: 'https://openrouter.ai/api/v1',
      baseUrl: 'https://openrouter.ai/api/v1',
      keyVariable: 'OR',
    },
  ]);
  expect(parseModelList('')).toEqual([]);
});

test.each([
  ['gpt-5', /"gpt-5"/],
  ['mistral:large', /"mistral:large"/],
  ['openai:', /"openai:"/],
  ['openai:a b', /"openai:a b"/],
  ['openai:m@ftp://x', /"openai:m@ftp:\/\/x"/],
  ['openai:m@http://', /"openai:m@http:\/\/"/],
  ['openai:m#1KEY', /"openai:m#1KEY"/],
  ['openai:m,openai:m', /a duplicate model: "openai:m"/],
  [Array.from({ length: 12 }, (_, n) => `openai:m${n}`).join(','), /more than 11 models/],
])('%s is refused with the entry named', (text, message) => {
  expect(() => parseModelList(text)).toThrow(message);
  try {
    parseModelList(text);
  } catch (thrown) {
    expect((thrown as { code: string }).code).toBe('CONFIG_INVALID');
  }
});

test('a password in an address is refused and not repeated', () => {
  expect(() => parseModelList('openai:m@https://me:hunter2@host.example/v1')).toThrow(/password/);
  expect(() => parseModelList('openai:m@https://me:hunter2@host.example/v1')).not.toThrow(
    /hunter2/,
  );
});

test('eleven models are offered', () => {
  const models = Array.from({ length: 11 }, (_, n) => `openai:m${n}`).join(',');
  expect(make(models, { OPENAI_API_KEY: 'k' }).models).toHaveLength(11);
});

test('a model without its key is named with the variable and not offered', () => {
  const llm = make('openai:gpt-5,anthropic:claude-x,openai:l@http://127.0.0.1:9/v1#L', {
    ANTHROPIC_API_KEY: 'k',
    L: '',
  });
  expect(llm.models.map((model) => model.modelId)).toEqual(['anthropic:claude-x']);
  expect(llm.unconfigured).toEqual([
    { modelId: 'openai:gpt-5', variable: 'OPENAI_API_KEY' },
    { modelId: 'openai:l', variable: 'L' },
  ]);
});

test('the hosts that the models live at are named, for the egress client to deny', () => {
  const models = 'openai:a,openai:b,anthropic:c,openai:d@http://10.0.0.5:8000/v1';
  expect(make(models).hosts).toEqual(['api.openai.com', 'api.anthropic.com', '10.0.0.5']);
});

test('no models is a configuration', () => {
  expect(make('')).toMatchObject({ models: [], unconfigured: [], hosts: [] });
});

test('a model that is not offered is a programmer’s mistake', () => {
  expect(() => make('').maxCost('openai:none', 1, 1)).toThrow(/offered/);
});

test('the ceiling holds input, output and framing at the model’s price, or is unknown', () => {
  const keys = { OPENAI_API_KEY: 'k' };
  const llm = make('openai:gpt-4o,openai:unheard-of', keys);
  // 4,000 characters as 4,000 tokens, 1,000 of framing: 5,000 x $2.50/M + 500 x $10/M.
  expect(llm.maxCost('openai:gpt-4o', 4_000, 500)).toBe('17500');
  expect(llm.maxCost('openai:unheard-of', 4_000, 500)).toBeNull();
  const own = make('openai:own', keys, 'openai:own=1/2');
  expect(own.maxCost('openai:own', 4_000, 500)).toBe('6000');
});

test('a price that cannot be read is refused with the entry named', () => {
  expect(() => make('openai:own', {}, 'openai:own=cheap')).toThrow(/openai:own=cheap/);
  expect(() => make('openai:own', {}, 'openai:owm=1/2')).toThrow(/no model "openai:owm"/);
});

test.each([
  ['gpt-5-mini', 'gpt'],
  ['o3', 'gpt'],
  ['openai/o4-mini', 'gpt'],
  ['gpt-oss:20b', 'gpt'],
  ['claude-opus-4', 'claude'],
  ['meta-llama/Llama-3.3-70B', 'llama'],
  ['deepseek-r1-distill-llama-70b', 'llama'],
  ['qwen3:8b', 'qwen'],
  ['mixtral-8x7b', 'mistral'],
  ['gemini-2.5-pro', 'gemini'],
  ['gemma3', 'gemma'],
  ['deepseek-chat', 'deepseek'],
  ['x-ai/grok-4', 'grok'],
  ['something-new', 'openai/something-new'],
])('%s is of the family %s', (model, family) => {
  expect(modelFamily('openai', model)).toBe(family);
});
