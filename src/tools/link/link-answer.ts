import { createHash } from 'node:crypto';
import type { Clock } from '../../domain/common/clock.ts';
import { sha256Hex } from '../../domain/common/hash.ts';
import type { JsonObject } from '../../domain/common/json.ts';
import { readableLine } from '../../domain/common/readable.ts';
import { type DataFault, type FaultCode, faultOf } from '../../domain/data/fault.ts';
import { type SourceFacts, SourceList } from '../../domain/data/source.ts';
import { instantText } from '../../domain/data/value.ts';
import { isAnswered, judgeLinks, type LinkFinding } from '../../domain/link/judge.ts';
import type { LinkClass, LinkResult } from '../../domain/link/records.ts';
import type { WordedAnswer } from '../data/data-answer.ts';
import type { CheckedLink } from './check-link.ts';

const METHOD = {
  request: 'HEAD; GET if HEAD gives no accepted status, or to find anchors',
  waits: 'after a 429 one retry, after at most 10 s',
  verdict: 'one FAIL fails all; UNKNOWN means that the link could not be checked',
  sources: 'the SHA-256 is that of the received bytes; a HEAD response has none',
};

/** Classes that prevent a verdict; all other classes are results about the link. */
const FAULTS: Partial<Record<LinkClass, FaultCode>> = {
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
export function linkAnswer(
  tool: string,
  checked: readonly CheckedLink[],
  { clock }: { readonly clock: Clock },
): WordedAnswer {
  const report = judgeLinks(checked.map(findingOf));
  const { results, verdict, reason } = report;
  const isSaid = isAnswered(report);
  const open = results.filter((one) => one.verdict === 'UNKNOWN');
  const sources = new SourceList();
  if (isSaid) {
    sources.idOf(ownSource(results, clock.now()));
    for (const link of checked) {
      const source = sourceOf(link);
      if (source !== undefined) sources.idOf(source);
    }
  }
  return {
    tool,
    headline: `${verdict}: ${reason}`,
    lines: results.filter((one) => one.verdict === 'FAIL').map(lineOf),
    data: isSaid ? (report as unknown as JsonObject) : null,
    sources: sources.records(),
    coverage: {
      asked: results.length,
      answered: isSaid ? results.length - open.length : 0,
      missing: (isSaid ? open : results).map(({ normalized }) => normalized),
    },
    faults: open.map(faultOfLink),
    method: METHOD,
  };
}

function findingOf(checked: CheckedLink): LinkFinding {
  const { response: _response, answeredAt: _answeredAt, ...finding } = checked;
  return finding;
}

function lineOf(one: LinkResult): string {
  const detail = one.detail === undefined ? '' : ` — ${readableLine(one.detail)}`;
  const address = readableLine(one.normalized);
  return `${one.verdict} ${one.status ?? '-'} ${one.class} ${address}${detail}`;
}

function faultOfLink({ normalized, class: found, detail }: LinkResult): DataFault {
  const upstream = URL.canParse(normalized) ? new URL(normalized).host : 'web';
  const code = FAULTS[found] ?? 'upstream_unavailable';
  return faultOf(code, { upstream, detail: `${normalized}: ${detail ?? found}` });
}

/** Returns this server's own observations as a source: an unreachable host gives no bytes. */
function ownSource(results: readonly LinkResult[], now: number): SourceFacts {
  const text = JSON.stringify(results);
  return {
    ...{ upstream: 'stoa', url: 'urn:stoa:link-observations', http_status: null },
    ...{ sha256: sha256Hex(text), bytes: Buffer.byteLength(text) },
    ...{ retrieved_at: instantText(now), revalidated_at: null, from_cache: false },
  };
}

function sourceOf({ response, answeredAt }: CheckedLink): SourceFacts | undefined {
  if (response === undefined || answeredAt === undefined) return undefined;
  const { body, finalUrl, status } = response;
  return {
    ...{ upstream: 'web', url: finalUrl, http_status: status },
    ...{ sha256: createHash('sha256').update(body).digest('hex'), bytes: body.byteLength },
    ...{ retrieved_at: instantText(answeredAt), revalidated_at: null, from_cache: false },
  };
}
