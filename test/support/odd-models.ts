import { ODD_TEXTS } from './odd-texts.ts';

type Json = Record<string, unknown>;

/** One request as the host sees it. */
export interface OddCall {
  readonly body: Json;
  readonly vendor: 'openai' | 'anthropic';
  /** Requests of this model so far, this one included. */
  readonly nth: number;
  /** The clock of the test. */
  readonly now: () => number;
  /** The answer that fits the schema of the request, in the words of the behaviour. */
  readonly text: () => string;
}

/** Writes the response to a request. */
export type OddWire = (call: OddCall) => Response | Promise<Response>;

/** What of the request a host names or leaves out in a good answer. */
interface Told {
  readonly finish?: string | null;
  readonly usage?: Json | null;
  readonly model?: string;
  readonly asParts?: boolean;
  readonly isDone?: boolean;
  readonly thoughts?: string;
}

const EVENTS = { 'content-type': 'text/event-stream' };
const encoder = new TextEncoder();

/** A response that brings its parts and then ends, breaks, or hangs until it is cancelled. */
export function streamed(
  parts: readonly string[],
  end: 'close' | 'break' | 'hang' = 'close',
): globalThis.Response {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const part of parts) controller.enqueue(encoder.encode(part));
      if (end === 'close') controller.close();
    },
    pull: (controller) => {
      if (end === 'break') controller.error(reset());
      return new Promise(() => undefined);
    },
  });
  return new Response(body, { headers: EVENTS });
}

const reset = () =>
  new TypeError('terminated', { cause: Object.assign(new Error('x'), { code: 'UND_ERR_SOCKET' }) });
const event = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;
const named = (type: string, data: Json) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;

/** The parts of a good answer in the protocol of its vendor. */
export function goodParts(call: OddCall, told: Told = {}): string[] {
  return call.vendor === 'openai' ? chatParts(call, told) : messageParts(call, told);
}

function chatParts({ body, text }: OddCall, told: Told): string[] {
  const { finish = 'stop', asParts = false, isDone = true, thoughts } = told;
  const model = told.model ?? body['model'];
  const usage =
    told.usage === undefined ? { prompt_tokens: 800, completion_tokens: 60 } : told.usage;
  const chunk = (delta: Json, finish_reason: string | null = null) =>
    event({
      id: 'c',
      object: 'chat.completion.chunk',
      model,
      choices: [{ index: 0, delta, finish_reason }],
    });
  const pieces = text().match(/[\s\S]{1,80}/g) ?? [];
  return [
    ...(thoughts === undefined ? [] : [chunk({ reasoning_content: thoughts })]),
    ...pieces.map((piece) => chunk({ content: asParts ? [{ type: 'text', text: piece }] : piece })),
    ...(finish === null ? [] : [chunk({}, finish)]),
    ...(usage === null ? [] : [event({ id: 'c', model, choices: [], usage })]),
    ...(isDone ? ['data: [DONE]\n\n'] : []),
  ];
}

function messageParts({ body, text }: OddCall, told: Told): string[] {
  const { finish = 'end_turn', usage = { output_tokens: 60 } } = told;
  const model = told.model ?? body['model'];
  const message = { id: 'm', role: 'assistant', model, content: [], usage: { input_tokens: 800 } };
  const pieces = text().match(/[\s\S]{1,80}/g) ?? [];
  return [
    named('message_start', { message }),
    named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ...pieces.map((piece) =>
      named('content_block_delta', { index: 0, delta: { type: 'text_delta', text: piece } }),
    ),
    named('content_block_stop', { index: 0 }),
    named('message_delta', { delta: { stop_reason: finish }, usage: usage ?? {} }),
    named('message_stop', {}),
  ];
}

const good = (call: OddCall, told: Told = {}) => streamed(goodParts(call, told));
const refusal = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  Response.json(body, { status, headers });
const refused = (status: number, message: string, more: Json = {}) =>
  refusal(status, { error: { message, type: 'invalid_request_error', ...more } });
/** Bad as often as said, then good. */
const first =
  (times: number, bad: OddWire): OddWire =>
  (call) =>
    call.nth <= times ? bad(call) : good(call);
/** Refuses while the request has something, then is good. */
const until =
  (isBad: (body: Json) => boolean, bad: OddWire): OddWire =>
  (call) =>
    isBad(call.body) ? bad(call) : good(call);
const format = (body: Json) => (body['response_format'] as Json | undefined)?.['type'];
const limit = (body: Json) => Number(body['max_tokens'] ?? body['max_completion_tokens']);
const hasSystem = (body: Json) => JSON.stringify(body['messages']).includes('"system"');
const told =
  (usage: Json | null): OddWire =>
  (call) =>
    good(call, { usage });
