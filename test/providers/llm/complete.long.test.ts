import { readFileSync } from 'node:fs';
import { LLMock } from '@copilotkit/aimock';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { LlmRequest } from '../../../src/domain/llm/llm.ts';
import { createLlm, type LlmOptions } from '../../../src/providers/llm/create-llm.ts';
import { realClock } from '../../support/real-clock.ts';

const KEY = 'sk-test-0123456789';
const ANSWER = JSON.stringify({ position: 'o1', confidence: 0.8 });
const USAGE = { prompt_tokens: 1_200, completion_tokens: 60, total_tokens: 1_260 };

let mock: LLMock;
let bodies: Record<string, unknown>[];
let sent: { url: string; headers: Headers }[];
beforeEach(async () => {
  mock = new LLMock({ port: 0, host: '127.0.0.1', chunkSize: 8 });
  bodies = [];
  sent = [];
  await mock.start();
});
afterEach(() => mock.stop());

// Leads the vendors' own addresses to the double, so that everything else is as in production.
const reroute: typeof fetch = (input, init) => {
  const asked = new Request(input).url;
  const url = asked.replace(/^https:\/\/api\.(openai|anthropic)\.com/, mock.url);
  sent.push({ url: asked, headers: new Headers(init?.headers) });
  if (typeof init?.body === 'string') bodies.push(JSON.parse(init.body));
  return fetch(url, init);
};

const make = (models: string, more: Partial<LlmOptions> = {}) =>
  createLlm({ models, keys: () => KEY, clock: realClock, fetch: reroute, ...more });

const request = (modelId: string, more: Partial<LlmRequest> = {}): LlmRequest => ({
  modelId,
  system: 'You judge.',
  prompt: 'Which one?',
  schema: {
    name: 'turn',
    jsonSchema: {
      type: 'object',
      properties: { position: { type: 'string' }, confidence: { type: 'number', maximum: 1 } },
      required: ['position', 'confidence'],
      additionalProperties: false,
    },
  },
  maxOutputTokens: 500,
  timeoutMs: 4_000,
  signal: new AbortController().signal,
  ...more,
});

const MODELS = ['openai:gpt-4o', 'anthropic:claude-sonnet-4-6'] as const;

