import type { SourceFacts } from '../../domain/data/source.ts';
import type { Reading } from '../../domain/data/upstreams.ts';
import type { FoundDocument } from '../../domain/research/document-search.ts';

/** Converts the rows of an answer to documents, each with the source of the answer. */
export function withSource<Row>(
  reading: Reading<readonly Row[]>,
  documentOf: (row: Row, source: SourceFacts) => FoundDocument | undefined,
): Reading<readonly FoundDocument[]> {
  if (!reading.ok) return reading;
  const { value: rows, source } = reading;
  return { ok: true, source, value: rows.flatMap((row) => documentOf(row, source) ?? []) };
}
