import type { DataFault } from '../../domain/data/fault.ts';
import type { SourceFacts } from '../../domain/data/source.ts';
import { AppError, type ErrorCode } from '../../domain/error.ts';
import type { AlertProof } from '../../machines/parts/alert-facts.ts';

/** The error that stands for a fault of a source, with the fault in its data. */
export function errorOfFault(fault: DataFault): AppError {
  const { upstream, code, detail } = fault;
  const message = `${upstream}: ${detail}`;
  const received = { path: 'subject', received: upstream, allowed: detail };
  const known = ERRORS[code];
  if (known === 'INPUT_INVALID') return new AppError(known, { message, data: received });
  const kind = KINDS[code] ?? 'upstream';
  return new AppError(known ?? 'EGRESS_FAILED', { message, data: { kind, fault } });
}

/** A source that answered, and has no figure. */
export function noFigure(upstream: string, why: string): AppError {
  return new AppError('EGRESS_FAILED', {
    message: `${upstream}: ${why}`,
    data: { kind: 'no_data', upstream },
  });
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

const ERRORS: Partial<Record<DataFault['code'], ErrorCode>> = {
  invalid_input: 'INPUT_INVALID',
  unknown_symbol: 'INPUT_INVALID',
  not_configured: 'NOT_CONFIGURED',
  upstream_timeout: 'EGRESS_TIMEOUT',
  deadline_exceeded: 'EGRESS_TIMEOUT',
  ssrf_blocked: 'EGRESS_BLOCKED',
  too_large: 'EGRESS_TOO_LARGE',
};

const KINDS: Partial<Record<DataFault['code'], string>> = {
  upstream_bad_payload: 'payload',
  too_deep: 'payload',
  market_closed: 'closed',
  stale_data: 'no_data',
};
