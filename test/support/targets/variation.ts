import { seeded } from '../seeded.ts';
import type { JsonSchema, Values } from './target.ts';

/** Choices of one seed. Ten seeds in a row go through every choice of a list of up to ten. */
export interface Variation {
  readonly seed: number;
  /** Chooses from a list; equal keys choose alike. */
  pick<T>(key: string, choices: readonly T[]): T;
  /** A tool's name from its words, in the style of this variant. */
  name(key: string, choices: readonly string[]): string;
  /** A value that only this seed has, such as a canary. */
  token(key: string): string;
  /** Fields of a tool, renamed and put at the top or below one object. */
  form<Key extends string>(key: string, fields: Record<Key, Field>): Form<Key>;
}

/** One field of a tool. */
export interface Field {
  /** Names it may have. */
  readonly names: readonly string[];
  readonly schema: JsonSchema;
  readonly optional?: boolean;
}

/** The arguments of a tool under the names of a variant. */
export interface Form<Key extends string> {
  readonly schema: JsonSchema;
  /** What a field is called. */
  nameOf(key: Key): string;
  /** Reads arguments back under our own names. */
  read(values: Values): Readonly<Partial<Record<Key, unknown>>>;
  /** Writes arguments under the names of the variant. */
  write(values: Readonly<Partial<Record<Key, unknown>>>): Values;
}

/** Gives the choices of a seed. */
export function variationOf(seed: number): Variation {
  const pick: Variation['pick'] = (key, choices) => choose(seed, key, choices);
  const style = choose(seed, 'naming', NAMING);
  return {
    seed,
    pick,
    name: (key, choices) => style(pick(key, choices)),
    token: (key) => tokenOf(seed, key),
    form: (key, fields) => formOf(fields, pick, pick(`${key}.place`, PLACES)),
  };
}

/** A number that belongs to a text. */
export function numberOf(text: string): number {
  let value = 2166136261;
  for (const unit of text) value = Math.imul(value ^ (unit.codePointAt(0) ?? 0), 16777619) >>> 0;
  return value;
}

const NAMING: readonly ((words: string) => string)[] = [
  (words) => words.replaceAll(' ', '_'),
  (words) => words.replaceAll(' ', '-'),
  (words) => words.replace(/ (.)/g, (_all, letter: string) => letter.toUpperCase()),
  (words) => `app_${words.replaceAll(' ', '_')}`,
  (words) => `${words.replaceAll(' ', '_')}_v2`,
];

/** The object that holds the fields; empty for the top. */
const PLACES = ['', 'input', '', 'request', '', 'options', 'query', '', 'params', ''] as const;

// Each block of as many seeds as there are choices goes through all of them, in an order of its
// own.
function choose<T>(seed: number, key: string, choices: readonly T[]): T {
  const count = choices.length;
  const random = seeded(numberOf(key) + Math.floor(seed / count));
  const order = choices.map((_choice, index) => index);
  for (let index = count - 1; index > 0; index -= 1) {
    const other = Math.floor(random() * (index + 1));
    [order[index], order[other]] = [order[other] ?? 0, order[index] ?? 0];
  }
  return choices[order[seed % count] ?? 0] as T;
}

function tokenOf(seed: number, key: string): string {
  const random = seeded(numberOf(`${key}/${seed}`));
  const letters = 'bcdfghjkmnpqrstvwxz23456789';
  return Array.from({ length: 12 }, () => letters[Math.floor(random() * letters.length)]).join('');
}

function formOf<Key extends string>(
  fields: Record<Key, Field>,
  pick: Variation['pick'],
  wanted: string,
): Form<Key> {
  const keys = Object.keys(fields) as Key[];
  const place = keys.length === 0 ? '' : wanted;
  const names = new Map<Key, string>();
  for (const key of keys) {
    const field = fields[key];
    const taken = new Set(names.values());
    const chosen = pick(`field.${key}`, field.names);
    const free = taken.has(chosen) ? field.names.find((name) => !taken.has(name)) : chosen;
    names.set(key, free ?? `${chosen}_${names.size}`);
  }
  const nameOf = (key: Key): string => names.get(key) ?? key;
  const inner: JsonSchema = {
    type: 'object',
    properties: Object.fromEntries(keys.map((key) => [nameOf(key), fields[key].schema])),
    required: keys.filter((key) => fields[key].optional !== true).map(nameOf),
    additionalProperties: false,
  };
  return {
    nameOf,
    schema: place === '' ? inner : objectOf({ [place]: inner }),
    read: (values) => {
      const held = (place === '' ? values : values[place]) as Values | undefined;
      return Object.fromEntries(keys.map((key) => [key, held?.[nameOf(key)]])) as Partial<
        Record<Key, unknown>
      >;
    },
    write: (values) => {
      const held = Object.fromEntries(
        keys.filter((key) => values[key] !== undefined).map((key) => [nameOf(key), values[key]]),
      );
      return place === '' ? held : { [place]: held };
    },
  };
}

/** A schema of an object whose members are all needed. */
export function objectOf(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

/** A bounded text. */
export function textField(description: string, maxLength = 200): JsonSchema {
  return { type: 'string', description, minLength: 1, maxLength };
}

/** A whole number between two bounds. */
export function countField(description: string, minimum: number, maximum: number): JsonSchema {
  return { type: 'integer', description, minimum, maximum };
}

/** One of the texts. */
export function choiceField(description: string, choices: readonly string[]): JsonSchema {
  return { type: 'string', description, enum: choices };
}
