import { z } from 'zod';
import { ERRORS } from '../../domain/common/error.ts';
import { isObject } from '../../domain/common/json.ts';
import {
  ErrorShape,
  HOSTING_API_PATH,
  IDEMPOTENCY_KEY_CHARS_MAX,
  IDEMPOTENCY_KEY_HEADER,
} from '../../domain/hosting/api-shapes.ts';
import {
  DeployShape,
  KeyValueShape,
  PostgresShape,
  ServiceShape,
  WorkspaceShape,
} from '../../domain/hosting/shapes.ts';
import type { ApiAct } from './api-reach.ts';
import type { ApiRoute } from './api-route.ts';

/** Shared records, by their schema names in the document. */
const RECORDS: Readonly<Record<string, z.ZodType>> = {
  Workspace: WorkspaceShape,
  Service: ServiceShape,
  Deploy: DeployShape,
  Postgres: PostgresShape,
  KeyValue: KeyValueShape,
  Error: ErrorShape,
};
/** The version of the API, not of the server. It changes with this document. */
const API_VERSION = '1.0.0';
const ERROR_REF = { $ref: '#/components/schemas/Error' };

const TOKEN_REQUIREMENTS: Readonly<Record<ApiAct, string>> = {
  reads: 'Requires a token that includes the toolset.',
  changes: 'Requires a token that includes the toolset and is not read-only.',
  host: 'Requires the operator token, or one that includes the toolset host and is not read-only.',
};

/** A JSON value of the document. */
type DocumentValue = Readonly<Record<string, unknown>>;

/** Builds the OpenAPI 3.1 document of the API from the schemas that parse its requests. */
export function openApiDocument(routes: readonly ApiRoute[]): DocumentValue {
  const paths: Record<string, Record<string, DocumentValue>> = {};
  for (const route of routes) {
    const at = `${HOSTING_API_PATH}${route.path}`;
    paths[at] = { ...paths[at], [route.method.toLowerCase()]: describeOperation(route) };
  }
  const names = Object.entries(RECORDS);
  const schemas = Object.fromEntries(
    names.map(([name, shape]) => [name, toJsonSchema(shape, 'out')]),
  );
  return {
    openapi: '3.1.0',
    info: {
      title: 'Stoa hosting',
      version: API_VERSION,
      description:
        'Operations of a hosting provider, through which another server drives this host. Errors ' +
        'have a code from docs/errors.md. To read the next page, pass the cursor of the last item.',
    },
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas,
      responses: {
        Refused: {
          description: `An error: ${Object.keys(ERRORS).length} codes, each with an HTTP status.`,
          content: { 'application/json': { schema: ERROR_REF } },
        },
      },
    },
  };
}

function describeOperation(route: ApiRoute): DocumentValue {
  const { operation, summary, toolset, act, status, body } = route;
  const parameters = [...pathParameters(route), ...queryParameters(route), ...keyParameter(route)];
  return {
    operationId: operation,
    summary,
    description: `Toolset ${toolset}. ${TOKEN_REQUIREMENTS[act]}`,
    tags: [toolset],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: jsonContent(toJsonSchema(body, 'in')) } }),
    responses: {
      [status]: describeResponse(route),
      default: { $ref: '#/components/responses/Refused' },
    },
  };
}

function describeResponse({ answer, status, type = 'application/json' }: ApiRoute): DocumentValue {
  if (status === 204) return { description: 'Done.' };
  const streamNote =
    type === 'application/json'
      ? ''
      : ' Server-sent events; the data of each event is one JSON line.';
  const schema = withRefs(toJsonSchema(answer, 'out'));
  return { description: `Success.${streamNote}`, content: { [type]: { schema } } };
}

function pathParameters({ path }: ApiRoute): readonly DocumentValue[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters({ query }: ApiRoute): readonly DocumentValue[] {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = toJsonSchema(query, 'in') as {
    readonly properties?: Readonly<Record<string, DocumentValue>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

function keyParameter({ takesKey = false }: ApiRoute): readonly DocumentValue[] {
  if (!takesKey) return [];
  const schema = { type: 'string', minLength: 1, maxLength: IDEMPOTENCY_KEY_CHARS_MAX };
  const description = 'Idempotency key: a request repeated with it returns the first result.';
  return [{ name: IDEMPOTENCY_KEY_HEADER, in: 'header', required: false, description, schema }];
}

function jsonContent(schema: DocumentValue): DocumentValue {
  return { 'application/json': { schema } };
}

/** Converts a schema to JSON Schema. Inputs are described before defaults apply, outputs after. */
function toJsonSchema(shape: z.ZodType, side: 'in' | 'out'): DocumentValue {
  const io = side === 'in' ? 'input' : 'output';
  const { $schema: _dialect, ...schema } = z.toJSONSchema(shape, { io, reused: 'inline' });
  return schema;
}

/** Replaces shared records in a schema with references. */
function withRefs(schema: unknown): DocumentValue {
  return replaceKnown(schema, knownSchemas()) as DocumentValue;
}

function knownSchemas(): ReadonlyMap<string, string> {
  const known = Object.entries(RECORDS).map(
    ([name, shape]) => [JSON.stringify(toJsonSchema(shape, 'out')), name] as const,
  );
  return new Map(known);
}

function replaceKnown(value: unknown, known: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => replaceKnown(item, known));
  if (!isObject(value)) return value;
  const name = known.get(JSON.stringify(value));
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` };
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, replaceKnown(member, known)]),
  );
}
