import { AppError } from '../../domain/common/error.ts';
import { isObject, tryParseJson } from '../../domain/common/json.ts';
import { createActorHandle } from '../../runtime/durable/actor-handle.ts';
import { EngineError } from '../../runtime/engine/error.ts';
import type {
  ActorEngine,
  Definition,
  EffectResult,
  Ev,
  JournalEntry,
  ListQuery,
} from '../../runtime/engine/types.ts';
import { headerOf } from '../../transport/http/headers.ts';
import type { HttpExchange, HttpReply } from '../../transport/http/host.ts';
import { jsonReply, unknownKind } from './api-error.ts';
import type { ApiResult, ApiSchema, KindSchemas } from './api-types.ts';

/** Longest wait of one request for a result, in milliseconds. A client repeats it. */
export const RESULT_WAIT_MAX_MS = 55_000;
const RESULT_WAIT_MS = 25_000;
const JOURNAL_ROWS_MAX = 1_000;

/** What the API serves. */
export interface ApiDeps {
  readonly engine: ActorEngine;
  /** Kinds by their names in the app. */
  readonly members: ReadonlyMap<string, Definition>;
  readonly schemas: Readonly<Record<string, KindSchemas>>;
}

/** One request: its path after the base, decoded, and what came with it. */
export interface ApiRequest {
  readonly method: string;
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
  readonly exchange: HttpExchange;
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
}

/** @throws {AppError | EngineError} */
export async function answerRequest(deps: ApiDeps, request: ApiRequest): Promise<HttpReply> {
  const [root, name = '', id, action] = request.parts;
  const route = `${request.method} ${root ?? ''}`;
  if (route === 'GET health') return jsonReply(200, { status: 'ok' });
  if (route === 'POST effects' && request.parts.length === 1) return completeEffect(deps, request);
  if (root !== 'kinds' || request.parts.length > 4) throw noRoute(request);
  const definition = deps.members.get(name);
  if (definition === undefined) {
    throw unknownKind(name, [...deps.members.keys()]);
  }
  const kind: KindRequest = { ...deps, request, definition, schemas: deps.schemas[name] ?? {} };
  if (id === undefined) return answerKind(kind);
  return answerActor(kind, id, action);
}

interface KindRequest extends Pick<ApiDeps, 'engine'> {
  readonly request: ApiRequest;
  readonly definition: Definition;
  readonly schemas: KindSchemas;
}

async function answerKind(o: KindRequest): Promise<HttpReply> {
  const { engine, request, definition, schemas } = o;
  if (request.method === 'GET') {
    const query = { ...parseListQuery(request.query), kind: definition.kind };
    return jsonReply(200, await engine.list(query));
  }
  if (request.method !== 'POST') throw noRoute(request);
  const { id, input } = readBody(request, ['id', 'input']);
  if (typeof id !== 'string') throw invalid('id', id, 'the id of the new actor, a string');
  await checkValue('input', input, schemas.input);
  const ack = await engine.create(definition.kind, id, input, keyOf(request));
  return jsonReply(200, { id, ...ack });
}

async function answerActor(
  o: KindRequest,
  id: string,
  action: string | undefined,
): Promise<HttpReply> {
  const { engine, request, definition, schemas } = o;
  const { method, query } = request;
  const actor = createActorHandle(engine, definition, id);
  switch (`${method} ${action ?? ''}`) {
    case 'GET ': {
      const at = parseNumber(query, 'at', Number.MAX_SAFE_INTEGER);
      return jsonReply(200, await engine.of(definition).view(id, at));
    }
    case 'POST events': {
      const event = readEvent(request);
      await checkValue('event', withoutType(event), schemas.events?.[event.type]);
      const expectSeq = parseNumber(query, 'expect_seq', Number.MAX_SAFE_INTEGER);
      const options = { ...keyOf(request), ...(expectSeq === undefined ? {} : { expectSeq }) };
      return jsonReply(200, await actor.send(event as never, options));
    }
    case 'GET result':
      return readResult(request, (timeoutMs) =>
        actor.result({ timeoutMs, signal: request.signal }),
      );
    case 'GET journal': {
      await actor.query();
      const from = parseNumber(query, 'from', Number.MAX_SAFE_INTEGER) ?? 1;
      const limit = parseNumber(query, 'limit', JOURNAL_ROWS_MAX) ?? JOURNAL_ROWS_MAX;
      const rows: JournalEntry[] = [];
      for await (const row of engine.journal(id, from, limit)) rows.push(row);
      return jsonReply(200, { rows });
    }
    case 'POST stop':
      return jsonReply(200, await actor.stop());
    default:
      throw noRoute(request);
  }
}

