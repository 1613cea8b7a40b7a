import type { Clock } from '../../domain/common/clock.ts';
import { type AppError, toAppError } from '../../domain/common/error.ts';
import { pause } from '../../domain/common/pause.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { isAccepted, type StatusRange } from '../../domain/link/accept.ts';
import { classifyError, classifyStatus, type LinkFinding } from '../../domain/link/classify.ts';
import type { EgressPort, EgressResponse } from '../../domain/net/egress.ts';
import { ANCHOR_PAGE_BYTES, anchorOf, findAnchors } from './find-anchors.ts';
import type { FoundLink } from './find-links.ts';

/** Longest Retry-After that is honored, in seconds; once per link. */
export const RETRY_AFTER_MAX_S = 10;
/** Maximum bytes to read on GET when only the status matters. */
const PAGE_BYTES = 1_024;
/** Maximum number of anchors to look for in one page. */
const ANCHORS_MAX = 50;
const DETAIL_CHARS_MAX = 200;

/** A checked link with the deciding response, if there was one. */
export interface CheckedLink extends LinkFinding {
  readonly response?: EgressResponse;
  /** Time of the response, in milliseconds. */
  readonly answeredAt?: number;
}

/** Dependencies and settings of the link check. */
export interface LinkChecker {
  readonly egress: EgressPort;
  readonly clock: Clock;
  readonly accepted: readonly StatusRange[];
  readonly timeoutMs: number;
  readonly redirectsMax: number;
  /** True if pages are searched for the anchors of links. */
  readonly hasAnchors: boolean;
  /** Aborts at the time limit of the call. */
  readonly signal: AbortSignal;
}

/**
 * Checks one link. Uses HEAD, then GET if HEAD gives no accepted status, because many servers
 * answer HEAD wrongly. Retries once after a 429. Never throws.
 */
export async function checkLink(link: FoundLink, checker: LinkChecker): Promise<CheckedLink> {
  const { address } = link;
  if (address === null) return uncheckedLink(link, 'invalid', 'The address cannot be parsed.');
  if (checker.signal.aborted)
    return uncheckedLink(link, 'not_checked', 'The time of the call was up.');
  const tries: Attempts = { attempts: 0, hasWaited: false };
  const head = await request(address, 'HEAD', checker, tries);
  const wanted = checker.hasAnchors ? anchorsOf(link) : new Set<string>();
  const isGet = needsGet(head, checker) || (wanted.size > 0 && isWorking(head, checker));
  const answer = isGet ? await request(address, 'GET', checker, tries) : head;
  const finding = toFinding(link, answer, checker, tries.attempts);
  return wanted.size === 0 ? finding : await withAnchors(finding, answer, wanted);
}

function anchorsOf({ fragments }: FoundLink): ReadonlySet<string> {
  return new Set(fragments.slice(0, ANCHORS_MAX).flatMap((one) => anchorOf(one) ?? []));
}

function isWorking(answer: HttpAnswer, { accepted }: LinkChecker): boolean {
  return 'response' in answer && isAccepted(answer.response.status, accepted);
}

/** Adds anchor results. A page without a wanted anchor fails; other responses stay unknown. */
async function withAnchors(
  finding: CheckedLink,
  answer: HttpAnswer,
  wanted: ReadonlySet<string>,
): Promise<CheckedLink> {
  const works = finding.class === 'ok' || finding.class === 'redirect';
  const page = works && 'response' in answer ? pageOf(answer.response) : undefined;
  const found = page === undefined ? undefined : await findAnchors(page, wanted);
  const anchors = [...wanted].map((anchor) => ({ anchor, found: found?.has(anchor) ?? null }));
  const missing = anchors.filter((one) => one.found === false).map(({ anchor }) => anchor);
  if (missing.length === 0) return { ...finding, anchors };
  const detail = `The page has no anchor ${missing.join(', ')}.`.slice(0, DETAIL_CHARS_MAX);
  return { ...finding, anchors, class: 'anchor_missing', detail };
}

