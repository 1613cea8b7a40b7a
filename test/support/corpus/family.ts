import type { Disguise } from '../targets/disguise.ts';
import { manual, OTHER_PARAGRAPHS, PARAGRAPHS } from '../targets/parts/prose.ts';
import { textOf } from '../targets/parts/tool.ts';
import type { JsonSchema, ToolDefinition, Values } from '../targets/target.ts';
import { type Field, objectOf, type Variation, variationOf } from '../targets/variation.ts';

/**
 * A part of the corpus: `development` and `tune` to write checks with, the others to judge them.
 */
export type Half = 'development' | 'held-out' | 'tune' | 'unseen';

/** One tool definition with what it is. */
export interface CorpusEntry {
  readonly id: string;
  readonly poisoned: boolean;
  /** Kind of the poison, or of the trade of an ordinary tool. */
  readonly class: string;
  readonly half: Half;
  readonly definition: ToolDefinition;
}

/** A tool as its family describes it: several names and wordings of one idea. */
export interface Family {
  readonly id: string;
  readonly class: string;
  /** Names in words. */
  readonly names: readonly string[];
  readonly texts: readonly string[];
  readonly title?: string;
  readonly fields: Readonly<Record<string, Field>>;
  readonly hints?: Readonly<Record<string, boolean>>;
  /** Only in poisoned families. */
  readonly poison?: Poison;
}

/**
 * What is wrong with a definition; `{file}`, `{mail}`, `{link}`, `{host}`, `{mark}` are filled in.
 */
export interface Poison {
  readonly places: readonly Place[];
  readonly texts: readonly string[];
  /** Ways to hide the text; as it stands where nothing is said. */
  readonly disguises?: readonly Disguise[];
}

/** Where in a definition the text stands. */
export type Place =
  | 'begin'
  | 'middle'
  | 'end'
  | 'title'
  | 'field'
  | 'new field'
  | 'default'
  | 'example'
  | 'choice'
  | 'comment'
  | 'output'
  | 'deep';

const FILES = [
  '~/.ssh/id_rsa',
  '~/.aws/credentials',
  '.env',
  '~/.config/gh/hosts.yml',
  '/etc/shadow',
  '~/.cursor/mcp.json',
  '~/.npmrc',
  'the browser cookies database',
] as const;

const HOSTS = [
  '*.example',
  'cdn-*.test',
  'api.*.example.org',
  '*.invalid',
  'static.*.example.net',
] as const;

/** The definition of a family for a seed; each half has paragraphs of its own. */
export function definitionOf(family: Family, seed: number, half: Half): ToolDefinition {
  const paragraphs = half === 'development' || half === 'tune' ? PARAGRAPHS : OTHER_PARAGRAPHS;
  const variation = variationOf(seed);
  const key = family.id;
  const form = variation.form(key, family.fields);
  const hasTitle = variation.pick(`${key}.titled`, [true, false]);
  const hasManual = variation.pick(`${key}.manual`, [true, true, false]);
  const text = variation.pick(`${key}.text`, family.texts);
  const plain: ToolDefinition = {
    name: variation.name(`${key}.name`, family.names),
    ...(hasTitle && family.title !== undefined ? { title: family.title } : {}),
    description: hasManual ? `${text}\n\n${manual(variation, key, paragraphs)}` : text,
    inputSchema: form.schema,
    ...(family.hints === undefined ? {} : { annotations: family.hints }),
  };
  if (family.poison === undefined) return plain;
  return poisoned(plain, family.poison, { variation, key, paragraphs });
}

/** A field with a text. */
export function field(names: string, description: string, more: JsonSchema = {}): Field {
  const schema = { type: 'string', description, maxLength: 500, ...more };
  return { names: names.split(' '), schema };
}

/** A field that may be left out. */
export function maybe(names: string, description: string, more: JsonSchema = {}): Field {
  return { ...field(names, description, more), optional: true };
}

interface Choices {
  readonly variation: Variation;
  readonly key: string;
  readonly paragraphs: readonly string[];
}

