import { isObject, type JsonObject } from '../../../src/domain/common/json.ts';
import type { ListedTool } from '../../../src/domain/tool/tool.ts';

/** What a model vendor documents of function calling: each rule names what breaks it. */
export type VendorRule = (tool: ListedTool) => readonly string[];

/** The longest prefix that clients in the matrix put before a name: `mcp__<server>__`. */
const PREFIX = 'mcp__stoa-commerce__';
const NAME_CHARS_MAX = 64;

/** Rules by vendor, from their public documentation of tools. */
export const VENDOR_RULES: Readonly<Record<string, VendorRule>> = {
  'every vendor: names of letters, digits, _ and -, at most 64 with a prefix': ({ name }) =>
    /^[A-Za-z_][A-Za-z0-9_-]*$/.test(name) && PREFIX.length + name.length <= NAME_CHARS_MAX
      ? []
      : [name],
  'OpenAI: a description has at most 1,024 characters': ({ name, description }) =>
    description.length <= 1_024 ? [] : [name],
  'OpenAI and Anthropic: the root is an object without alternatives': ({ name, inputSchema }) =>
    inputSchema['type'] === 'object' &&
    !['anyOf', 'oneOf', 'allOf', 'not', 'enum'].some((key) => key in inputSchema)
      ? []
      : [name],
  'OpenAI: only keywords that its subset knows': (tool) =>
    findIn(tool, (schema) => Object.keys(schema).filter((key) => !OPENAI_KEYWORDS.has(key))),
  'OpenAI: at most 5,000 members and ten levels': (tool) =>
    depthOf(tool.inputSchema) <= 10 ? [] : [tool.name],
  'Anthropic: names of parameters of at most 64 letters, digits, _, . and -': (tool) =>
    findIn(tool, (schema) =>
      Object.keys(propertiesOf(schema)).filter((key) => !/^[A-Za-z0-9_.-]{1,64}$/.test(key)),
    ),
  'Gemini: a schema has one type, or alternatives and nothing that types it': (tool) =>
    findIn(tool, (schema) =>
      typeof schema['type'] === 'string' || Array.isArray(schema['anyOf']) ? [] : ['no type'],
    ),
  'Gemini: arrays have items, objects have members': (tool) =>
    findIn(tool, (schema, path) => {
      const { type, items } = schema;
      if (type === 'array') return isObject(items) ? [] : ['no items'];
      const isEmpty = Object.keys(propertiesOf(schema)).length === 0;
      return type === 'object' && isEmpty && path !== '' ? ['no members'] : [];
    }),
  'Gemini: values of an enum are texts, and what is required exists': (tool) =>
    findIn(tool, ({ enum: values, required, ...schema }) => [
      ...(Array.isArray(values) ? values.filter((each) => typeof each !== 'string') : []),
      ...(Array.isArray(required)
        ? required.filter((each) => !(String(each) in propertiesOf(schema)))
        : []),
    ]),
};

const OPENAI_KEYWORDS = new Set([
  'type',
  'properties',
  'required',
  'description',
  'enum',
  'items',
  'anyOf',
  'default',
]);

/** Applies a check to a tool's input schema and all schemas in it. */
export function findIn(
  { name, inputSchema }: ListedTool,
  check: (schema: JsonObject, path: string) => readonly unknown[],
): readonly string[] {
  return [...walk(inputSchema, '')].flatMap(([path, schema]) =>
    check(schema, path).map((found) => `${name}${path}: ${String(found)}`),
  );
}

function* walk(schema: JsonObject, path: string): Generator<readonly [string, JsonObject]> {
  yield [path, schema];
  for (const [key, value] of Object.entries(propertiesOf(schema))) {
    yield* walk(value, `${path}.${key}`);
  }
  if (isObject(schema['items'])) yield* walk(schema['items'] as JsonObject, `${path}[]`);
  const { anyOf } = schema;
  if (!Array.isArray(anyOf)) return;
  for (const [at, branch] of anyOf.entries()) yield* walk(branch as JsonObject, `${path}|${at}`);
}

/** Returns the members of an object schema. */
export function propertiesOf(schema: JsonObject): Readonly<Record<string, JsonObject>> {
  return (schema['properties'] ?? {}) as Record<string, JsonObject>;
}

function depthOf(schema: JsonObject): number {
  const paths = [...walk(schema, '')].map(([path]) => path.split(/[.[|]/).length);
  return Math.max(...paths);
}
