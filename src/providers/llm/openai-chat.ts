import OpenAI from 'openai';
import type { ChatCompletionChunk, ChatCompletionCreateParamsStreaming } from 'openai/resources';
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

/** Sent where a host needs no key; the package refuses to work without one. */
const NO_KEY = 'none';

interface Dialect {
  readonly format: AnswerFormat;
  readonly limitName: 'max_tokens' | 'max_completion_tokens';
  readonly isLimitTried: boolean;
  readonly withUsage: boolean;
}

/**
 * Speaks chat completions, the protocol that OpenAI and most compatible servers share. It asks for
 * a JSON schema first and remembers when a server wants less; the client is built on first use.
 */
export function openaiChat(entry: ModelEntry, access: Access): Vendor {
  let client: OpenAI | undefined;
  const first: Dialect = {
    format: 'json_schema',
    // The old name of the limit is the one that compatible servers know.
    limitName: entry.baseUrl === undefined ? 'max_completion_tokens' : 'max_tokens',
    isLimitTried: false,
    withUsage: true,
  };
  const ask = async (dialect: Dialect, attempt: Attempt) => {
    client ??= build(entry, access);
    const { signal, gathered } = attempt;
    const { data, response } = await client.chat.completions
      .create(body(entry, dialect, attempt), {
        signal,
        timeout: vendorTimeoutMs(attempt),
        maxRetries: 0,
      })
      .withResponse();
    gathered.hasBegun = true;
    gathered.requestId = response.headers.get('x-request-id');
    for await (const chunk of data) takeChunk(chunk, attempt);
  };
  return learning(first, ask, nextDialect);
}

function nextDialect(dialect: Dialect, words: string): Dialect | undefined {
  if (!dialect.isLimitTried && words.includes(dialect.limitName)) {
    const isOld = dialect.limitName === 'max_tokens';
    const limitName = isOld ? 'max_completion_tokens' : 'max_tokens';
    return { ...dialect, limitName, isLimitTried: true };
  }
  if (dialect.withUsage && words.includes('stream_options')) {
    return { ...dialect, withUsage: false };
  }
  if (!/response_format|json|schema|grammar|structured/i.test(words)) return undefined;
  switch (dialect.format) {
    case 'json_schema':
      return { ...dialect, format: 'json_object' };
    case 'json_object':
      return { ...dialect, format: 'text' };
    case 'text':
      return undefined;
  }
}

function body(
  entry: ModelEntry,
  dialect: Dialect,
  attempt: Attempt,
): ChatCompletionCreateParamsStreaming {
  const { request } = attempt;
  return {
    model: entry.model,
    stream: true,
    messages: [
      { role: 'system', content: systemText(request, dialect.format) },
      { role: 'user', content: request.prompt },
    ],
    [dialect.limitName]: request.maxOutputTokens,
    ...(dialect.withUsage ? { stream_options: { include_usage: true } } : {}),
    ...responseFormat(dialect.format, attempt),
  };
}

// Everything is said here, so that nothing of the environment steers where keys and texts go.
function build(entry: ModelEntry, access: Access): OpenAI {
  return new OpenAI({
    apiKey: access.key ?? NO_KEY,
    baseURL: entry.url,
    organization: null,
    project: null,
    maxRetries: 0,
    logLevel: 'off',
    fetch: boundedFetch(access.fetch),
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

function takeChunk(chunk: ChatCompletionChunk, attempt: Attempt): void {
  const { gathered } = attempt;
  const [choice] = chunk.choices ?? [];
  if (choice !== undefined) {
    addText(attempt, choice.delta?.content);
    if (choice.delta?.refusal) gathered.stop = 'refused';
    if (choice.finish_reason) gathered.stop ??= stopOf(choice.finish_reason);
  }
  if (!chunk.usage) return;
  const { prompt_tokens, completion_tokens, prompt_tokens_details } = chunk.usage;
  gathered.usage = {
    input: countTokens(prompt_tokens),
    output: countTokens(completion_tokens),
    cacheRead: Math.min(
      countTokens(prompt_tokens),
      countTokens(prompt_tokens_details?.cached_tokens),
    ),
    cacheWrite: 0,
  };
  const { cost } = chunk.usage as { cost?: unknown };
  if (typeof cost === 'number') gathered.billedUsd = cost;
}

function stopOf(reason: string): 'complete' | 'refused' | 'cut' {
  if (reason === 'stop') return 'complete';
  return reason === 'content_filter' ? 'refused' : 'cut';
}