for (const modelId of MODELS) {
  const ask = (more: Partial<LlmRequest> = {}, options: Partial<LlmOptions> = {}) =>
    make(modelId, options).complete(request(modelId, more));

  test(`${modelId}: an answer comes whole, streams in order, with usage and cost`, async () => {
    mock.on({ userMessage: /Which/ }, { content: ANSWER, usage: USAGE });
    const deltas: string[] = [];
    const reply = await ask({ onDelta: (text) => deltas.push(text) });
    expect(reply).toMatchObject({
      ok: true,
      text: ANSWER,
      usage: { input: 1_200, output: 60, cacheRead: 0, cacheWrite: 0, source: 'provider' },
      // gpt-4o: 1,200 x $2.50/M + 60 x $10/M; claude-sonnet-4-6: x $3/M and x $15/M.
      costMicroUsd: modelId.startsWith('openai') ? '3600' : '4500',
      priceSource: 'genai-prices@0.1.8',
    });
    expect(deltas.length).toBeGreaterThan(2);
    expect(deltas.join('')).toBe(ANSWER);
    expect(mock.getRequests()).toHaveLength(1);
  });

  test(`${modelId}: the schema goes over the wire in the vendor’s own form`, async () => {
    mock.on({ userMessage: /Which/ }, { content: ANSWER, usage: USAGE });
    await ask();
    const [body] = bodies;
    if (modelId.startsWith('openai')) {
      expect(body).toMatchObject({
        stream: true,
        stream_options: { include_usage: true },
        max_completion_tokens: 500,
        response_format: { type: 'json_schema', json_schema: { name: 'turn', strict: true } },
      });
    } else {
      expect(body).toMatchObject({
        stream: true,
        max_tokens: 500,
        output_config: { format: { type: 'json_schema', schema: { type: 'object' } } },
      });
      // The limit stands in words there; only the caller's parse holds it.
      expect(JSON.stringify(body?.['output_config'])).not.toContain('"maximum"');
    }
  });

  test(`${modelId}: text that fits no schema keeps its usage; judging it is the caller’s`, async () => {
    mock.on({ userMessage: /Which/ }, { content: '{"position": 7', usage: USAGE });
    const reply = await ask();
    expect(reply).toMatchObject({ ok: true, text: '{"position": 7', usage: { input: 1_200 } });
  });

  test(`${modelId}: 429 is waited out as long as the provider asks, within the total time`, async () => {
    const error = { message: 'slow down', type: 'rate_limit_error' };
    mock.on({ sequenceIndex: 0 }, { error, status: 429, retryAfter: 1 });
    mock.on({ userMessage: /Which/ }, { content: ANSWER, usage: USAGE });
    const startedAt = Date.now();
    const reply = await ask();
    expect(reply.ok).toBe(true);
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(990);
    expect(mock.getRequests()).toHaveLength(2);
  });

  test(`${modelId}: 429 for ever is rate_limited after three requests, and costs nothing`, async () => {
    const error = { message: 'slow down', type: 'rate_limit_error' };
    mock.on({ userMessage: /Which/ }, { error, status: 429, retryAfter: 0 });
    const reply = await ask();
    expect(reply).toMatchObject({
      ok: false,
      failure: 'rate_limited',
      detail: 'HTTP 429 (rate_limit_error)',
      usage: { input: 0, output: 0, source: 'none' },
      costMicroUsd: '0',
    });
    expect(mock.getRequests()).toHaveLength(3);
  });

  test(`${modelId}: a wait that outlasts the total time is an answer at once`, async () => {
    const error = { message: 'slow down', type: 'rate_limit_error' };
    mock.on({ userMessage: /Which/ }, { error, status: 429, retryAfter: 60 });
    const startedAt = Date.now();
    expect(await ask()).toMatchObject({ ok: false, failure: 'rate_limited' });
    expect(Date.now() - startedAt).toBeLessThan(2_000);
    expect(mock.getRequests()).toHaveLength(1);
  });

  test.each([500, 502, 503, 529])(
    `${modelId}: %i is tried twice more, then a provider error`,
    async (status) => {
      const error = { message: 'oops', type: 'server_error' };
      mock.on({ userMessage: /Which/ }, { error, status });
      const reply = await ask();
      expect(reply).toMatchObject({ ok: false, failure: 'provider_error' });
      expect(mock.getRequests()).toHaveLength(3);
    },
  );

  test(`${modelId}: 529 once and then an answer is an answer`, async () => {
    mock.on(
      { sequenceIndex: 0 },
      { error: { message: 'x', type: 'overloaded_error' }, status: 529 },
    );
    mock.on({ userMessage: /Which/ }, { content: ANSWER, usage: USAGE });
    expect((await ask()).ok).toBe(true);
  });

  test.each([401, 402, 403, 404])(
    `${modelId}: %i is not tried again and says nothing of the key`,
    async (status) => {
      const error = {
        message: `Incorrect API key provided: ${KEY}`,
        type: 'invalid_request_error',
      };
      mock.on({ userMessage: /Which/ }, { error, status });
      const reply = await ask();
      expect(reply).toMatchObject({
        ok: false,
        failure: 'provider_error',
        detail: `HTTP ${status} (invalid_request_error)`,
      });
      expect(JSON.stringify(reply)).not.toContain('sk-test');
      expect(mock.getRequests()).toHaveLength(1);
    },
  );

  test(`${modelId}: a type that is no word of a vendor, such as the key again, is not told`, async () => {
    const error = { message: 'x', type: `Bearer ${KEY}`, code: KEY };
    mock.on({ userMessage: /Which/ }, { error, status: 401 });
    expect(await ask()).toMatchObject({ ok: false, detail: 'HTTP 401' });
  });

  test(`${modelId}: a stream that dies in the middle is broken, with what it may have cost`, async () => {
    mock.on(
      { userMessage: /Which/ },
      { content: ANSWER.repeat(20) },
      { truncateAfterChunks: 4, latency: 20 },
    );
    const reply = await ask();
    expect(reply).toMatchObject({ ok: false, failure: 'broken', usage: { source: 'estimated' } });
    expect(Number(reply.costMicroUsd)).toBeGreaterThan(0);
    expect(mock.getRequests()).toHaveLength(1);
  });

  test(`${modelId}: a server that hangs up in the middle is broken`, async () => {
    mock.on(
      { userMessage: /Which/ },
      { content: ANSWER.repeat(50) },
      { disconnectAfterMs: 80, latency: 20 },
    );
    // On a busy machine it hangs up before the first text, and is asked again.
    expect(await ask({ timeoutMs: 15_000 })).toMatchObject({ ok: false, failure: 'broken' });
  });

  test(`${modelId}: an answer that ran out of tokens is cut and billed`, async () => {
    mock.on(
      { userMessage: /Which/ },
      { content: '{"position"', usage: USAGE, finishReason: 'length' },
    );
    expect(await ask()).toMatchObject({
      ok: false,
      failure: 'cut',
      usage: { input: 1_200, output: 60, source: 'provider' },
    });
  });

  test(`${modelId}: a refusal is a refusal and billed`, async () => {
    const finishReason = modelId.startsWith('openai') ? 'content_filter' : 'refusal';
    mock.on({ userMessage: /Which/ }, { content: 'I can not.', usage: USAGE, finishReason });
    const reply = await ask();
    expect(reply).toMatchObject({ ok: false, failure: 'refused', usage: { source: 'provider' } });
    expect(reply.costMicroUsd).not.toBe('0');
  });

  test(`${modelId}: a malformed answer is a provider error`, async () => {
    mock.on({ userMessage: /Which/ }, { content: ANSWER }, { chaos: { malformedRate: 1 } });
    const reply = await ask();
    expect(reply.ok).toBe(false);
    expect(reply).not.toMatchObject({ failure: 'timeout' });
  });

  test(`${modelId}: an empty answer is a provider error`, async () => {
    mock.on({ userMessage: /Which/ }, { content: ' ', usage: USAGE });
    expect(await ask()).toMatchObject({ ok: false, failure: 'provider_error' });
  });

  test(`${modelId}: the total time holds before the first byte and between two chunks`, async () => {
    mock.on({ sequenceIndex: 0 }, { content: ANSWER }, { chaos: { latencyMs: 1_500 } });
    mock.on(
      { userMessage: /Which/ },
      { content: ANSWER.repeat(20) },
      { latency: 100, chunkSize: 80 },
    );
    for (const source of ['estimated', 'estimated']) {
      const startedAt = Date.now();
      const reply = await ask({ timeoutMs: 400 });
      expect(reply).toMatchObject({ ok: false, failure: 'timeout', usage: { source } });
      expect(Date.now() - startedAt).toBeLessThan(1_500);
    }
  });

  test(`${modelId}: an abort in the middle is aborted, never a whole answer`, async () => {
    mock.on({ userMessage: /Which/ }, { content: ANSWER.repeat(50) }, { latency: 30 });
    const stop = new AbortController();
    let seen = 0;
    const onDelta = () => {
      seen += 1;
      if (seen === 3) stop.abort();
    };
    const reply = await ask({ signal: stop.signal, onDelta });
    expect(reply).toMatchObject({ ok: false, failure: 'aborted', usage: { source: 'estimated' } });
    expect(reply.usage.output).toBeGreaterThan(0);
  });

  test(`${modelId}: an abort before the call asks nobody`, async () => {
    const stop = new AbortController();
    stop.abort();
    const reply = await ask({ signal: stop.signal });
    expect(reply).toMatchObject({ ok: false, failure: 'aborted' });
    expect(mock.getRequests()).toHaveLength(0);
  });

  test(`${modelId}: a host that is not there is tried three times, fails and costs nothing`, async () => {
    let tries = 0;
    const nowhere: typeof fetch = () => {
      tries += 1;
      const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
      return Promise.reject(new TypeError('fetch failed', { cause }));
    };
    const reply = await ask({}, { fetch: nowhere });
    expect(reply).toMatchObject({
      ok: false,
      failure: 'provider_error',
      usage: { source: 'none' },
    });
    expect(tries).toBe(3);
  });

  test(`${modelId}: a connection lost before the first byte is tried again, then broken, and may have cost`, async () => {
    let tries = 0;
    const lost: typeof fetch = () => {
      tries += 1;
      const cause = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
      return Promise.reject(new TypeError('fetch failed', { cause }));
    };
    const reply = await ask({}, { fetch: lost });
    expect(reply).toMatchObject({ ok: false, failure: 'broken', usage: { source: 'estimated' } });
    expect(reply.usage.input).toBeGreaterThan(0);
    expect(tries).toBe(3);
  });

  test(`${modelId}: the key goes to the vendor’s own address and none of another variable’s elsewhere`, async () => {
    mock.on({ userMessage: /Which/ }, { content: ANSWER, usage: USAGE });
    await ask();
    const [own] = sent;
    expect(own?.url).toMatch(/^https:\/\/api\.(openai|anthropic)\.com\/v1\//);
    const carried = `${own?.headers.get('authorization')} ${own?.headers.get('x-api-key')}`;
    expect(carried).toContain(KEY);

    const path = modelId.startsWith('openai') ? '/v1' : '';
    const entry = `${modelId}@${mock.url}${path}`;
    const reply = await make(entry).complete(request(modelId));
    expect(reply.ok).toBe(true);
    expect(JSON.stringify([...(sent[1]?.headers ?? [])])).not.toContain(KEY);
    // The price table knows the vendor's own prices only.
    expect(reply).toMatchObject({ costMicroUsd: null, priceSource: 'unknown' });
  });

  test(`${modelId}: the operator’s own price counts where the table has none`, async () => {
    mock.on({ userMessage: /Which/ }, { content: ANSWER, usage: USAGE });
    const prices = `${modelId}=10/100`;
    expect(await ask({}, { prices })).toMatchObject({
      costMicroUsd: '18000',
      priceSource: 'operator',
    });
  });
}

test('the name of the price table is the version that is installed', () => {
  const file = 'node_modules/@pydantic/genai-prices/package.json';
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  expect(`genai-prices@${version}`).toBe('genai-prices@0.1.8');
});
