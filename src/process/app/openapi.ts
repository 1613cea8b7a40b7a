import type { Definition } from '../../runtime/engine/types.ts';
import { VERSION } from '../../version.ts';
import type { ApiDeps } from './api-routes.ts';
import { RESULT_WAIT_MAX_MS } from './api-routes.ts';
import type { ApiSchema, JsonSchema, KindSchemas } from './api-types.ts';

/** Builds the OpenAPI 3.1 document of an app from its kinds. */
export function buildOpenApi(
  { members, schemas }: Omit<ApiDeps, 'engine'>,
  { isTokenRequired }: { readonly isTokenRequired: boolean },
): JsonSchema {
  const kinds = [...members].map(([name, kind]) => kindPaths(name, kind, schemas[name] ?? {}));
  return {
    openapi: '3.1.0',
    info: { title: 'Durable actors', version: VERSION },
    ...(isTokenRequired ? { security: [{ token: [] }] } : {}),
    paths: {
      '/health': { get: operation('health', { ok: { type: 'object' } }) },
      '/effects': {
        post: operation('completeEffect', { body: COMPLETION, ok: ACK }),
      },
      ...Object.assign({}, ...kinds),
    },
    components: {
      schemas: { Ack: ACK_SCHEMA, Error: ERROR_SCHEMA, View: VIEW_SCHEMA, Row: ROW_SCHEMA },
      ...(isTokenRequired
        ? { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } }
        : {}),
    },
  };
}

function kindPaths(name: string, { machine }: Definition, schemas: KindSchemas): JsonSchema {
  const base = `/kinds/${encodeURIComponent(name)}`;
  const actor = { parameters: [inPath('id')] };
  const input = toJsonSchema(schemas.input);
  const start = { type: 'object', required: ['id'], properties: { id: TEXT, input } };
  const events = machine.events
    .filter((type) => !type.startsWith('xstate.') && type !== '*')
    .map((type) => eventSchema(type, toJsonSchema(schemas.events?.[type])));
  const event = events.length === 0 ? eventSchema(undefined, {}) : { oneOf: events };
  const output = toJsonSchema(schemas.output);
  const done = {
    type: 'object',
    required: ['status', 'output'],
    properties: { status: { const: 'done' }, output },
  };
  const list = ['state', 'status', 'prefix', 'where', 'orderBy', 'descending', 'cursor', 'limit'];
  const rows = (row: JsonSchema) => ({
    type: 'object',
    required: ['rows'],
    properties: { rows: { type: 'array', items: row }, cursor: TEXT },
  });
  return {
    [base]: {
      get: operation(`${name}List`, { query: list, ok: rows(ref('Row')) }),
      post: operation(`${name}Start`, { body: start, ok: ACK, hasKey: true }),
    },
    [`${base}/{id}`]: { ...actor, get: operation(`${name}Query`, { query: ['at'], ok: VIEW }) },
    [`${base}/{id}/events`]: {
      ...actor,
      post: operation(`${name}Send`, { body: event, ok: ACK, hasKey: true, query: ['expect_seq'] }),
    },
    [`${base}/{id}/result`]: {
      ...actor,
      get: operation(`${name}Result`, { query: ['wait_ms'], ok: done, pending: ACTIVE }),
    },
    [`${base}/{id}/journal`]: {
      ...actor,
      get: operation(`${name}Journal`, { query: ['from', 'limit'], ok: rows({ type: 'object' }) }),
    },
    [`${base}/{id}/stop`]: { ...actor, post: operation(`${name}Stop`, { ok: ACK }) },
  };
}

function operation(
  operationId: string,
  o: {
    readonly ok: JsonSchema;
    readonly pending?: JsonSchema;
    readonly body?: JsonSchema;
    readonly query?: readonly string[];
    readonly hasKey?: boolean;
  },
): JsonSchema {
  const { query = [], hasKey = false, body, ok, pending } = o;
  const parameters = [
    ...query.map((name) => ({ name, in: 'query', schema: QUERY[name] ?? TEXT })),
    ...(hasKey ? [{ name: 'Idempotency-Key', in: 'header', schema: TEXT }] : []),
  ];
  return {
    operationId,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: json(body) } }),
    responses: {
      200: { description: 'Done, and on disk', content: json(ok) },
      ...(pending === undefined
        ? {}
        : { 202: { description: 'Not ended yet', content: json(pending) } }),
      default: { description: 'An error', content: json(ref('Error')) },
    },
  };
}

function eventSchema(type: string | undefined, members: JsonSchema): JsonSchema {
  const typed = {
    type: 'object',
    required: ['type'],
    properties: { type: type === undefined ? TEXT : { const: type } },
  };
  // The schema of the members does not know `type`, so it must not refuse it.
  const { additionalProperties: _, ...open } = members;
  return Object.keys(open).length === 0 ? typed : { allOf: [typed, open] };
}

/** Returns the JSON schema of a schema; without one, any value. */
function toJsonSchema(schema: ApiSchema | undefined): JsonSchema {
  if (schema === undefined) return {};
  if (!('~standard' in schema)) return schema;
  const standard = schema['~standard'] as {
    readonly jsonSchema: { input(o: { target: string }): JsonSchema };
  };
  const { $schema: _, ...written } = standard.jsonSchema.input({ target: 'draft-2020-12' });
  return written;
}

const TEXT: JsonSchema = { type: 'string' };
const COUNT: JsonSchema = { type: 'integer', minimum: 0 };
const STATUS: JsonSchema = { enum: ['active', 'done', 'error', 'stopped', 'stuck'] };
const QUERY: Readonly<Record<string, JsonSchema>> = {
  at: COUNT,
  expect_seq: COUNT,
  from: COUNT,
  limit: { type: 'integer', minimum: 0, maximum: 1_000 },
  status: STATUS,
  wait_ms: { type: 'integer', minimum: 0, maximum: RESULT_WAIT_MAX_MS },
};
const ACK_SCHEMA: JsonSchema = {
  type: 'object',
  required: ['seq', 'value', 'status'],
  properties: { seq: COUNT, value: {}, status: STATUS },
};
const ERROR_SCHEMA: JsonSchema = {
  type: 'object',
  required: ['error', 'message'],
  properties: { error: TEXT, message: TEXT, data: { type: 'object' } },
};
const ROW_SCHEMA: JsonSchema = {
  type: 'object',
  required: ['id', 'kind', 'state', 'status', 'seq', 'createdAt', 'at'],
  properties: { id: TEXT, kind: TEXT, state: TEXT, status: STATUS, seq: COUNT, attributes: {} },
};
const VIEW_SCHEMA: JsonSchema = {
  type: 'object',
  required: ['id', 'kind', 'seq', 'status', 'value', 'context'],
  properties: { id: TEXT, kind: TEXT, seq: COUNT, status: STATUS, value: {}, context: {} },
};
const COMPLETION: JsonSchema = {
  type: 'object',
  required: ['token', 'ok'],
  properties: { token: TEXT, ok: { type: 'boolean' }, output: {}, error: { type: 'object' } },
};
const ACTIVE: JsonSchema = { type: 'object', properties: { status: { const: 'active' } } };
const ACK = ref('Ack');
const VIEW = ref('View');

function ref(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

function json(schema: JsonSchema): JsonSchema {
  return { 'application/json': { schema } };
}

function inPath(name: string): JsonSchema {
  return { name, in: 'path', required: true, schema: TEXT };
}
