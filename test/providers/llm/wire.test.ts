import { expect, test } from 'vitest';
import type { LlmReply, LlmRequest } from '../../../src/domain/llm/llm.ts';
import { createLlm, type Llm } from '../../../src/providers/llm/create-llm.ts';
import { realClock } from '../../support/real-clock.ts';

// Answers that the double cannot give, byte for byte.
type Body = Record<string, unknown>;
type Answer = (body: Body, nth: number) => Response | Promise<Response>;

function make(models: string, answer: Answer): { llm: Llm; bodies: Body[] } {
  const bodies: Body[] = [];
  const fetch: typeof globalThis.fetch = async (_input, init) => {
    const body = JSON.parse(String(init?.body as string)) as Body;
    bodies.push(body);
    return answer(body, bodies.length - 1);
  };
  return { llm: createLlm({ models, keys: () => 'k', clock: realClock, fetch }), bodies };
}

const request = (modelId: string, more: Partial<LlmRequest> = {}): LlmRequest => ({
  modelId,
  system: 'You judge.',
  prompt: 'Which one?',
  schema: { name: 'turn', jsonSchema: { type: 'object', properties: {}, required: [] } },
  maxOutputTokens: 500,
  timeoutMs: 3_000,
  signal: new AbortController().signal,
  ...more,
});

function sse(events: readonly unknown[], headers: Record<string, string> = {}): Response {
  const lines = events.map((event) => {
    if (typeof event === 'string') return `data: ${event}\n\n`;
    const { type } = event as { type?: string };
    return `${type === undefined ? '' : `event: ${type}\n`}data: ${JSON.stringify(event)}\n\n`;
  });
  return new Response(lines.join(''), {
    headers: { 'content-type': 'text/event-stream', ...headers },
  });
}

const chunk = (delta: Body, finish_reason: string | null = null, more: Body = {}) => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason }],
  ...more,
});
const usageChunk = (usage: Body) => ({ ...chunk({}), choices: [], usage });

const claude = (stop_reason: string, usage: Body = {}) => [
  {
    type: 'message_start',
    message: {
      id: 'm1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [],
      stop_reason: null,
      usage: { input_tokens: 100, output_tokens: 1, ...usage },
    },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: '{"a":1}' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 40 } },
  { type: 'message_stop' },
];

const badRequest = (message: string) =>
  Response.json({ error: { message, type: 'invalid_request_error' } }, { status: 400 });

test('anthropic’s input leaves the cache out, so the total adds it', async () => {
  const usage = { cache_read_input_tokens: 1_000, cache_creation_input_tokens: 200 };
  const { llm } = make('anthropic:claude-sonnet-4-6', () =>
    sse(claude('end_turn', usage), { 'request-id': 'req_7' }),
  );
  const reply = await llm.complete(request('anthropic:claude-sonnet-4-6'));
  expect(reply).toMatchObject({
    ok: true,
    text: '{"a":1}',
    requestId: 'req_7',
    usage: { input: 1_300, output: 40, cacheRead: 1_000, cacheWrite: 200, source: 'provider' },
    // 100 x $3 + 1,000 x $0.30 + 200 x $3.75 + 40 x $15, each for a million.
    costMicroUsd: '1950',
  });
});

test('openai’s input holds the cached part already', async () => {
  const { llm } = make('openai:gpt-4o', () =>
    sse([
      chunk({ content: '{}' }),
      chunk({}, 'stop'),
      usageChunk({
        prompt_tokens: 1_000,
        completion_tokens: 10,
        total_tokens: 1_010,
        prompt_tokens_details: { cached_tokens: 400 },
      }),
      '[DONE]',
    ]),
  );
  const reply = await llm.complete(request('openai:gpt-4o'));
  expect(reply).toMatchObject({
    usage: { input: 1_000, output: 10, cacheRead: 400 },
    // 600 x $2.50 + 400 x $1.25 + 10 x $10, each for a million.
    costMicroUsd: '2100',
  });
});

test('what the provider says it billed counts before any table', async () => {
  const { llm } = make('openai:vendor/m@https://router.example/v1#R', () =>
    sse([
      chunk({ content: '{}' }, 'stop'),
      usageChunk({ prompt_tokens: 9, completion_tokens: 1, total_tokens: 10, cost: 0.0012345 }),
      '[DONE]',
    ]),
  );
  const reply = await llm.complete(request('openai:vendor/m'));
  expect(reply).toMatchObject({ costMicroUsd: '1235', priceSource: 'provider' });
});

