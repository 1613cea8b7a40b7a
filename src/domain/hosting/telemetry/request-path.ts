/**
 * Maximum number of distinct values per resource and hour. Further values become
 * {@link OTHER_VALUES}.
 */
export const LABEL_BOUNDS = { paths: 200, hosts: 20 } as const;
/** Replaces all values beyond a limit. */
export const OTHER_VALUES = 'other';
/** Maximum length of a path in a metric, in characters. */
const PATH_CHARS_MAX = 120;

const NUMBER = /^\d+$/;
const HEX = /^(?=.*\d)[0-9a-f]{8,}$/i;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Matches a long word with digits, which is probably an id. */
const TOKEN = /^(?=(?:[^\d]*\d){3})[\w-]{16,}$/;

/**
 * Normalizes a path for metrics: drops the query and replaces ids by `:id`. `/users/17?tab=2` and
 * `/users/18` both become `/users/:id`.
 */
export function normalizePath(path: string): string {
  const bare = path.split(/[?#]/, 1)[0] ?? '';
  const shape = bare
    .slice(0, PATH_CHARS_MAX * 4)
    .split('/')
    .map((part) => (isIdSegment(part) ? ':id' : part))
    .join('/');
  return shape.slice(0, PATH_CHARS_MAX) || '/';
}

/**
 * Limits the number of distinct values of a label.
 *
 * @returns The value, or {@link OTHER_VALUES} if the limit is reached and the value is new.
 */
export function limitValues(knownValues: Set<string>, value: string, max: number): string {
  if (knownValues.has(value)) return value;
  if (knownValues.size >= max) return OTHER_VALUES;
  knownValues.add(value);
  return value;
}

function isIdSegment(part: string): boolean {
  return NUMBER.test(part) || UUID.test(part) || HEX.test(part) || TOKEN.test(part);
}
