import Anthropic from '@anthropic-ai/sdk';
import { jsonSchemaOutputFormat } from '@anthropic-ai/sdk/helpers/json-schema';
import type {
  MessageCreateParamsStreaming,
  RawMessageStreamEvent,
} from '@anthropic-ai/sdk/resources/messages';
import type { LlmRequest } from '../../domain/llm/llm.ts';
import {
  type AnswerFormat,
  type Attempt,
  addText,
  createLearningVendor,
  createSystemPrompt,
  parseServedName,
  parseTokenCount,
  type Vendor,
  type VendorAccess,
  vendorTimeoutMs,
} from './attempt.ts';
import { createBoundedFetch } from './bounded-fetch.ts';
import { findSmallerLimit, isRejected } from './error-body.ts';
import type { ModelEntry } from './model-list.ts';

const NO_KEY = 'none';

interface Dialect {
  readonly format: AnswerFormat;
  /** Most output tokens that the host accepts for this call. */
  readonly limitMax: number | undefined;
}

/** Creates the client for the Anthropic Messages API. */
export function createAnthropicClient(entry: ModelEntry, access: VendorAccess): Vendor {
  const ask = async (dialect: Dialect, attempt: Attempt) => {
    const { signal, gathered } = attempt;
    const { data, response } = await createSdkClient(entry, access, attempt)
      .messages.create(createBody(entry, dialect, attempt), {
        signal,
        timeout: vendorTimeoutMs(attempt),
        maxRetries: 0,
      })
      .withResponse();
    gathered.hasStarted = true;
    gathered.requestId = response.headers.get('request-id');
    for await (const event of data) handleEvent(event, attempt);
  };
  const first: Dialect = { format: 'json_schema', limitMax: undefined };
  const next = (dialect: Dialect, errorText: string, request: LlmRequest): Dialect | undefined => {
    const limitMax = findSmallerLimit(errorText, dialect.limitMax ?? request.maxOutputTokens);
    if (limitMax !== undefined) return { ...dialect, limitMax };
    const isFormat = isRejected(errorText, /output_(?:config|format)|schema|structured/i);
    return dialect.format === 'json_schema' && isFormat
      ? { ...dialect, format: 'text' }
      : undefined;
  };
  const lasting = (dialect: Dialect): Dialect => ({ ...dialect, limitMax: undefined });
  return createLearningVendor({ first, ask, next, lasting }, access.clock);
}

function createBody(
  entry: ModelEntry,
  { format, limitMax = Infinity }: Dialect,
  attempt: Attempt,
): MessageCreateParamsStreaming {
  const { request } = attempt;
  const isStrict = format === 'json_schema';
  return {
    model: entry.model,
    stream: true,
    max_tokens: Math.min(request.maxOutputTokens, limitMax),
    system: createSystemPrompt(request, format),
    messages: [{ role: 'user', content: request.prompt }],
    ...(isStrict ? { output_config: { format: outputFormat(attempt) } } : {}),
  };
}

// All options are set here, so no environment variable can redirect keys and prompts.
function createSdkClient(entry: ModelEntry, access: VendorAccess, { onBytes }: Attempt): Anthropic {
  const key = access.key ?? NO_KEY;
  return new Anthropic({
    apiKey: key,
    authToken: null,
    baseURL: entry.url,
    maxRetries: 0,
    logLevel: 'off',
    // Older compatible servers know only this header.
    ...(entry.baseUrl === undefined ? {} : { defaultHeaders: { 'x-api-key': key } }),
    fetch: createBoundedFetch(access.fetch, { onBytes }),
  });
}

// Moves schema limits that the API does not support into descriptions. The caller validates them.
function outputFormat({ request }: Attempt): {
  type: 'json_schema';
  schema: Record<string, unknown>;
} {
  const { schema } = jsonSchemaOutputFormat({ ...request.schema.jsonSchema, type: 'object' });
  return { type: 'json_schema', schema: { ...schema } };
}

function handleEvent(event: RawMessageStreamEvent, attempt: Attempt): void {
  const { gathered } = attempt;
  switch (event.type) {
    case 'message_start':
      handleMessage(event.message, attempt);
      return;
    case 'content_block_delta':
      if (event.delta.type === 'text_delta') addText(attempt, event.delta.text);
      if (event.delta.type === 'thinking_delta') gathered.hasReasoning = true;
      return;
    case 'message_delta':
      gathered.usage = addUsage(gathered.usage, event.usage);
      if (event.delta.stop_reason) gathered.stop = toStop(event.delta.stop_reason);
      return;
    case 'message_stop':
      gathered.stop ??= 'complete';
      return;
    case 'content_block_start':
    case 'content_block_stop':
      return;
  }
}

/** The start of a message, or a complete message from a host without streaming. */
interface WireMessage {
  readonly model?: unknown;
  readonly content?: unknown;
  readonly stop_reason?: string | null;
  readonly usage?: WireUsage;
}

function handleMessage(message: WireMessage | undefined, attempt: Attempt): void {
  const { gathered } = attempt;
  gathered.served ??= parseServedName(message?.model);
  gathered.usage = addUsage(gathered.usage, message?.usage);
  addText(attempt, message?.content);
  if (message?.stop_reason) gathered.stop = toStop(message.stop_reason);
}

interface WireUsage {
  readonly input_tokens?: number | null;
  readonly output_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  readonly cache_creation_input_tokens?: number | null;
}

// Later events repeat and raise the counts of earlier ones. Input excludes its cached part.
function addUsage(known: Attempt['gathered']['usage'], wire: WireUsage | undefined) {
  const cacheRead = parseTokenCount(wire?.cache_read_input_tokens) ?? known?.cacheRead;
  const cacheWrite = parseTokenCount(wire?.cache_creation_input_tokens) ?? known?.cacheWrite;
  const fresh = parseTokenCount(wire?.input_tokens);
  const cached = (cacheRead ?? 0) + (cacheWrite ?? 0);
  return {
    input: fresh === undefined ? known?.input : fresh + cached,
    output: parseTokenCount(wire?.output_tokens) ?? known?.output,
    cacheRead,
    cacheWrite,
  };
}

/** Maps the stop reason. Compatible hosts use various names for a complete answer. */
function toStop(reason: string): 'complete' | 'refused' | 'cut' {
  switch (reason) {
    case 'refusal':
      return 'refused';
    case 'max_tokens':
    case 'length':
    case 'model_context_window_exceeded':
    case 'pause_turn':
      return 'cut';
    default:
      return 'complete';
  }
}