test('a stream that ends with its mark is whole, also where no reason is given', async () => {
  const { llm } = make('openai:gpt-4o', () => sse([chunk({ content: '{"a":1}' }), '[DONE]']));
  expect(await llm.complete(request('openai:gpt-4o'))).toMatchObject({ ok: true, text: '{"a":1}' });
});

test('a refusal in openai’s own field is a refusal', async () => {
  const { llm } = make('openai:gpt-4o', () =>
    sse([chunk({ refusal: 'I will not.' }), chunk({}, 'stop'), '[DONE]']),
  );
  const reply = await llm.complete(request('openai:gpt-4o'));
  expect(reply).toMatchObject({ ok: false, failure: 'refused' });
});

test.each([
  ['openai:gpt-4o', () => sse([chunk({ content: '{"a":1}' })])],
  ['anthropic:claude-sonnet-4-6', () => sse(claude('end_turn').slice(0, 3))],
])(
  '%s: a stream that ends without saying why is broken, though nothing throws',
  async (modelId, answer) => {
    const { llm } = make(modelId, answer);
    expect(await llm.complete(request(modelId))).toMatchObject({
      ok: false,
      failure: 'broken',
      // The first figures of a stream are placeholders.
      usage: { source: 'estimated' },
    });
  },
);

test.each([
  ['max_tokens', 'cut'],
  ['model_context_window_exceeded', 'cut'],
  ['pause_turn', 'cut'],
  ['refusal', 'refused'],
])('anthropic’s stop %s is %s', async (reason, failure) => {
  const { llm } = make('anthropic:claude-x', () => sse(claude(reason)));
  const reply = await llm.complete(request('anthropic:claude-x'));
  expect(reply).toMatchObject({ ok: false, failure, usage: { output: 40, source: 'provider' } });
});

test.each([
  ['openai:gpt-4o', () => sse([chunk({ content: '{' }), { error: { message: 'k', code: 'x' } }])],
  [
    'anthropic:claude-x',
    () =>
      sse([
        ...claude('end_turn').slice(0, 3),
        { type: 'error', error: { type: 'overloaded_error', message: 'busy' } },
      ]),
  ],
  ['openai:gpt-4o', () => sse([chunk({ content: '{' }), 'this is no json'])],
])('%s: an error in the middle of a stream is never a whole answer', async (modelId, answer) => {
  const { llm } = make(modelId, answer);
  const reply = await llm.complete(request(modelId));
  expect(reply.ok).toBe(false);
  expect(['provider_error', 'broken']).toContain((reply as { failure: string }).failure);
});

const isAccepted = (body: Body, formats: readonly unknown[]) =>
  formats.includes((body['response_format'] as Body | undefined)?.['type']);
const good = () => sse([chunk({ content: '{}' }, 'stop'), '[DONE]']);

test('a server without schemas is asked for an object, then for text, and remembered', async () => {
  const { llm, bodies } = make('openai:m@http://127.0.0.1:9/v1', (body) =>
    isAccepted(body, [undefined]) ? good() : badRequest('response_format is not supported'),
  );
  expect((await llm.complete(request('openai:m'))).ok).toBe(true);
  expect(bodies.map((body) => (body['response_format'] as Body | undefined)?.['type'])).toEqual([
    'json_schema',
    'json_object',
    undefined,
  ]);
  expect(JSON.stringify(bodies[2]?.['messages'])).toContain('JSON Schema');
  expect((await llm.complete(request('openai:m'))).ok).toBe(true);
  expect(bodies).toHaveLength(4);
});

test('a late refusal of a form that was left long ago teaches nothing', async () => {
  const { llm, bodies } = make('openai:m@http://127.0.0.1:9/v1', async (body, nth) => {
    if (nth === 0) await new Promise((resolve) => setTimeout(resolve, 100));
    return isAccepted(body, [undefined]) ? good() : badRequest('response_format is unknown');
  });
  const replies = await Promise.all([
    llm.complete(request('openai:m')),
    llm.complete(request('openai:m')),
  ]);
  expect(replies.map((reply) => reply.ok)).toEqual([true, true]);
  expect(bodies.filter((body) => isAccepted(body, ['json_object']))).toHaveLength(1);
});

test('the limit is named as the server wants it, and usage left out where it is unknown', async () => {
  const { llm, bodies } = make('openai:o9', (body) => {
    if ('max_completion_tokens' in body) {
      return badRequest("Unsupported parameter: 'max_completion_tokens'");
    }
    return 'stream_options' in body ? badRequest('stream_options: unknown field') : good();
  });
  const reply = await llm.complete(request('openai:o9'));
  expect(reply.ok).toBe(true);
  expect(bodies.at(-1)).toMatchObject({ max_tokens: 500 });
  expect(reply.usage.source).toBe('estimated');
});

