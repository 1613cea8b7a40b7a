import { z } from 'zod';
import { INPUT_CHARS_MAX, textSchema } from '../../domain/hosting/input-text.ts';
import { parseInstant } from '../../domain/hosting/instant.ts';
import { DEFAULT_REGION, REGIONS } from '../../domain/hosting/value-sets.ts';

/** Bounds for the rows of one page. */
export const PAGE_ROWS = { least: 1, most: 100, default: 100 } as const;

/** The workspace parameter of every resource tool. */
export const WorkspaceField = {
  workspaceId: textSchema(
    INPUT_CHARS_MAX.id,
    'the id of a workspace, as list_workspaces returns it',
  )
    .optional()
    .describe('Id from list_workspaces that the user has confirmed.'),
} as const;

/** Returns the schema of a resource id. */
export function idSchema(what: string) {
  return textSchema(INPUT_CHARS_MAX.id, `the id of ${what}`).describe(`The id of ${what}.`);
}

/** Returns the schema of an integer that JSON Schema clients see as a plain `number`. */
export function integerSchema(least: number, most: number) {
  return z.number().min(least).max(most).multipleOf(1);
}

/** Returns the schema of an RFC 3339 time. */
export function timeSchema(what: string) {
  return z
    .string()
    .max(INPUT_CHARS_MAX.time)
    .refine(
      (text) => parseInstant(text) !== undefined,
      'an RFC 3339 time with a zone, such as 2026-01-31T12:00:00Z',
    )
    .meta({ format: 'date-time', description: `${what} RFC 3339.` });
}

/** The cursor parameter of paged lists. */
export const CursorField = {
  cursor: z
    .string()
    .max(INPUT_CHARS_MAX.cursor)
    .optional()
    .describe('Cursor of the previous page.'),
} as const;

/** Paging parameters. The specification does not require them, so both are optional. */
export const PageFields = {
  limit: integerSchema(PAGE_ROWS.least, PAGE_ROWS.most)
    .default(PAGE_ROWS.default)
    .describe('Rows per page.'),
  ...CursorField,
} as const;

/** Returns the provider query for one page. */
export function toPageQuery(input: {
  readonly limit: number;
  readonly cursor?: string | undefined;
}) {
  const { limit, cursor = '' } = input;
  return { limit, ...(cursor === '' ? {} : { cursor }) };
}

/** The region parameter of a new resource. */
export const RegionField = z
  .enum(REGIONS)
  .default(DEFAULT_REGION)
  .describe('Region; only a label on a host that is one machine.');
