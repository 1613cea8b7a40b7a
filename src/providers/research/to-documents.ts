import type { UnnumberedSource } from '../../domain/data/source.ts';
import type { SourceReading } from '../../domain/data/upstreams.ts';
import type { FoundDocument } from '../../domain/research/document-search.ts';

/** Converts the rows of an answer to documents, each with the source of the answer. */
export function toDocuments<Row>(
  reading: SourceReading<readonly Row[]>,
  documentOf: (row: Row, source: UnnumberedSource) => FoundDocument | undefined,
): SourceReading<readonly FoundDocument[]> {
  if (!reading.ok) return reading;
  const { value: rows, source } = reading;
  return { ok: true, source, value: rows.flatMap((row) => documentOf(row, source) ?? []) };
}
