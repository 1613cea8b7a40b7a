/**
 * Distinct values of one resource that metrics tell apart in an hour; more become {@link OTHER}.
 */
export const LABEL_BOUNDS = { paths: 200, hosts: 20 } as const;
/** What stands for all values beyond a bound. */
export const OTHER = 'other';
/** Most characters of a path in a metric. */
const PATH_CHARS_MAX = 120;

const NUMBER = /^\d+$/;
const HEX = /^(?=.*\d)[0-9a-f]{8,}$/i;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** A long word with digits in it: an id of some kind. */
const TOKEN = /^(?=(?:[^\d]*\d){3})[\w-]{16,}$/;

/**
 * The shape of a path, for metrics: without query, and with `:id` for the parts that are ids, so
 * that `/users/17?tab=2` and `/users/18` count as `/users/:id`.
 */
export function pathShape(path: string): string {
  const bare = path.split(/[?#]/, 1)[0] ?? '';
  const shape = bare
    .slice(0, PATH_CHARS_MAX * 4)
    .split('/')
    .map((part) => (isId(part) ? ':id' : part))
    .join('/');
  return shape.slice(0, PATH_CHARS_MAX) || '/';
}

/**
 * Keeps the number of distinct values of a label within a bound.
 *
 * @returns The value, or {@link OTHER} when the bound is reached and it is not among the known.
 */
export function bounded(known: Set<string>, value: string, most: number): string {
  if (known.has(value)) return value;
  if (known.size >= most) return OTHER;
  known.add(value);
  return value;
}

function isId(part: string): boolean {
  return NUMBER.test(part) || UUID.test(part) || HEX.test(part) || TOKEN.test(part);
}
