import { isObject } from '../../common/json.ts';
import { compileSimplePattern } from '../simple-pattern.ts';
import { asSchema, type Schema, SchemaWalk } from './schema-walk.ts';

export type { Schema } from './schema-walk.ts';

/** Maximum schema depth. */
const DEPTH_MAX = 5;
/** Characters of a description that are searched for an example. */
const DESCRIPTION_CHARS_MAX = 2_000;
/** Maximum number of text slots tried per tool. */
export const TEXT_SLOTS_MAX = 24;

/** A text argument of a tool. */
export interface TextSlot {
  /** Member names from the top; `0` selects the first item of a list. */
  readonly path: readonly string[];
  readonly name: string;
  readonly description: string;
  readonly schema: Schema;
}

/** Arguments of a call. */
export type Arguments = Readonly<Record<string, unknown>>;

/** Returns the input schema of a tool, or an empty one if the target provides none. */
export function inputSchemaOf(definition: Readonly<Record<string, unknown>>): Schema {
  return isObject(definition['inputSchema']) ? definition['inputSchema'] : {};
}

/**
 * Generates minimal arguments that satisfy a schema, with the canary as free text.
 *
 * @param text - Value of texts without a constraint; letters and digits only.
 */
export function sampleArguments(schema: Schema, text: string): Arguments {
  const made = sampleValue({ ...startWalk(schema), text });
  return isObject(made) ? made : {};
}

/** Generates arguments with every member of a schema and every boolean set to true. */
export function sampleFullArguments(schema: Schema, text: string): Arguments {
  const made = sampleValue({ ...startWalk(schema), text, isFull: true });
  return isObject(made) ? made : {};
}

/** Returns all free-text slots of a schema, required ones first. */
export function listTextSlots(schema: Schema): readonly TextSlot[] {
  const found = collectTextSlots(startWalk(schema), []);
  return found.slice(0, TEXT_SLOTS_MAX);
}

/** Returns the arguments with a value set at one path; missing members on the path are created. */
export function setAtPath(values: Arguments, path: readonly string[], value: unknown): Arguments {
  return setValue(values, path, value) as Arguments;
}

/** Returns every leaf member of a schema with its path and description. */
export function listMembers(schema: Schema): readonly TextSlot[] {
  return collectMembers(startWalk(schema), []);
}

/** Returns whether a schema accepts numbers. */
export function isNumeric(schema: Schema): boolean {
  return typesOf(schema).some((type) => type === 'number' || type === 'integer');
}

function startWalk(schema: Schema): SchemaNode {
  const walk = new SchemaWalk(schema);
  return { schema, walk, text: '', depth: 0, name: '', isFull: false };
}

interface SchemaNode {
  /** Optional members are generated too. */
  readonly isFull: boolean;
  readonly schema: Schema;
  readonly walk: SchemaWalk;
  readonly text: string;
  readonly depth: number;
  readonly name: string;
}

function sampleValue(node: SchemaNode): unknown {
  const schema = node.walk.followed(node.schema);
  const set = findSchemaValue(schema);
  if (set !== undefined) return set.value;
  const inner = { ...node, schema, depth: node.depth + 1 };
  switch (mainType(schema)) {
    case 'object':
      return node.depth > DEPTH_MAX ? {} : sampleObject(inner);
    case 'array':
      return node.depth > DEPTH_MAX ? [] : sampleList(inner);
    case 'integer':
    case 'number':
      return sampleNumber(schema);
    case 'boolean':
      return node.isFull;
    case 'null':
      return null;
    default:
      return sampleText(schema, node);
  }
}

function sampleObject(place: SchemaNode): Arguments {
  const { walk } = place;
  const rows: [string, unknown][] = [];
  for (const { name, schema, isRequired } of walk.membersOf(place.schema)) {
    if (!place.isFull && !isRequired) continue;
    if (!walk.enter()) break;
    rows.push([name, sampleValue({ ...place, schema, name })]);
  }
  return Object.fromEntries(rows);
}

function sampleList(place: SchemaNode): unknown[] {
  const { minItems } = place.schema;
  const count = Math.min(typeof minItems === 'number' ? minItems : 1, 3);
  const items = asSchema(place.schema['items']);
  const made: unknown[] = [];
  while (made.length < count && place.walk.enter())
    made.push(sampleValue({ ...place, schema: items }));
  return made;
}

function sampleNumber(schema: Schema): number {
  const { minimum, maximum, exclusiveMinimum } = schema;
  const lowest =
    typeof exclusiveMinimum === 'number'
      ? exclusiveMinimum + 1
      : typeof minimum === 'number'
        ? minimum
        : 1;
  return typeof maximum === 'number' ? Math.min(lowest, maximum) : lowest;
}

