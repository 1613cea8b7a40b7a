import { isObject } from '../../common/json.ts';
import { simplePattern } from '../safe-pattern.ts';
import { asSchema, type Schema, SchemaWalk } from './schema-walk.ts';

export type { Schema } from './schema-walk.ts';

/** Maximum schema depth. */
const DEPTH_MAX = 5;
/** Characters of a description that are searched for an example. */
const SAID_CHARS_MAX = 2_000;
/** Maximum number of text slots tried per tool. */
export const SLOTS_MAX = 24;

/** A text argument of a tool. */
export interface Slot {
  /** Member names from the top; `0` selects the first item of a list. */
  readonly path: readonly string[];
  readonly name: string;
  readonly description: string;
  readonly schema: Schema;
}

/** Arguments of a call. */
export type Arguments = Readonly<Record<string, unknown>>;

/** Returns the input schema of a tool, or an empty one if the target provides none. */
export function schemaOf(definition: Readonly<Record<string, unknown>>): Schema {
  return isObject(definition['inputSchema']) ? definition['inputSchema'] : {};
}

/**
 * Generates minimal arguments that satisfy a schema, with the canary as free text.
 *
 * @param text - Value of texts without a constraint; letters and digits only.
 */
export function sampleArguments(schema: Schema, text: string): Arguments {
  const made = sample({ ...topOf(schema), text });
  return isObject(made) ? made : {};
}

/** Generates arguments with every member of a schema and every boolean set to true. */
export function fullArguments(schema: Schema, text: string): Arguments {
  const made = sample({ ...topOf(schema), text, isFull: true });
  return isObject(made) ? made : {};
}

/** Returns all free-text slots of a schema, required ones first. */
export function slotsOf(schema: Schema): readonly Slot[] {
  const found = slotsBelow(topOf(schema), []);
  return found.slice(0, SLOTS_MAX);
}

/** Returns the arguments with a value set at one path; missing members on the path are created. */
export function withValue(values: Arguments, path: readonly string[], value: unknown): Arguments {
  return put(values, path, value) as Arguments;
}

/** Returns every leaf member of a schema with its path and description. */
export function listMembers(schema: Schema): readonly Slot[] {
  return membersBelow(topOf(schema), []);
}

/** Returns whether a schema accepts numbers. */
export function isNumeric(schema: Schema): boolean {
  return typesOf(schema).some((type) => type === 'number' || type === 'integer');
}

function topOf(schema: Schema): Place {
  const walk = new SchemaWalk(schema);
  return { schema, walk, text: '', depth: 0, name: '', isFull: false };
}

interface Place {
  /** Optional members are generated too. */
  readonly isFull: boolean;
  readonly schema: Schema;
  readonly walk: SchemaWalk;
  readonly text: string;
  readonly depth: number;
  readonly name: string;
}

function sample(place: Place): unknown {
  const schema = place.walk.followed(place.schema);
  const set = givenValue(schema);
  if (set !== undefined) return set.value;
  const inner = { ...place, schema, depth: place.depth + 1 };
  switch (mainType(schema)) {
    case 'object':
      return place.depth > DEPTH_MAX ? {} : sampleObject(inner);
    case 'array':
      return place.depth > DEPTH_MAX ? [] : sampleList(inner);
    case 'integer':
    case 'number':
      return sampleNumber(schema);
    case 'boolean':
      return place.isFull;
    case 'null':
      return null;
    default:
      return sampleText(schema, place);
  }
}

function sampleObject(place: Place): Arguments {
  const { walk } = place;
  const rows: [string, unknown][] = [];
  for (const { name, schema, isRequired } of walk.membersOf(place.schema)) {
    if (!place.isFull && !isRequired) continue;
    if (!walk.enter()) break;
    rows.push([name, sample({ ...place, schema, name })]);
  }
  return Object.fromEntries(rows);
}

function sampleList(place: Place): unknown[] {
  const { minItems } = place.schema;
  const count = Math.min(typeof minItems === 'number' ? minItems : 1, 3);
  const items = asSchema(place.schema['items']);
  const made: unknown[] = [];
  while (made.length < count && place.walk.enter()) made.push(sample({ ...place, schema: items }));
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

const BY_FORMAT: Readonly<Record<string, (text: string) => string>> = {
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

function sampleText(schema: Schema, { text, name }: Place): string {
  const { format, minLength, maxLength, description } = schema;
  const example = exampleIn(
    typeof description === 'string' ? description.slice(0, SAID_CHARS_MAX) : '',
  );
  const byFormat = typeof format === 'string' ? BY_FORMAT[format]?.(text) : undefined;
  const byName = /ur[il]|link/i.test(name) ? `https://example.com/${text}` : undefined;
  const value = byFormat ?? fitting(schema, [example, byName, text, 'a', '1', '2026-01-15']);
  const long = value.padEnd(typeof minLength === 'number' ? Math.min(minLength, 1_000) : 0, 'a');
  return typeof maxLength === 'number' ? long.slice(0, Math.max(0, maxLength)) : long;
}

function fitting(schema: Schema, candidates: readonly (string | undefined)[]): string {
  const given = candidates.filter((one) => one !== undefined);
  const { pattern } = schema;
  const first = given[0] ?? '';
  if (typeof pattern !== 'string') return first;
  const fits = simplePattern(pattern);
  return fits === undefined ? first : (given.find(fits) ?? first);
}

/** Returns a value that a description gives as an example, such as `notes/today.md`. */
function exampleIn(description: string): string | undefined {
  const found =
    /(?:such as|for example|e\.g\.?,?|example:?|like|z\. ?B\.)\s*["'`“]([^"'`”]{1,80})["'`”]/i.exec(
      description,
    );
  return found?.[1];
}

/** Returns a value that the schema gives: constant, enum member, example or default. */
function givenValue(schema: Schema): { readonly value: unknown } | undefined {
  if ('const' in schema) return { value: schema['const'] };
  for (const member of ['enum', 'examples'] as const) {
    const choices = schema[member];
    if (Array.isArray(choices) && choices.length > 0) return { value: choices[0] };
  }
  return schema['default'] === undefined ? undefined : { value: schema['default'] };
}

function slotsBelow(place: Place, path: readonly string[]): readonly Slot[] {
  return leavesBelow(place, path, takesText);
}

function membersBelow(place: Place, path: readonly string[]): readonly Slot[] {
  return leavesBelow(place, path, () => true);
}

function leavesBelow(
  place: Place,
  path: readonly string[],
  isWanted: (schema: Schema) => boolean,
): readonly Slot[] {
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
      leavesBelow({ ...inner, schema: member, name }, [...path, name], isWanted),
    );
  }
  if (mainType(schema) === 'array' && isObject(schema['items'])) {
    return leavesBelow({ ...inner, schema: schema['items'] }, [...path, '0'], isWanted);
  }
  if (path.length === 0 || !isWanted(schema)) return [];
  const { description } = schema;
  const said = typeof description === 'string' ? description : '';
  return [{ path, name: place.name, description: said, schema }];
}

function takesText(schema: Schema): boolean {
  if ('const' in schema || Array.isArray(schema['enum'])) return false;
  const types = typesOf(schema);
  return types.length === 0 || types.includes('string');
}

function put(value: unknown, path: readonly string[], leaf: unknown): unknown {
  const [head, ...rest] = path;
  if (head === undefined) return leaf;
  if (head === '0') {
    const list = Array.isArray(value) ? value : [];
    return [put(list[0], rest, leaf), ...list.slice(1)];
  }
  const members = isObject(value) ? value : {};
  return { ...members, [head]: put(members[head], rest, leaf) };
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
