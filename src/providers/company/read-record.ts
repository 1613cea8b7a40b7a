import type { SourceReading } from '../../domain/data/upstreams.ts';
import type {
  Parsed,
  UpstreamAnswer,
  UpstreamReader,
  UpstreamRequest,
} from '../data/upstream-reader.ts';

/** Most records that are taken from one answer. */
export const RECORDS_MAX = 20;

/**
 * Reads records or other rows of a registry. An entity that the registry lacks is no failure.
 *
 * @param rows - Returns the rows of an answer's body, or `undefined` if it is malformed.
 */
export function readRecords<Row>(
  reader: UpstreamReader,
  request: UpstreamRequest,
  rows: (body: unknown) => readonly Row[] | undefined,
  most = RECORDS_MAX,
): Promise<SourceReading<readonly Row[]>> {
  return reader.read(request, (answer) => parseRows(answer, rows, most));
}

function parseRows<Row>(
  answer: UpstreamAnswer,
  rows: (body: unknown) => readonly Row[] | undefined,
  most: number,
): Parsed<readonly Row[]> {
  const { status } = answer;
  // Registries answer 404 for a number that they do not have, as JSON or without a body.
  if (status === 404) return { value: [] };
  const value = status === 200 ? rows(answer.json()) : undefined;
  if (value !== undefined) return { value: value.slice(0, most) };
  return { fault: 'upstream_bad_payload', why: `HTTP ${status} without records.` };
}

/** Returns the day of a date or time, or `null` if there is none. */
export function parseDay(text: string | null | undefined): string | null {
  return /^\d{4}-\d{2}-\d{2}/.exec(text ?? '')?.[0] ?? null;
}

/** Returns a time in UTC, or `null` if it cannot be parsed. */
export function normalizeInstant(text: string | null | undefined): string | null {
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}

/** Returns an address on one line, or `null` without any part. */
export function joinAddress(parts: readonly (string | null | undefined)[]): string | null {
  const presentParts = parts.flatMap((part) => {
    const text = part?.trim() ?? '';
    return text === '' ? [] : [text];
  });
  return presentParts.length === 0 ? null : presentParts.join(', ');
}
