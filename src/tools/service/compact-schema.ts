import { isObject, type JsonObject } from '../../domain/common/json.ts';

/** Keywords that a call is checked by, but that a caller rarely needs to see. */
const CHECK_ONLY = new Set([
  'pattern',
  'format',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'exclusiveMinimum',
  'propertyNames',
  'minimum',
  'maximum',
  'multipleOf',
  'const',
  'additionalProperties',
]);
/** An object with more members than this, nested ones included, is described in words. */
const MEMBERS_MAX = 1;
/** Members of an answer that a listing names. */
const MEMBERS_LISTED_MAX = 12;
/** A longer shape shows its outer members only. */
const SHAPE_CHARS_MAX = 240;
/** More values than this are written as text, which takes half the tokens. */
const VALUES_MAX = 6;
/** More values than this are left to the documentation. */
const VALUES_SHOWN_MAX = 12;

/**
 * Shortens the schema of an input for listings. It accepts everything that the whole schema
 * accepts: patterns and lengths are left out, and the members of large nested objects move to the
 * description. Calls are still checked by the whole schema.
 */
export function compactInput(schema: JsonObject): JsonObject {
  const properties = Object.entries(propertiesOf(schema))
    .filter(([, value]) => value['advanced'] !== true)
    .map(([name, value]) => [name, compactParameter(value)] as const);
  const { required } = schema;
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(Array.isArray(required) && required.length > 0 ? { required } : {}),
  };
}

/**
 * Leaves out patterns, lengths and bounds, and keeps the rest: for parameters whose defaults and
 * values a specification publishes.
 */
export function dropChecks(schema: JsonObject): JsonObject {
  const kept = Object.entries(schema).flatMap(([key, value]) => {
    if (CHECK_ONLY.has(key)) return [];
    return [[key, dropIn(key, value)] as const];
  });
  return Object.fromEntries(kept) as JsonObject;
}

/** Returns the names of the parameters that a compact schema leaves out. */
export function advancedNames(schema: JsonObject): readonly string[] {
  return Object.entries(propertiesOf(schema)).flatMap(([name, value]) =>
    value['advanced'] === true ? [name] : [],
  );
}

/**
 * Shortens the schema of an answer for listings: an object, and the names of the members at its
 * top in words. Answers and other results, such as errors, satisfy it. Members are no properties,
 * because clients compile each listed property: 350 of them take most of the time of a first call.
 */
export function compactOutput(answer: JsonObject): JsonObject {
  const names = new Set(
    branchesOf(answer).flatMap((branch) => [...requiredOf(branch)].map(String)),
  );
  const listed = [...names].slice(0, MEMBERS_LISTED_MAX);
  if (listed.length === 0) return { type: 'object' };
  const rest = names.size > listed.length ? ', …' : '';
  return { type: 'object', description: `Members: ${listed.join(', ')}${rest}` };
}

function compactParameter(schema: JsonObject): JsonObject {
  const { default: _default, ...compacted } = dropChecks(schema);
  if (countMembers(compacted) <= MEMBERS_MAX) return writeValues(compacted);
  const whole = describeShape(schema);
  const shape = whole.length <= SHAPE_CHARS_MAX ? whole : describeShape(schema, 1);
  const description = extendText(schema['description'], `Shape: ${shape}.`);
  return { ...outline(compacted), description };
}

function extendText(text: unknown, more: string): string {
  return typeof text === 'string' ? `${text} ${more}` : more;
}

/** Moves many allowed values to the description. */
function writeValues(schema: JsonObject): JsonObject {
  const { items, description, ...rest } = schema;
  const { enum: values, ...shape } = (isObject(items) ? items : rest) as JsonObject;
  if (!Array.isArray(values) || values.length <= VALUES_MAX) return schema;
  const text = extendText(description, `One of ${values.join(', ')}.`);
  return isObject(items)
    ? { ...rest, items: shape, description: text }
    : { ...shape, description: text };
}

/**
 * Keeps of a large schema its outer type and one member: some model vendors refuse an object
 * without members.
 */
function outline(schema: JsonObject): JsonObject {
  const branches = branchesOf(schema);
  if (branches.length > 1) {
    const types = new Map(branches.map((each) => [each['type'], each]));
    return types.size === 1
      ? outline(branches[0] ?? schema)
      : { anyOf: [...types.values()].map(outline) };
  }
  const [only = schema] = branches;
  if (isObject(only['items'])) return { type: 'array', items: outline(only['items']) };
  const { type } = only;
  if (type !== 'object') return { type };
  const required = requiredOf(only);
  const members = Object.entries(propertiesOf(only));
  const [name, member] = members.find(([each]) => required.has(each)) ?? members[0] ?? [];
  if (name === undefined || member === undefined) return { type };
  const { description } = member;
  return {
    type,
    properties: {
      [name]: { ...outline(member), ...(description === undefined ? {} : { description }) },
    },
  };
}

function dropIn(key: string, value: unknown): unknown {
  if (key === 'properties' && isObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, dropChecks(each as JsonObject)]),
    );
  }
  if (Array.isArray(value) && ['anyOf', 'oneOf', 'allOf'].includes(key)) {
    return value.map((each) => dropChecks(each as JsonObject));
  }
  return isObject(value) && key === 'items' ? dropChecks(value as JsonObject) : value;
}

function countMembers(schema: JsonObject): number {
  const members = Object.values(propertiesOf(schema));
  const nested = [
    ...members,
    ...(isObject(schema['items']) ? [schema['items'] as JsonObject] : []),
    ...(schema['anyOf'] === undefined && schema['oneOf'] === undefined ? [] : branchesOf(schema)),
  ];
  return members.length + nested.reduce((sum, each) => sum + countMembers(each), 0);
}

/**
 * Writes a schema as a type: `{name, kind: one_off|recurring, from_year?: integer}`.
 *
 * @param levels - How many levels of objects to write out; those below are called objects.
 */
function describeShape(schema: JsonObject, levels = Number.POSITIVE_INFINITY): string {
  const branches = branchesOf(schema);
  if (branches.length > 1) return branches.map((each) => describeShape(each, levels)).join(' or ');
  const [only = schema] = branches;
  const { items } = only;
  if (isObject(items)) return `[${describeShape(items as JsonObject, levels)}]`;
  const { enum: values } = only;
  if (Array.isArray(values)) return values.length > VALUES_SHOWN_MAX ? 'string' : values.join('|');
  if (only['const'] !== undefined) return String(only['const'] as string | number | boolean);
  const members = Object.entries(propertiesOf(only));
  if (members.length === 0 || levels === 0)
    return typeof only['type'] === 'string' ? only['type'] : 'any';
  const required = requiredOf(only);
  const parts = members.map(([name, value]) => {
    const type = describeShape(value, levels - 1);
    const mark = required.has(name) ? '' : '?';
    return type === 'string' ? `${name}${mark}` : `${name}${mark}: ${type}`;
  });
  return `{${parts.join(', ')}}`;
}

function branchesOf(schema: JsonObject): readonly JsonObject[] {
  const branches = schema['anyOf'] ?? schema['oneOf'];
  return Array.isArray(branches) ? (branches as JsonObject[]).flatMap(branchesOf) : [schema];
}

function propertiesOf(schema: JsonObject): Readonly<Record<string, JsonObject>> {
  const { properties } = schema;
  return isObject(properties) ? (properties as Record<string, JsonObject>) : {};
}

function requiredOf(schema: JsonObject): ReadonlySet<unknown> {
  return new Set(Array.isArray(schema['required']) ? schema['required'] : []);
}
