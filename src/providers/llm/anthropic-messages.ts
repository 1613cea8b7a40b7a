import Anthropic from '@anthropic-ai/sdk';
import { jsonSchemaOutputFormat } from '@anthropic-ai/sdk/helpers/json-schema';
import type {
  MessageCreateParamsStreaming,
  RawMessageStreamEvent,
  StopReason,
} from '@anthropic-ai/sdk/resources/messages';
import {
  type Access,
  type AnswerFormat,
  type Attempt,
  addText,
  countTokens,
  learning,
  systemText,
  type Vendor,
  vendorTimeoutMs,
} from './attempt.ts';
import { boundedFetch } from './bounded-fetch.ts';
import type { ModelEntry } from './model-list.ts';

const NO_KEY = 'none';

/** Speaks Anthropic messages. The client is built on first use. */
export function anthropicMessages(entry: ModelEntry, access: Access): Vendor {
  let client: Anthropic | undefined;
  const ask = async (format: AnswerFormat, attempt: Attempt) => {
    client ??= build(entry, access);
    const { signal, gathered } = attempt;
    const { data, response } = await client.messages
      .create(body(entry, format, attempt), {
        signal,
        timeout: vendorTimeoutMs(attempt),
        maxRetries: 0,
      })
      .withResponse();
    gathered.hasBegun = true;
    gathered.requestId = response.headers.get('request-id');
    for await (const event of data) takeEvent(event, attempt);
  };
  const next = (format: AnswerFormat, words: string) =>
    format === 'json_schema' && /output_|format|schema/i.test(words) ? 'text' : undefined;
  return learning<AnswerFormat>('json_schema', ask, next);
}

function body(
  entry: ModelEntry,
  format: AnswerFormat,
  attempt: Attempt,
): MessageCreateParamsStreaming {
  const { request } = attempt;
  const isStrict = format === 'json_schema';
  return {
    model: entry.model,
    stream: true,
    max_tokens: request.maxOutputTokens,
    system: systemText(request, format),
    messages: [{ role: 'user', content: request.prompt }],
    ...(isStrict ? { output_config: { format: outputFormat(attempt) } } : {}),
  };
}

// Everything is said here, so that nothing of the environment steers where keys and texts go.
function build(entry: ModelEntry, access: Access): Anthropic {
  const key = access.key ?? NO_KEY;
  return new Anthropic({
    apiKey: key,
    authToken: null,
    baseURL: entry.url,
    maxRetries: 0,
    logLevel: 'off',
    // Compatible servers of older make know only this header.
    ...(entry.baseUrl === undefined ? {} : { defaultHeaders: { 'x-api-key': key } }),
    fetch: boundedFetch(access.fetch),
  });
}

// Moves limits that the protocol does not know into descriptions; the caller's parse holds them.
function outputFormat({ request }: Attempt): {
  type: 'json_schema';
  schema: Record<string, unknown>;
} {
  const { schema } = jsonSchemaOutputFormat({ ...request.schema.jsonSchema, type: 'object' });
  return { type: 'json_schema', schema: { ...schema } };
}

function takeEvent(event: RawMessageStreamEvent, attempt: Attempt): void {
  const { gathered } = attempt;
  switch (event.type) {
    case 'message_start':
      gathered.usage = addUsage(gathered.usage, event.message.usage);
      return;
    case 'content_block_delta':
      if (event.delta.type === 'text_delta') addText(attempt, event.delta.text);
      return;
    case 'message_delta':
      gathered.usage = addUsage(gathered.usage, event.usage);
      if (event.delta.stop_reason) gathered.stop = stopOf(event.delta.stop_reason);
      return;
    case 'content_block_start':
    case 'content_block_stop':
    case 'message_stop':
      return;
  }
}

interface WireUsage {
  readonly input_tokens?: number | null;
  readonly output_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  readonly cache_creation_input_tokens?: number | null;
}

// Later events repeat and raise the figures of earlier ones. Input comes without its cached part.
function addUsage(before: Attempt['gathered']['usage'], wire: WireUsage | undefined) {
  const known = before ?? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const cacheRead = countTokens(wire?.cache_read_input_tokens, known.cacheRead);
  const cacheWrite = countTokens(wire?.cache_creation_input_tokens, known.cacheWrite);
  const fresh = countTokens(wire?.input_tokens, known.input - known.cacheRead - known.cacheWrite);
  return {
    input: fresh + cacheRead + cacheWrite,
    output: countTokens(wire?.output_tokens, known.output),
    cacheRead,
    cacheWrite,
  };
}

function stopOf(reason: StopReason): 'complete' | 'refused' | 'cut' {
  switch (reason) {
    case 'end_turn':
    case 'stop_sequence':
      return 'complete';
    case 'refusal':
      return 'refused';
    case 'max_tokens':
    case 'model_context_window_exceeded':
    case 'tool_use':
    case 'pause_turn':
      return 'cut';
  }
}