async function readResult(
  { query }: ApiRequest,
  wait: (timeoutMs: number) => Promise<unknown>,
): Promise<HttpReply> {
  const waitMs = parseNumber(query, 'wait_ms', RESULT_WAIT_MAX_MS) ?? RESULT_WAIT_MS;
  try {
    const output = (await wait(waitMs)) ?? null;
    return jsonReply(200, { status: 'done', output } satisfies ApiResult);
  } catch (thrown) {
    if (!(thrown instanceof EngineError) || thrown.code !== 'ASK_TIMEOUT') throw thrown;
    return jsonReply(202, { status: 'active' } satisfies ApiResult);
  }
}

async function completeEffect({ engine }: ApiDeps, request: ApiRequest): Promise<HttpReply> {
  const { token, ok, output, error } = readBody(request, ['token', 'ok', 'output', 'error']);
  if (typeof token !== 'string') throw invalid('token', token, 'the token of an effect that waits');
  if (ok === true) return jsonReply(200, await engine.complete(token, { ok, output }));
  const { name, message } = isObject(error) ? error : {};
  if (ok !== false || typeof name !== 'string' || typeof message !== 'string') {
    throw invalid('ok', ok, 'true with an output, or false with an error {name, message}');
  }
  const result: EffectResult = { ok, error: { name, message } };
  return jsonReply(200, await engine.complete(token, result));
}

function keyOf({ exchange }: ApiRequest): { readonly idempotencyKey?: string } {
  const key = headerOf(exchange.request, 'idempotency-key');
  return key === undefined ? {} : { idempotencyKey: key };
}

function readEvent(request: ApiRequest): Ev {
  const event = readObject(request);
  const { type } = event;
  if (typeof type === 'string') return { ...event, type };
  throw invalid('type', type, 'the type of the event, a string');
}

function withoutType(event: Ev): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(event).filter(([name]) => name !== 'type'));
}

function readBody(
  request: ApiRequest,
  allowed: readonly string[],
): Readonly<Record<string, unknown>> {
  const body = readObject(request);
  const unknown = Object.keys(body).find((member) => !allowed.includes(member));
  if (unknown === undefined) return body;
  throw invalid('body', unknown, `only the members ${allowed.join(', ')}`);
}

function readObject({ exchange }: ApiRequest): Readonly<Record<string, unknown>> {
  const body = tryParseJson(exchange.body.toString('utf8'));
  if (isObject(body)) return body;
  throw invalid('body', `${exchange.body.byteLength} bytes`, 'a JSON object');
}

/** Checks a value with the schema of the app, if that can check. */
async function checkValue(
  name: string,
  value: unknown,
  schema: ApiSchema | undefined,
): Promise<void> {
  const standard = (schema as { readonly '~standard'?: unknown } | undefined)?.['~standard'];
  if (!isObject(standard) || typeof standard['validate'] !== 'function') return;
  const { issues } = await standard['validate'](value);
  if (issues === undefined) return;
  const faults = [...issues].map(
    ({ path = [], message }) => `${[name, ...path].join('.')}: ${message}`,
  );
  throw new AppError('INPUT_INVALID', { message: faults.join('; '), data: { faults } });
}

function parseListQuery(query: URLSearchParams): ListQuery {
  const names = ['state', 'status', 'prefix', 'cursor', 'orderBy'] as const;
  const given = names.flatMap((name) => {
    const value = query.get(name);
    return value === null ? [] : [[name, value]];
  });
  const limit = parseNumber(query, 'limit', JOURNAL_ROWS_MAX);
  const where = parseWhere(query.get('where'));
  return {
    ...Object.fromEntries(given),
    ...(limit === undefined ? {} : { limit }),
    ...(where === undefined ? {} : { where }),
    ...(query.get('descending') === 'true' ? { descending: true } : {}),
  } as ListQuery;
}

function parseWhere(given: string | null): ListQuery['where'] {
  if (given === null) return undefined;
  try {
    const value: unknown = JSON.parse(given);
    if (isObject(value)) return value as ListQuery['where'];
  } catch {
    // Not JSON: the error below says what is allowed.
  }
  throw invalid('where', given, 'a JSON object such as {"total":{"from":100}}');
}

function parseNumber(query: URLSearchParams, name: string, max: number): number | undefined {
  const given = query.get(name);
  if (given === null) return undefined;
  const value = /^\d{1,16}$/.test(given) ? Number(given) : Number.NaN;
  if (value <= max) return value;
  throw invalid(name, given, `0 to ${max}`);
}

function invalid(name: string, received: unknown, allowed: string): AppError {
  const shown = received === undefined ? 'missing' : JSON.stringify(received);
  return new AppError('INPUT_INVALID', {
    message: `\`${name}\` is ${shown}; it must be ${allowed}.`,
    data: { received: received ?? null, allowed },
  });
}

function noRoute({ method, exchange }: ApiRequest): AppError {
  const { path } = exchange.request;
  const message = `${method} ${path} is not an operation of this API. See /openapi.json.`;
  return new AppError('INPUT_INVALID', { message, data: { method, path } });
}