test('anthropic without output formats gets the schema in words', async () => {
  const { llm, bodies } = make('anthropic:old', (body) =>
    'output_config' in body
      ? badRequest('output_config: Extra inputs are not permitted')
      : sse(claude('end_turn')),
  );
  expect((await llm.complete(request('anthropic:old'))).ok).toBe(true);
  expect(String(bodies[1]?.['system'])).toContain('JSON Schema');
});

test('a 400 for another reason is not asked again', async () => {
  const { llm, bodies } = make('openai:gpt-4o', () => badRequest('the prompt is too long'));
  const reply = await llm.complete(request('openai:gpt-4o'));
  expect(reply).toMatchObject({ ok: false, failure: 'provider_error', costMicroUsd: '0' });
  expect(bodies).toHaveLength(1);
});

test('an account without quota is not asked again', async () => {
  const { llm, bodies } = make('openai:gpt-4o', () =>
    Response.json(
      { error: { message: 'no', type: 'insufficient_quota', code: 'insufficient_quota' } },
      { status: 429 },
    ),
  );
  expect(await llm.complete(request('openai:gpt-4o'))).toMatchObject({ failure: 'rate_limited' });
  expect(bodies).toHaveLength(1);
});

test('an answer that never ends is over when the time is, with what came billed', async () => {
  const endless = () =>
    new Response(
      new ReadableStream({
        start: (controller) => {
          const line = `data: ${JSON.stringify(chunk({ content: 'x'.repeat(300) }))}\n\n`;
          controller.enqueue(new TextEncoder().encode(line));
        },
      }),
      { headers: { 'content-type': 'text/event-stream' } },
    );
  const { llm } = make('openai:gpt-4o', endless);
  const reply: LlmReply = await llm.complete(request('openai:gpt-4o', { timeoutMs: 200 }));
  expect(reply).toMatchObject({
    ok: false,
    failure: 'timeout',
    usage: { output: 100, source: 'estimated' },
  });
});

test('a server that keeps on beyond what was asked for is cut', async () => {
  const flood = () =>
    sse([...Array.from({ length: 50 }, () => chunk({ content: 'x'.repeat(1_000) })), '[DONE]']);
  const { llm } = make('openai:gpt-4o', flood);
  const reply = await llm.complete(request('openai:gpt-4o', { maxOutputTokens: 100 }));
  // More than was asked for is not counted.
  const usage = { output: 100, source: 'bounded' };
  expect(reply).toMatchObject({ ok: false, failure: 'cut', usage });
});

test('a compatible server elsewhere gets the key that its entry names, in both headers', async () => {
  const seen: (string | null)[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { headers } = new Request(input, init);
    seen.push(headers.get('x-api-key'), headers.get('authorization'));
    return sse(claude('end_turn'));
  };
  const keys = (variable: string) => (variable === 'PROXY_KEY' ? 'proxy-key' : 'own-key');
  const models = 'anthropic:m@https://proxy.example/api#PROXY_KEY';
  const llm = createLlm({ models, keys, clock: realClock, fetch });
  expect((await llm.complete(request('anthropic:m'))).ok).toBe(true);
  expect(seen[0]).toBe('proxy-key');
  expect(JSON.stringify(seen)).not.toContain('own-key');
});

test('nothing of the environment steers where keys and texts go', async () => {
  const before = { ...process.env };
  Object.assign(process.env, {
    OPENAI_BASE_URL: 'http://127.0.0.1:1/evil',
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:1/evil',
    ANTHROPIC_AUTH_TOKEN: 'other',
    OPENAI_ORG_ID: 'other',
  });
  try {
    const seen: string[] = [];
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const asked = new Request(input, init);
      seen.push(asked.url, asked.headers.get('openai-organization') ?? '');
      expect(JSON.stringify([...asked.headers])).not.toContain('other');
      return asked.url.includes('anthropic') ? sse(claude('end_turn')) : good();
    };
    const models = 'openai:gpt-4o,anthropic:claude-x';
    const llm = createLlm({ models, keys: () => 'k', clock: realClock, fetch });
    for (const { modelId } of llm.models) {
      expect((await llm.complete(request(modelId))).ok).toBe(true);
    }
    expect(seen.filter((text) => text !== '')).toEqual([
      'https://api.openai.com/v1/chat/completions',
      'https://api.anthropic.com/v1/messages',
    ]);
  } finally {
    for (const name of Object.keys(process.env)) {
      if (!(name in before)) delete process.env[name];
    }
  }
});