const ending =
  (finish: string | null): OddWire =>
  (call) =>
    good(call, { finish });
const rated = (headers: Record<string, string>) =>
  refusal(429, { error: { message: 'slow down', type: 'rate_limit_error' } }, headers);

let readyAt = 0;

/** What hosts do on the wire that still ends in an answer. */
export const ODD_WIRES: Readonly<Record<string, OddWire>> = {
  ok: (call) => good(call),
  'retry-after in seconds': first(1, () => rated({ 'retry-after': '1' })),
  'retry-after as a date': (call) => {
    if (call.nth === 1) readyAt = call.now() + 3_000;
    const date = new Date(readyAt).toUTCString();
    return call.now() < readyAt - 1_000 ? rated({ 'retry-after': date }) : good(call);
  },
  '529 twice': first(2, () => refused(529, 'Overloaded', { type: 'overloaded_error' })),
  '409 once': first(1, () => refused(409, 'conflict')),
  '502 as a page': first(1, () => new Response('<h1>Bad Gateway</h1>', { status: 502 })),
  'an error before any text': first(1, ({ vendor }) =>
    streamed([
      vendor === 'openai'
        ? event({ choices: [], error: { code: 429, message: 'busy' } })
        : named('error', { error: { type: 'overloaded_error', message: 'busy' } }),
    ]),
  ),
  'a socket closed before a byte': first(1, () => Promise.reject(reset())),
  'a stream closed before a byte': first(1, () => streamed([], 'break')),
  'flat message: max_tokens': until(
    (body) => 'max_tokens' in body,
    () => refusal(400, { object: 'error', message: "Unsupported parameter: 'max_tokens'." }),
  ),
  'detail list: response_format': until(
    (body) => format(body) === 'json_schema',
    () =>
      refusal(422, {
        detail: [{ loc: ['body', 'response_format', 'type'], msg: "Input should be 'text'" }],
      }),
  ),
  'detail in message: stream_options': until(
    (body) => 'stream_options' in body,
    () =>
      refusal(422, {
        message: {
          detail: [{ loc: ['body', 'stream_options'], msg: 'Extra inputs not permitted' }],
        },
      }),
  ),
  'no system role': until(hasSystem, () => refused(400, 'System role not supported')),
  'a limit that is too large': until(
    (body) => limit(body) > 4_096,
    () => refused(400, 'max_tokens is too large. This model supports at most 4096 tokens.'),
  ),
  'a context that is too small': until(
    (body) => limit(body) > 1_500,
    () =>
      refused(
        400,
        "'max_tokens' is too large: 2000. This model's maximum context length is 4096 tokens and " +
          'your request has 2500 input tokens.',
      ),
  ),
  'thinking before the answer': until(
    (body) => limit(body) < 3_100,
    (call) => good({ ...call, text: () => '' }, { finish: 'length', thoughts: 'hm' }),
  ),
  'usage missing': told(null),
  'usage zero': told({ prompt_tokens: 0, completion_tokens: 0 }),
  'usage of odd types': told({ prompt_tokens: '812', completion_tokens: 60.25 }),
  'usage negative': told({ prompt_tokens: 812, completion_tokens: -1 }),
  'usage huge': told({ prompt_tokens: 800, completion_tokens: 9e12, cost: 7_200_000 }),
  'reasoning in the total only': told({
    prompt_tokens: 800,
    completion_tokens: 60,
    total_tokens: 2_000,
  }),
  'ends with eos': ending('eos'),
  'ends with end_turn': ending('end_turn'),
  'ends with STOP': ending('STOP'),
  'ends with tool_calls': ending('tool_calls'),
  'ends with [DONE] only': ending(null),
  'a plain JSON body': ({ body, text, vendor }) => {
    const shared = { model: body['model'], id: 'x' };
    const choices = [{ index: 0, message: { content: text() }, finish_reason: 'stop' }];
    const content = [{ type: 'text', text: text() }];
    const message = { type: 'message', role: 'assistant', content, stop_reason: 'end_turn' };
    return Response.json(
      vendor === 'openai'
        ? { ...shared, choices, usage: { prompt_tokens: 800, completion_tokens: 60 } }
        : { ...shared, ...message, usage: { input_tokens: 800, output_tokens: 60 } },
    );
  },
  'content as parts': (call) => good(call, { asParts: true }),
  'another model': (call) => good(call, { model: 'cheap-mini-2' }),
};