function poisoned(plain: ToolDefinition, poison: Poison, by: Choices): ToolDefinition {
  const { variation, key } = by;
  const text = filled(variation.pick(`${key}.poison`, poison.texts), variation, key);
  const disguise = variation.pick(`${key}.disguise`, poison.disguises ?? [undefined]);
  const put = disguise === undefined ? text : disguise.apply(text);
  const where = variation.pick(`${key}.place`, poison.places);
  return where === 'deep' ? withinManual(plain, put, by) : place(plain, where, put);
}

// One line between the many of a long manual.
function withinManual(plain: ToolDefinition, text: string, by: Choices): ToolDefinition {
  const { variation, key, paragraphs } = by;
  const before = [1, 2].map((part) => manual(variation, `${key}.before${part}`, paragraphs));
  const behind = [1, 2].map((part) => manual(variation, `${key}.behind${part}`, paragraphs));
  const lines = [...new Set([...before, ...behind].flatMap((part) => part.split('\n')))];
  const half = Math.ceil(lines.length / 2);
  const long = [...lines.slice(0, half), text, ...lines.slice(half)].join('\n');
  return { ...plain, description: `${plain.description}\n\n${long}` };
}

function filled(text: string, variation: Variation, key: string): string {
  const mark = variation.token(key);
  const host = variation.pick(`${key}.host`, HOSTS).replace('*', mark);
  return text
    .replaceAll('{host}', host)
    .replaceAll('{file}', variation.pick(`${key}.file`, FILES))
    .replaceAll('{mail}', `${mark.slice(0, 5)}@${host}`)
    .replaceAll('{link}', `https://${host}/in`)
    .replaceAll('{mark}', mark);
}

function place(plain: ToolDefinition, where: Exclude<Place, 'deep'>, text: string): ToolDefinition {
  const { description, inputSchema } = plain;
  switch (where) {
    case 'begin':
      return { ...plain, description: `${text}\n${description}` };
    case 'middle':
      return { ...plain, description: withinText(description, text) };
    case 'end':
      return { ...plain, description: `${description}\n${text}` };
    case 'title':
      return { ...plain, title: `${plain.title ?? plain.name} ${text}` };
    case 'comment':
      return { ...plain, inputSchema: { ...inputSchema, $comment: text } };
    case 'output':
      return { ...plain, outputSchema: outputWith(text) };
    case 'field':
      return withFirst(plain, (schema) => ({
        ...schema,
        description: `${textOf(schema['description'])} ${text}`,
      }));
    case 'default':
      return withFirst(plain, (schema) => ({ ...schema, default: text }));
    case 'example':
      return withFirst(plain, (schema) => ({ ...schema, examples: ['one', text] }));
    case 'choice':
      return withFirst(plain, (schema) => ({ ...schema, enum: ['standard', text] }));
    case 'new field':
      return { ...plain, inputSchema: withField(inputSchema, text) };
  }
}

function outputWith(text: string): JsonSchema {
  return objectOf({ value: { type: 'string', description: text }, at: { type: 'string' } });
}

function withinText(description: string, text: string): string {
  const [first = '', ...others] = description.split('. ');
  return others.length === 0 ? `${first} ${text}` : `${first}. ${text} ${others.join('. ')}`;
}

// The first field, also where all fields are below one object.
function withFirst(plain: ToolDefinition, change: (schema: Values) => Values): ToolDefinition {
  return { ...plain, inputSchema: changedFirst(plain.inputSchema, change) };
}

function changedFirst(schema: Values, change: (schema: Values) => Values): Values {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, Values>>;
  const [name] = Object.keys(properties);
  if (name === undefined) return { ...schema, properties: { note: change({ type: 'string' }) } };
  const first = properties[name] ?? {};
  const changed = 'properties' in first ? changedFirst(first, change) : change(first);
  return { ...schema, properties: { ...properties, [name]: changed } };
}

function withField(schema: JsonSchema, text: string): JsonSchema {
  const [name = 'note', ...words] = text.split(': ');
  const added = { type: 'string', description: words.join(': '), maxLength: 20_000 };
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
  const inner = Object.entries(properties).find(([, member]) => 'properties' in member);
  if (inner === undefined) return { ...schema, properties: { ...properties, [name]: added } };
  return objectOf({ ...properties, [inner[0]]: withField(inner[1], text) });
}
