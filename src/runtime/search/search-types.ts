/** Type of a search attribute. */
export type SearchType = 'string' | 'number' | 'boolean';

/** A value of an attribute. A text has at most `SEARCH_CHARS_MAX` characters, none of control. */
export type SearchValue = string | number | boolean;

/** Maximum characters of a text that can be searched. */
export const SEARCH_CHARS_MAX = 256;

/** An attribute by which actors are found. `of` computes it from the context. */
export type SearchAttribute<Context = never> =
  | { readonly type: 'string'; of(context: Context): string | undefined }
  | { readonly type: 'number'; of(context: Context): number | undefined }
  | { readonly type: 'boolean'; of(context: Context): boolean | undefined };

/**
 * The search attributes of a kind, by name. They change with the actor's row, in one commit. An
 * attribute whose function throws, or returns `undefined`, is absent.
 */
export type SearchAttributes<Context = never> = Readonly<Record<string, SearchAttribute<Context>>>;

/** The types of search attributes, by name. */
export type SearchTypes = Readonly<
  Record<string, { readonly type: SearchType; readonly of?: unknown }>
>;

/** Values from `from` to `to`, both included. */
export interface SearchRange<Value extends SearchValue = SearchValue> {
  readonly from?: Value;
  readonly to?: Value;
}

/** Conditions on attributes, all of which must hold: a value, or a range. */
export type SearchWhere = Readonly<Record<string, SearchValue | SearchRange>>;

/** What a query asks of search attributes. It needs `kind`. */
export interface SearchQuery {
  /** Conditions on attributes of the kind. */
  readonly where?: SearchWhere;
  /** Attribute to sort by; actors without it are left out. Default: by id. */
  readonly orderBy?: string;
  /** Sorts from the highest value, or the last id, on. */
  readonly descending?: boolean;
}

/** The values of an actor's attributes. */
export type SearchValues = Readonly<Record<string, SearchValue>>;

/** A query typed by the attributes of a kind. */
export interface SearchQueryOf<Types> {
  /** Conditions on attributes, all of which must hold: a value, or a range with both ends. */
  readonly where?: {
    readonly [Name in keyof Types]?: ValueOf<Types[Name]> | SearchRange<ValueOf<Types[Name]>>;
  };
  /** Attribute to sort by; actors without it are left out. Default: by id. */
  readonly orderBy?: keyof Types & string;
  /** Sorts from the highest value, or the last id, on. */
  readonly descending?: boolean;
}

type ValueOf<Attribute> = Attribute extends { readonly type: infer Type }
  ? Type extends 'string'
    ? string
    : Type extends 'number'
      ? number
      : boolean
  : never;