/** What hosts do that ends in no answer of theirs: another model must take the place. */
export const DEAD_WIRES: Readonly<Record<string, OddWire>> = {
  'a wrong key': () => refused(401, 'Incorrect API key', { code: 'invalid_api_key' }),
  'no such model': () => refused(404, 'The model does not exist', { code: 'model_not_found' }),
  'no quota': () =>
    refusal(429, {
      error: { message: 'no', type: 'insufficient_quota', code: 'insufficient_quota' },
    }),
  'no repeat wanted': () =>
    refusal(503, { error: { message: 'no' } }, { 'x-should-retry': 'false' }),
  '529 for ever': () => refused(529, 'Overloaded', { type: 'overloaded_error' }),
  'a page of a proxy': () =>
    new Response('<!doctype html><title>Sign in</title>', {
      headers: { 'content-type': 'text/html' },
    }),
  'half an answer, then nothing': (call) => streamed(goodParts(call).slice(0, 2), 'hang'),
  'half an answer, then a broken socket': (call) => streamed(goodParts(call).slice(0, 2), 'break'),
  'no byte at all': () => new Promise(() => undefined),
  'thinking for ever': (call) =>
    good({ ...call, text: () => '' }, { finish: 'length', thoughts: 'hm' }),
};

/** A host of models in this process. `plans` names the behaviour of each model, wire or text. */
export function oddHost(plans: ReadonlyMap<string, string>, now: () => number) {
  const counts = new Map<string, number>();
  const asked: { readonly model: string; readonly limit: number; readonly format: unknown }[] = [];
  const fetch: typeof globalThis.fetch = (input, init) => {
    const body = JSON.parse(String(init?.body as string)) as Json;
    const model = String(body['model']);
    const nth = (counts.get(model) ?? 0) + 1;
    counts.set(model, nth);
    asked.push({ model, limit: limit(body), format: format(body) });
    const plan = plans.get(model) ?? 'ok';
    const words = ODD_TEXTS[plan] ?? ((answer: Json) => JSON.stringify(answer));
    const vendor = new Request(input).url.includes('/messages') ? 'anthropic' : 'openai';
    const text = () => words(answerFor(body), optionNames(body));
    const wire = ODD_WIRES[plan] ?? DEAD_WIRES[plan] ?? ODD_WIRES['ok'];
    if (wire === undefined) throw new Error(`no behaviour is called ${plan}`);
    const response = Promise.resolve().then(() => wire({ body, vendor, nth, now, text }));
    return Promise.race([response, aborted(init?.signal)]);
  };
  return { fetch, asked };
}

function aborted(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(new DOMException('aborted', 'AbortError'));
    if (signal?.aborted === true) stop();
    signal?.addEventListener('abort', stop, { once: true });
  });
}

function promptOf(body: Json): string {
  return JSON.stringify(body['messages'] ?? '');
}

function optionNames(body: Json): Readonly<Record<string, string>> {
  const lines = promptOf(body).matchAll(/\\n(o\d): (.*?)(?=\\n)/g);
  return Object.fromEntries([...lines].map(([, id = '', name = '']) => [id, name]));
}

function answerFor(body: Json): Json {
  const format = (body['response_format'] ?? {}) as { json_schema?: { schema?: Json } };
  const config = (body['output_config'] ?? {}) as { format?: { schema?: Json } };
  const written = /JSON Schema: (\{.*?\})(?:\\n|"[,}])/.exec(
    `${promptOf(body)}${JSON.stringify(body['system'] ?? '')}`,
  );
  const schema =
    format.json_schema?.schema ??
    config.format?.schema ??
    (JSON.parse((written?.[1] ?? '{}').replaceAll('\\"', '"')) as Json);
  return memberFor(schema, '') as Json;
}

function memberFor(schema: Json, name: string): unknown {
  const {
    enum: choices,
    type = 'text',
    properties,
    items,
    minimum,
  } = schema as {
    enum?: unknown[];
    type?: string | string[];
    properties?: Record<string, Json>;
    items?: Json & { enum?: unknown[] };
    minimum?: number;
  };
  if (choices !== undefined) return choices[0];
  if (Array.isArray(type)) return null;
  switch (type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(properties ?? {}).map(([key, member]) => [key, memberFor(member, key)]),
      );
    case 'array':
      if (name === 'ranking') return [...(items?.enum ?? [])];
      if (name === 'evidenceIds') return (items?.enum ?? []).slice(0, 1);
      return name === 'claims' ? [{ part: 'q1', text: 'At least 32 coins.', cites: [] }] : [];
    case 'number':
      return 0.8;
    case 'integer':
      return minimum ?? 1;
    case 'boolean':
      return false;
    default:
      return name === 'translation' ? 'There are 12,000 units in all.' : 'The facts bear it out.';
  }
}
