import { errorOfFault } from '../../domain/alert/source-error.ts';
import type { AppError } from '../../domain/common/error.ts';
import { faultOf } from '../../domain/data/fault.ts';
import type { SourceFacts } from '../../domain/data/source.ts';
import type { AlertProof } from '../../machines/alert/alert-facts.ts';

/** A source that answered, and has no figure that holds now. */
export function noFigure(upstream: string, why: string): AppError {
  return errorOfFault(faultOf('stale_data', { upstream, detail: why }));
}

/** What is kept of an answer that a value was made from. */
export function proofOf({
  upstream,
  url,
  sha256,
  retrieved_at: first,
  revalidated_at: again,
}: SourceFacts): AlertProof {
  return { source: upstream, url, sha256, at: again ?? first };
}
