import type { JsonObject } from '../../domain/common/json.ts';
import type { Tool } from '../../domain/tool/tool.ts';

/** How the tools of a service are reached. */
export type ServiceProtocol = 'mcp' | 'http';

/** The wire form of the extension. */
export interface BazaarExtension {
  readonly bazaar: { readonly info: object; readonly schema: object };
}

/**
 * Returns the `bazaar` extension of a challenge (x402), by which catalogues of facilitators list a
 * tool: its name, description, parameters and an example, with the schema of these facts.
 *
 * @param inputSchema - The parameters as listed.
 */
export function createBazaarExtension(
  { name, title, example = {} }: Tool,
  protocol: ServiceProtocol,
  inputSchema: JsonObject,
): BazaarExtension {
  if (protocol === 'http') {
    const input = { type: 'http', method: 'POST', bodyType: 'json', body: example };
    return { bazaar: { info: { input }, schema: schemaOf(HTTP_INPUT(inputSchema)) } };
  }
  const input = {
    type: 'mcp',
    toolName: name,
    description: title,
    transport: 'streamable-http',
    inputSchema,
    example,
  };
  return { bazaar: { info: { input }, schema: schemaOf(MCP_INPUT) } };
}

/** Returns how catalogues show the seller of a tool. They drop other characters than ASCII. */
export function describeService({ name }: Tool) {
  const category = name.slice(0, Math.max(0, name.indexOf('_')));
  return { serviceName: 'Stoa', tags: ['agents', ...(category === '' ? [] : [category])] };
}

/** Schemas are brief, because models read every challenge. */
const MCP_INPUT = {
  type: 'object',
  required: ['type', 'toolName', 'inputSchema'],
  properties: { type: { const: 'mcp' }, inputSchema: { type: 'object' } },
} as const;

const HTTP_INPUT = (body: JsonObject) => ({
  type: 'object',
  required: ['type', 'method', 'bodyType', 'body'],
  properties: { type: { const: 'http' }, method: { enum: ['POST'] }, body },
});

function schemaOf(input: object) {
  return { type: 'object', required: ['input'], properties: { input } };
}