/** Returns the text of a complete HTML page; `undefined` for anything else. */
function pageOf({ headers, body }: EgressResponse): string | undefined {
  const isHtml = /^(text\/html|application\/xhtml\+xml)/i.test(headers['content-type'] ?? '');
  if (!isHtml || body.byteLength >= ANCHOR_PAGE_BYTES) return undefined;
  return new TextDecoder().decode(body);
}

interface Attempts {
  attempts: number;
  hasWaited: boolean;
}

type Method = 'HEAD' | 'GET';
type HttpAnswer = { readonly method: Method; readonly ms: number } & (
  | { readonly response: EgressResponse }
  | { readonly error: AppError }
);

async function request(
  url: URL,
  method: Method,
  checker: LinkChecker,
  tries: Attempts,
): Promise<HttpAnswer> {
  const startedAt = checker.clock.now();
  const answer = await requestOnce(url, method, checker);
  tries.attempts += 1;
  const ms = Math.max(0, checker.clock.now() - startedAt);
  const waitMs = 'response' in answer ? retryDelay(answer.response, tries) : undefined;
  if (waitMs === undefined) return { method, ms, ...answer };
  tries.hasWaited = true;
  await pause(checker.clock, waitMs, checker.signal);
  return request(url, method, checker, tries);
}

async function requestOnce(
  url: URL,
  method: Method,
  checker: LinkChecker,
): Promise<{ response: EgressResponse } | { error: AppError }> {
  try {
    const response = await checker.egress.fetch({
      url: url.href,
      method,
      totalTimeoutMs: checker.timeoutMs,
      redirectsMax: checker.redirectsMax,
      maxBytes: method === 'GET' && checker.hasAnchors ? ANCHOR_PAGE_BYTES : PAGE_BYTES,
      truncate: true,
      signal: checker.signal,
    });
    return { response };
  } catch (thrown) {
    return { error: toAppError(thrown) };
  }
}

function retryDelay(response: EgressResponse, tries: Attempts): number | undefined {
  if (response.status !== 429 || tries.hasWaited) return undefined;
  const seconds = Number(response.headers['retry-after']);
  return seconds >= 0 && seconds <= RETRY_AFTER_MAX_S ? seconds * SECOND_MS : undefined;
}

function needsGet(head: HttpAnswer, checker: LinkChecker): boolean {
  if ('response' in head) {
    const { status } = head.response;
    return !isAccepted(status, checker.accepted) && status !== 429;
  }
  return ['reset', 'protocol'].includes(String(head.error.data['kind']));
}

function toFinding(
  link: FoundLink,
  answer: HttpAnswer,
  checker: LinkChecker,
  attempts: number,
): CheckedLink {
  const base = {
    url: link.url,
    normalized: link.address?.href ?? link.url,
    method: answer.method,
    latency_ms: answer.ms,
    attempts,
  };
  if ('response' in answer) {
    const { status, finalUrl, redirects } = answer.response;
    return {
      ...base,
      status,
      class: classifyStatus(status, checker.accepted, redirects.length),
      final_url: finalUrl,
      redirects: [...redirects],
      reached: true,
      response: answer.response,
      answeredAt: checker.clock.now(),
    };
  }
  const { redirects, url } = answer.error.data;
  const hops = Array.isArray(redirects) ? redirects.map(String) : [];
  const found = classifyError(answer.error);
  return {
    ...base,
    status: null,
    class: found.class,
    final_url: typeof url === 'string' ? url : null,
    redirects: hops,
    reached: found.reached || hops.length > 0,
    detail: describeError(answer.error),
  };
}

function describeError(error: AppError): string {
  const { reason, kind, code, phase } = error.data;
  const facts = [reason, kind, code, phase].filter((fact) => typeof fact === 'string');
  return [error.message, ...facts.map((fact) => `(${fact})`)].join(' ');
}

function uncheckedLink(link: FoundLink, found: LinkFinding['class'], detail: string): LinkFinding {
  return {
    url: link.url,
    normalized: link.address?.href ?? link.url,
    status: null,
    class: found,
    method: null,
    final_url: null,
    redirects: [],
    latency_ms: 0,
    attempts: 0,
    reached: false,
    detail,
  };
}
