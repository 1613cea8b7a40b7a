import { createHash } from 'node:crypto';
import type { Clock } from '../../domain/common/clock.ts';
import { sha256Hex } from '../../domain/common/hash.ts';
import { toJson } from '../../domain/common/json.ts';
import { toReadableLine } from '../../domain/common/readable.ts';
import { toIsoTime } from '../../domain/common/time.ts';
import {
  createDataFailure,
  type DataFailure,
  type FailureCode,
} from '../../domain/data/data-failure.ts';
import { SourceList, type UnnumberedSource } from '../../domain/data/source.ts';
import { buildLinkReport, isBillable, type LinkFinding } from '../../domain/link/classify.ts';
import type { LinkClass, LinkResult } from '../../domain/link/records.ts';
import type { ReadableAnswer } from '../data/data-answer.ts';
import type { CheckedLink } from './check-link.ts';

const METHOD = {
  request: 'HEAD; GET if HEAD gives no accepted status, or to find anchors',
  waits: 'after a 429 one retry, after at most 10 s',
  verdict: 'one FAIL fails all; UNKNOWN means that the link could not be checked',
  sources: 'the SHA-256 is that of the received bytes; a HEAD response has none',
};

/** Classes that prevent a verdict; all other classes are results about the link. */
const FAULTS: Partial<Record<LinkClass, FailureCode>> = {
  rate_limited: 'rate_limited',
  ssrf_blocked: 'ssrf_blocked',
  not_checked: 'deadline_exceeded',
  timeout: 'upstream_timeout',
  dns: 'upstream_unavailable',
  tls: 'upstream_unavailable',
  connection: 'upstream_unavailable',
  protocol: 'upstream_bad_payload',
  redirect_loop: 'too_many_redirects',
};

/** Converts checked links to the answer of a data tool. */
export function toDataAnswer(
  tool: string,
  checked: readonly CheckedLink[],
  { clock }: { readonly clock: Clock },
): ReadableAnswer {
  const report = buildLinkReport(checked.map(findingOf));
  const { results, verdict, reason } = report;
  const isSaid = isBillable(report);
  const open = results.filter((one) => one.verdict === 'UNKNOWN');
  const sources = new SourceList();
  if (isSaid) {
    sources.assignId(observationSource(results, clock.now()));
    for (const link of checked) {
      const source = sourceOf(link);
      if (source !== undefined) sources.assignId(source);
    }
  }
  return {
    tool,
    headline: `${verdict}: ${reason}`,
    lines: results.filter((one) => one.verdict === 'FAIL').map(lineOf),
    data: isSaid ? toJson(report) : null,
    sources: sources.records(),
    coverage: {
      asked: results.length,
      answered: isSaid ? results.length - open.length : 0,
      missing: (isSaid ? open : results).map(({ normalized }) => normalized),
    },
    faults: open.map(toFault),
    method: METHOD,
  };
}

function findingOf(checked: CheckedLink): LinkFinding {
  const { response: _response, answeredAt: _answeredAt, ...finding } = checked;
  return finding;
}

function lineOf(one: LinkResult): string {
  const detail = one.detail === undefined ? '' : ` — ${toReadableLine(one.detail)}`;
  const address = toReadableLine(one.normalized);
  return `${one.verdict} ${one.status ?? '-'} ${one.class} ${address}${detail}`;
}

function toFault({ normalized, class: found, detail }: LinkResult): DataFailure {
  const upstream = URL.canParse(normalized) ? new URL(normalized).host : 'web';
  const code = FAULTS[found] ?? 'upstream_unavailable';
  return createDataFailure(code, { upstream, detail: `${normalized}: ${detail ?? found}` });
}

/** Returns this server's own observations as a source: an unreachable host gives no bytes. */
function observationSource(results: readonly LinkResult[], now: number): UnnumberedSource {
  const text = JSON.stringify(results);
  return {
    upstream: 'stoa',
    url: 'urn:stoa:link-observations',
    http_status: null,
    sha256: sha256Hex(text),
    bytes: Buffer.byteLength(text),
    retrieved_at: toIsoTime(now),
    revalidated_at: null,
    from_cache: false,
  };
}

function sourceOf({ response, answeredAt }: CheckedLink): UnnumberedSource | undefined {
  if (response === undefined || answeredAt === undefined) return undefined;
  const { body, finalUrl, status } = response;
  return {
    upstream: 'web',
    url: finalUrl,
    http_status: status,
    sha256: createHash('sha256').update(body).digest('hex'),
    bytes: body.byteLength,
    retrieved_at: toIsoTime(answeredAt),
    revalidated_at: null,
    from_cache: false,
  };
}
