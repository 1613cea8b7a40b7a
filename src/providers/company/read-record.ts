import type { Reading } from '../../domain/data/upstreams.ts';
import type {
  Parsed,
  UpstreamAnswer,
  UpstreamReader,
  UpstreamRequest,
} from '../data/upstream-reader.ts';

/** Records that are taken from one answer at the most. */
export const RECORDS_MAX = 20;

/** Reads records, or other rows, with a reader of bodies; what a registry has not is no fault. */
export function readRecords<Row>(
  reader: UpstreamReader,
  request: UpstreamRequest,
  rows: (body: unknown) => readonly Row[] | undefined,
  most = RECORDS_MAX,
): Promise<Reading<readonly Row[]>> {
  return reader.read(request, (answer) => rowsIn(answer, rows, most));
}

function rowsIn<Row>(
  answer: UpstreamAnswer,
  rows: (body: unknown) => readonly Row[] | undefined,
  most: number,
): Parsed<readonly Row[]> {
  const { status } = answer;
  // Registries say 404 for a number that they do not have, as JSON or without a body.
  if (status === 404) return { value: [] };
  const value = status === 200 ? rows(answer.json()) : undefined;
  if (value !== undefined) return { value: value.slice(0, most) };
  return { fault: 'upstream_bad_payload', why: `HTTP ${status} without records.` };
}

/** The day of a date or time; `null` where there is none. */
export function dayOf(text: string | null | undefined): string | null {
  return /^\d{4}-\d{2}-\d{2}/.exec(text ?? '')?.[0] ?? null;
}

/** A time in UTC; `null` where there is none that can be read. */
export function instantOf(text: string | null | undefined): string | null {
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}

/** An address on one line; `null` without any part. */
export function lineOf(parts: readonly (string | null | undefined)[]): string | null {
  const said = parts.flatMap((part) => {
    const text = part?.trim() ?? '';
    return text === '' ? [] : [text];
  });
  return said.length === 0 ? null : said.join(', ');
}
