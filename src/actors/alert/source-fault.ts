import { errorOfFault } from '../../domain/alert/source-error.ts';
import type { AppError } from '../../domain/common/error.ts';
import { faultOf } from '../../domain/data/fault.ts';
import type { SourceFacts } from '../../domain/data/source.ts';
import type { AlertProof } from '../../machines/alert/alert-facts.ts';

/** Creates the error for a source that answered but has no current value. */
export function noFigure(upstream: string, why: string): AppError {
  return errorOfFault(faultOf('stale_data', { upstream, detail: why }));
}

/** Returns the stored provenance of a source answer. */
export function proofOf({
  upstream,
  url,
  sha256,
  retrieved_at: first,
  revalidated_at: again,
}: SourceFacts): AlertProof {
  return { source: upstream, url, sha256, at: again ?? first };
}
