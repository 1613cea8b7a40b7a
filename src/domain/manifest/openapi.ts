import { type JsonObject, toJson } from '../common/json.ts';
import { toMoney } from '../common/money.ts';
import type { ManifestFacts } from './facts.ts';
import type { HttpService } from './http-services.ts';

/**
 * Builds the OpenAPI description of the plain HTTP endpoints. Prices are in `x-payment-info`, by
 * which catalogues of paid services find them.
 */
export function buildOpenApi({ origin, title, version, httpServices }: ManifestFacts): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const service of httpServices) {
    const operation = { [service.method.toLowerCase()]: toJson(describeOperation(service)) };
    paths[service.path] = { ...paths[service.path], ...operation };
  }
  return toJson({
    openapi: '3.1.0',
    info: {
      title,
      version,
      description: `The plain HTTP endpoints. The tools are at ${origin}/mcp (MCP).`,
      'x-guidance':
        'Call a priced endpoint without a payment to get its price: HTTP 402 with ' +
        'PAYMENT-REQUIRED (x402 version 2). Repeat the call with PAYMENT-SIGNATURE to pay.',
    },
    servers: [{ url: origin }],
    paths,
    components: { schemas: { Error: ERROR } },
  });
}

const ERROR = {
  type: 'object',
  properties: {
    error: { type: 'string', description: 'Error code.' },
    message: { type: 'string' },
    retry: { enum: ['never', 'after_fix', 'later'] },
    doc: { type: 'string' },
  },
  required: ['error', 'message', 'retry', 'doc'],
} as const;
const JSON_BODY = { 'application/json': { schema: { type: 'object' } } } as const;
const ERROR_BODY = {
  'application/json': { schema: { $ref: '#/components/schemas/Error' } },
} as const;

function describeOperation({ name, method, path, about, price, proof, input }: HttpService) {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, part = '']) => part);
  const parameters = names.map((part) => ({
    name: part,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const body = { 'application/json': { schema: input ?? { type: 'object' } } };
  return {
    operationId: name,
    summary: about,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(method === 'GET' ? {} : { requestBody: { required: true, content: body } }),
    responses: {
      200: { description: 'The answer.', content: JSON_BODY },
      ...(price === 'free'
        ? {}
        : { 402: { description: 'Payment required (x402 version 2).', content: ERROR_BODY } }),
      default: { description: 'An error.', content: ERROR_BODY },
    },
    ...(price === 'free' ? {} : { 'x-payment-info': describePrice(toMoney(price).amount) }),
    'x-proof': proof,
  };
}

function describePrice(amount: string) {
  return { protocols: [{ x402: {} }], price: { mode: 'fixed', currency: 'USD', amount } };
}
