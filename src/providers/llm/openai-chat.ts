import OpenAI from 'openai';
import type { ChatCompletionCreateParamsStreaming } from 'openai/resources';
import { isObject } from '../../domain/common/json.ts';
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

/** Sent to hosts that need no key; the vendor package requires one. */
const NO_KEY = 'none';

interface Dialect {
  readonly format: AnswerFormat;
  /** Whether the host rejected the schema of this call, not schemas in general. */
  readonly isFormatOwn: boolean;
  readonly limitName: 'max_tokens' | 'max_completion_tokens';
  readonly isLimitTried: boolean;
  /** Most output tokens that the host accepts for this call. */
  readonly limitMax: number | undefined;
  readonly withUsage: boolean;
  /** Whether the host has a system role. If not, the system prompt precedes the user prompt. */
  readonly withSystem: boolean;
}

/**
 * Creates the client for chat completions, the protocol of OpenAI and most compatible servers. It
 * requests a JSON schema first and remembers for a while if a server supports less.
 */
export function createOpenAiClient(entry: ModelEntry, access: VendorAccess): Vendor {
  const first: Dialect = {
    format: 'json_schema',
    isFormatOwn: false,
    // Compatible servers know the old name of the limit.
    limitName: entry.baseUrl === undefined ? 'max_completion_tokens' : 'max_tokens',
    isLimitTried: false,
    limitMax: undefined,
    withUsage: true,
    withSystem: true,
  };
  const ask = async (dialect: Dialect, attempt: Attempt) => {
    const { signal, gathered } = attempt;
    const { data, response } = await createSdkClient(entry, access, attempt)
      .chat.completions.create(createBody(entry, dialect, attempt), {
        signal,
        timeout: vendorTimeoutMs(attempt),
        maxRetries: 0,
      })
      .withResponse();
    gathered.hasStarted = true;
    gathered.requestId = response.headers.get('x-request-id');
    for await (const chunk of data) handleChunk(chunk, attempt);
  };
  const lasting = (dialect: Dialect): Dialect => {
    const format = dialect.isFormatOwn ? first.format : dialect.format;
    return { ...dialect, format, isFormatOwn: false, limitMax: undefined };
  };
  return createLearningVendor({ first, ask, next: nextDialect, lasting }, access.clock);
}

function nextDialect(
  dialect: Dialect,
  errorText: string,
  request: LlmRequest,
): Dialect | undefined {
  const limitMax = findSmallerLimit(errorText, dialect.limitMax ?? request.maxOutputTokens);
  if (limitMax !== undefined) return { ...dialect, limitMax };
  if (!dialect.isLimitTried && isRejected(errorText, new RegExp(`\\b${dialect.limitName}\\b`))) {
    const isOld = dialect.limitName === 'max_tokens';
    const limitName = isOld ? 'max_completion_tokens' : 'max_tokens';
    return { ...dialect, limitName, isLimitTried: true };
  }
  if (dialect.withUsage && isRejected(errorText, /stream_options|include_usage/)) {
    return { ...dialect, withUsage: false };
  }
  if (dialect.withSystem && isRejected(errorText, SYSTEM_ROLE))
    return { ...dialect, withSystem: false };
  // A model that failed to write JSON once has not rejected the format.
  if (/failed_generation|fail(?:ed)? to (?:validate|generate)/i.test(errorText)) return undefined;
  if (!isRejected(errorText, /response_format|json|schema|grammar|structured/i)) return undefined;
  const isFormatOwn = /invalid schema/i.test(errorText);
  switch (dialect.format) {
    case 'json_schema':
      return { ...dialect, format: 'json_object', isFormatOwn };
    case 'json_object':
      return { ...dialect, format: 'text', isFormatOwn };
    case 'text':
      return undefined;
  }
}

const SYSTEM_ROLE =
  /\b(?:system|developer)\b.{0,20}(?:role|message|prompt)|role.{0,20}\bsystem|only.{0,20}\buser/i;

function createBody(
  entry: ModelEntry,
  dialect: Dialect,
  attempt: Attempt,
): ChatCompletionCreateParamsStreaming {
  const { request } = attempt;
  const system = createSystemPrompt(request, dialect.format);
  return {
    model: entry.model,
    stream: true,
    messages: dialect.withSystem
      ? [
          { role: 'system', content: system },
          { role: 'user', content: request.prompt },
        ]
      : [{ role: 'user', content: `${system}\n\n${request.prompt}` }],
    [dialect.limitName]: Math.min(request.maxOutputTokens, dialect.limitMax ?? Infinity),
    ...(dialect.withUsage ? { stream_options: { include_usage: true } } : {}),
    ...responseFormat(dialect.format, attempt),
  };
}

