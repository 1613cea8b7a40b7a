import { failureToAppError } from '../../domain/alert/source-error.ts';
import type { AppError } from '../../domain/common/error.ts';
import { createDataFailure } from '../../domain/data/data-failure.ts';
import type { UnnumberedSource } from '../../domain/data/source.ts';
import type { AlertSource } from '../../machines/alert/alert-context.ts';

/** Creates the error for a source that answered but has no current value. */
export function noValueError(upstream: string, why: string): AppError {
  return failureToAppError(createDataFailure('stale_data', { upstream, detail: why }));
}

/** Returns the stored provenance of a source answer. */
export function toAlertProof({
  upstream,
  url,
  sha256,
  retrieved_at: first,
  revalidated_at: again,
}: UnnumberedSource): AlertSource {
  return { source: upstream, url, sha256, at: again ?? first };
}
