/** Any plain JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A plain JSON object. */
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/**
 * The members of `T` without its name. An interface cannot be assigned to a `JsonObject`; this can,
 * if all its members are JSON.
 */
type JsonFields<T> = T extends Json | undefined
  ? T
  : unknown extends T
    ? T
    : T extends (...args: never) => unknown
      ? T
      : { readonly [Name in keyof T]: JsonFields<T[Name]> };

/** Returns the same value, typed so that it can be assigned to JSON if all its members are JSON. */
export function toJson<T>(value: T): JsonFields<T> {
  return value as JsonFields<T>;
}

/** Returns whether a value is an object (not null, not an array). */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Formats canonical JSON (RFC 8785): members sorted by UTF-16 code units, no whitespace,
 * `undefined` members omitted. Equal values produce equal text.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map((item) => canonicalJson(item === undefined ? null : item)).join(',')}]`;
  }
  if (!isObject(value)) return JSON.stringify(value);
  let text = '';
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    if (member === undefined) continue;
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

/** Parses JSON text; returns `undefined` if the text is not JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