const SAMPLE_BY_FORMAT: Readonly<Record<string, (text: string) => string>> = {
  uri: (text) => `https://example.com/${text}`,
  url: (text) => `https://example.com/${text}`,
  email: (text) => `${text}@example.com`,
  date: () => '2026-01-15',
  'date-time': () => '2026-01-15T12:00:00Z',
  time: () => '12:00:00Z',
  uuid: () => '00000000-0000-4000-8000-000000000000',
  ipv4: () => '192.0.2.1',
  hostname: () => 'example.com',
};

function sampleText(schema: Schema, { text, name }: SchemaNode): string {
  const { format, minLength, maxLength, description } = schema;
  const example = findExample(
    typeof description === 'string' ? description.slice(0, DESCRIPTION_CHARS_MAX) : '',
  );
  const byFormat = typeof format === 'string' ? SAMPLE_BY_FORMAT[format]?.(text) : undefined;
  const byName = /ur[il]|link/i.test(name) ? `https://example.com/${text}` : undefined;
  const value = byFormat ?? pickMatching(schema, [example, byName, text, 'a', '1', '2026-01-15']);
  const long = value.padEnd(typeof minLength === 'number' ? Math.min(minLength, 1_000) : 0, 'a');
  return typeof maxLength === 'number' ? long.slice(0, Math.max(0, maxLength)) : long;
}

function pickMatching(schema: Schema, candidates: readonly (string | undefined)[]): string {
  const given = candidates.filter((one) => one !== undefined);
  const { pattern } = schema;
  const first = given[0] ?? '';
  if (typeof pattern !== 'string') return first;
  const fits = compileSimplePattern(pattern);
  return fits === undefined ? first : (given.find(fits) ?? first);
}

/** Returns a value that a description gives as an example, such as `notes/today.md`. */
function findExample(description: string): string | undefined {
  const found =
    /(?:such as|for example|e\.g\.?,?|example:?|like|z\. ?B\.)\s*["'`“]([^"'`”]{1,80})["'`”]/i.exec(
      description,
    );
  return found?.[1];
}

/** Returns a value that the schema gives: constant, enum member, example or default. */
function findSchemaValue(schema: Schema): { readonly value: unknown } | undefined {
  if ('const' in schema) return { value: schema['const'] };
  for (const member of ['enum', 'examples'] as const) {
    const choices = schema[member];
    if (Array.isArray(choices) && choices.length > 0) return { value: choices[0] };
  }
  return schema['default'] === undefined ? undefined : { value: schema['default'] };
}

function collectTextSlots(place: SchemaNode, path: readonly string[]): readonly TextSlot[] {
  return collectLeaves(place, path, acceptsFreeText);
}

function collectMembers(place: SchemaNode, path: readonly string[]): readonly TextSlot[] {
  return collectLeaves(place, path, () => true);
}

function collectLeaves(
  place: SchemaNode,
  path: readonly string[],
  isWanted: (schema: Schema) => boolean,
): readonly TextSlot[] {
  const { walk } = place;
  if (place.depth > DEPTH_MAX || !walk.enter()) return [];
  const schema = walk.followed(place.schema);
  const inner = { ...place, depth: place.depth + 1 };
  const members = walk.membersOf(schema);
  if (members.length > 0) {
    const ordered = [
      ...members.filter(({ isRequired }) => isRequired),
      ...members.filter(({ isRequired }) => !isRequired),
    ];
    return ordered.flatMap(({ name, schema: member }) =>
      collectLeaves({ ...inner, schema: member, name }, [...path, name], isWanted),
    );
  }
  if (mainType(schema) === 'array' && isObject(schema['items'])) {
    return collectLeaves({ ...inner, schema: schema['items'] }, [...path, '0'], isWanted);
  }
  if (path.length === 0 || !isWanted(schema)) return [];
  const { description } = schema;
  const descriptionText = typeof description === 'string' ? description : '';
  return [{ path, name: place.name, description: descriptionText, schema }];
}

function acceptsFreeText(schema: Schema): boolean {
  if ('const' in schema || Array.isArray(schema['enum'])) return false;
  const types = typesOf(schema);
  return types.length === 0 || types.includes('string');
}

function setValue(value: unknown, path: readonly string[], leaf: unknown): unknown {
  const [head, ...rest] = path;
  if (head === undefined) return leaf;
  if (head === '0') {
    const list = Array.isArray(value) ? value : [];
    return [setValue(list[0], rest, leaf), ...list.slice(1)];
  }
  const members = isObject(value) ? value : {};
  return { ...members, [head]: setValue(members[head], rest, leaf) };
}

function mainType(schema: Schema): string {
  const types = typesOf(schema).filter((type) => type !== 'null');
  if (types[0] !== undefined) return types[0];
  if (isObject(schema['properties'])) return 'object';
  return typesOf(schema).includes('null') ? 'null' : 'string';
}

function typesOf(schema: Schema): readonly string[] {
  const { type } = schema;
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type.filter((one) => typeof one === 'string') : [];
}
