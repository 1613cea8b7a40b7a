import { isObject } from '../../common/json.ts';

/** Maximum nodes visited per schema, which also bounds recursive references. */
const NODES_MAX = 200;
/** Maximum keywords read per schema node. */
const KEYWORDS_MAX = 60;
/** Maximum number of chained references and choices. */
const STEPS_MAX = 5;
/** Maximum length of a reference, and number of names in it. */
const REFERENCE_CHARS_MAX = 200;
const REFERENCE_NAMES_MAX = 5;

/** A JSON schema as the target wrote it. */
export type Schema = Readonly<Record<string, unknown>>;

/** A member of an object schema. */
interface SchemaMember {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** Returns the value as a schema, or an empty schema if it is not an object. */
export function asSchema(value: unknown): Schema {
  return isObject(value) ? value : {};
}

/** A bounded walk of an untrusted schema. Each part is read once. */
export class SchemaWalk {
  readonly #root: Schema;
  readonly #trimmed = new Map<Schema, Schema>();
  readonly #resolve = new Map<Schema, Schema>();
  readonly #members = new Map<unknown, readonly SchemaMember[]>();
  #left = NODES_MAX;

  constructor(root: Schema) {
    this.#root = root;
  }

  /** Counts one node and returns whether the limit still allows it. */
  enter(): boolean {
    this.#left -= 1;
    return this.#left >= 0;
  }

  /** Resolves a reference or the first of several choices. */
  followed(schema: Schema): Schema {
    const known = this.#resolve.get(schema);
    if (known !== undefined) return known;
    const found = this.#follow(schema);
    this.#resolve.set(schema, found);
    return found;
  }

  /** Returns the members of an object schema in their order, up to the node limit. */
  membersOf({ properties, required }: Schema): readonly SchemaMember[] {
    if (!isObject(properties)) return [];
    const known = this.#members.get(properties);
    if (known !== undefined) return known;
    const needed = new Set<unknown>(Array.isArray(required) ? required : []);
    const names = Object.keys(properties);
    const kept = [
      ...names.filter((name) => needed.has(name)).slice(0, NODES_MAX),
      ...names.filter((name) => !needed.has(name)).slice(0, NODES_MAX),
    ];
    const isKept = new Set(kept);
    const members = names
      .filter((name) => isKept.has(name))
      .map((name) => ({
        name,
        schema: asSchema(properties[name]),
        isRequired: needed.has(name),
      }));
    this.#members.set(properties, members);
    return members;
  }

  #follow(schema: Schema): Schema {
    let current = schema;
    for (let step = 0; step < STEPS_MAX; step += 1) {
      const { $ref } = current;
      const choice = [current['anyOf'], current['oneOf'], current['allOf']].find(Array.isArray);
      if (typeof $ref === 'string') {
        current = { ...this.#without(current, '$ref'), ...this.#trim(this.#lookUp($ref)) };
      } else if (choice !== undefined && current['type'] === undefined) {
        const first = choice.find((one) => isObject(one) && one['type'] !== 'null');
        const rest = this.#without(current, 'anyOf', 'oneOf', 'allOf');
        current = { ...rest, ...this.#trim(asSchema(first)) };
      } else return current;
    }
    return current;
  }

  #lookUp(reference: string): Schema {
    let current: unknown = this.#root;
    const names = reference.slice(0, REFERENCE_CHARS_MAX).replace(/^#\/?/, '').split('/');
    for (const name of names.slice(0, REFERENCE_NAMES_MAX)) {
      current = isObject(current) ? current[name] : undefined;
    }
    return asSchema(current);
  }

  #without(schema: Schema, ...names: readonly string[]): Schema {
    const rows = Object.entries(this.#trim(schema)).filter(([name]) => !names.includes(name));
    return Object.fromEntries(rows);
  }

  #trim(schema: Schema): Schema {
    const known = this.#trimmed.get(schema);
    if (known !== undefined) return known;
    const rows = Object.entries(schema);
    const trimmed =
      rows.length <= KEYWORDS_MAX ? schema : Object.fromEntries(rows.slice(0, KEYWORDS_MAX));
    this.#trimmed.set(schema, trimmed);
    return trimmed;
  }
}