// All options are set here, so no environment variable can redirect keys and prompts.
function createSdkClient(
  entry: ModelEntry,
  access: VendorAccess,
  { onBytes, gathered }: Attempt,
): OpenAI {
  const onDone = () => {
    gathered.isDone = true;
  };
  return new OpenAI({
    apiKey: access.key ?? NO_KEY,
    baseURL: entry.url,
    organization: null,
    project: null,
    maxRetries: 0,
    logLevel: 'off',
    fetch: createBoundedFetch(access.fetch, { onBytes, onDone }),
  });
}

function responseFormat(format: AnswerFormat, { request }: Attempt) {
  const { name, jsonSchema } = request.schema;
  switch (format) {
    case 'json_schema':
      return {
        response_format: {
          type: 'json_schema' as const,
          json_schema: { name, schema: { ...jsonSchema }, strict: true },
        },
      };
    case 'json_object':
      return { response_format: { type: 'json_object' as const } };
    case 'text':
      return {};
  }
}

/** A chunk or a complete answer of a host. Nothing in it is guaranteed. */
interface WireChunk {
  readonly model?: unknown;
  readonly choices?: readonly WireChoice[] | null;
  readonly usage?: object | null;
}
interface WireChoice {
  readonly delta?: WireMessage | null;
  readonly message?: WireMessage | null;
  readonly finish_reason?: unknown;
}
interface WireMessage {
  readonly content?: unknown;
  readonly refusal?: unknown;
  readonly reasoning_content?: unknown;
  readonly reasoning?: unknown;
}

function handleChunk(chunk: WireChunk, attempt: Attempt): void {
  const { gathered } = attempt;
  gathered.served ??= parseServedName(chunk.model);
  const [choice] = Array.isArray(chunk.choices) ? chunk.choices : [];
  const delta = choice?.delta ?? choice?.message;
  if (delta) {
    if (delta.reasoning_content || delta.reasoning) gathered.hasReasoning = true;
    addText(attempt, delta.content);
    if (delta.refusal) gathered.stop = 'refused';
  }
  if (choice?.finish_reason) gathered.stop ??= toStop(String(choice.finish_reason));
  // A complete answer without a finish reason is complete.
  if (choice?.message) gathered.stop ??= 'complete';
  if (chunk.usage) handleUsage(asObject(chunk.usage), attempt);
}

function handleUsage(usage: Readonly<Record<string, unknown>>, { gathered }: Attempt): void {
  const details = asObject(usage['completion_tokens_details']);
  const input = parseTokenCount(usage['prompt_tokens']);
  const output = parseTokenCount(usage['completion_tokens']);
  const total = parseTokenCount(usage['total_tokens']) ?? 0;
  // Some hosts count reasoning tokens in the total only.
  const rest = input === undefined || output === undefined ? undefined : total - input;
  gathered.usage = {
    input,
    output: rest !== undefined && rest > (output ?? 0) ? rest : output,
    cacheRead: parseTokenCount(asObject(usage['prompt_tokens_details'])['cached_tokens']),
    cacheWrite: undefined,
  };
  if ((parseTokenCount(details['reasoning_tokens']) ?? 0) > 0) gathered.hasReasoning = true;
  const parts = [usage['cost'], asObject(usage['cost_details'])['upstream_inference_cost']];
  const billed = parts.filter((part) => typeof part === 'number' && part > 0) as number[];
  // With the caller's own key, the router bills its share and the model's host bills the rest.
  const [first] = billed;
  const isOwnKey = usage['is_byok'] === true;
  if (first !== undefined) gathered.billedUsd = isOwnKey ? billed.reduce((a, b) => a + b) : first;
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

/** Maps the finish reason. Hosts use many words for a complete answer, and few for others. */
function toStop(reason: string): 'complete' | 'refused' | 'cut' | 'failed' {
  const word = reason.toLowerCase();
  if (/^(?:length|max_?tokens|max_output_tokens|model_length|incomplete)$/.test(word)) return 'cut';
  if (/filter|safety|refus|recitation|blocklist|prohibited|spii/.test(word)) return 'refused';
  return word === 'error' ? 'failed' : 'complete';
}
