import type { DataFailure } from '../../domain/data/data-failure.ts';
import type { SourceReading } from '../../domain/data/upstreams.ts';
import { matchesTopic } from '../../domain/news/topic.ts';
import type { PageContent, PageReader } from '../../domain/page/page-reader.ts';
import { createFinding, type LensResult } from '../../domain/vetting/lens.ts';
import { parseSiteHost } from '../../domain/vetting/site.ts';
import {
  checkCertificate,
  checkHeaders,
  checkSecurityText,
  createObservation,
  type SiteObservation,
} from '../../domain/vetting/web-posture.ts';
import { CitedSources } from '../vetting/cited-sources.ts';
import { emptyResult, type Lens, type VettingSubject } from '../vetting/lenses.ts';
import type { DiligencePorts } from './diligence-ports.ts';
import { createNewsTopic } from './media.ts';

/** Path of the security contact file (RFC 9116). */
const SECURITY_TEXT = '/.well-known/security.txt';
const COVERAGE_NOTE =
  'Observed from outside without probing or running scripts. Headers show what a site asks of ' +
  'browsers, not how safe it is.';
/** An empty first page is accepted, because scripts may fill it. */
const MAY_BE_EMPTY = { mayBeEmpty: true };

/**
 * Reports what anyone can see of the company's site: https, headers, security.txt, and its name.
 */
export const webPresence: Lens<DiligencePorts> = async (subject, { pages, clock }, limits) => {
  const site = findSite(subject);
  if (site === undefined) {
    const note = 'No website was given, and no registry lists one.';
    return emptyResult('no_data', note);
  }
  const { host, by } = site;
  const read = (url: string) => pages.read(url, limits.deadline, MAY_BE_EMPTY);
  const searched = [`https://${host}/ and http://${host}/, according to ${by}`];
  const [secure, plain] = await Promise.all([read(`https://${host}/`), read(`http://${host}/`)]);
  const main = secure.ok ? secure : plain;
  if (!main.ok) {
    const faults = [secure, plain].flatMap((one) => (one.ok ? [] : [one.fault]));
    const note = `${host} could not be read, so its site was not checked.`;
    return emptyResult('failed', note, { searched, faults });
  }
  const url = new URL(main.value.finalUrl);
  const text = await read(new URL(SECURITY_TEXT, url).href);
  const cited = new CitedSources();
  const now = clock.now();
  const findings = [
    ...toFindings(checkTransport({ host, secure, plain }), main, cited),
    ...toFindings(checkCertificates(main.value, url, now), main, cited),
    ...toFindings(checkHeaders(main.value.headers, url), main, cited),
    ...(text.ok ? toFindings([textSeen(text.value, url.host, now)], text, cited) : []),
    ...toFindings(isMissing(text) ? [missingSecurityText(url.host)] : [], main, cited),
    ...toFindings([checkCompanyName(subject, main.value, url.host)], main, cited),
  ];
  const faults = [secure, plain, ...(isMissing(text) ? [] : [text])].flatMap(faultIn);
  return {
    status: faults.length === 0 ? 'ok' : 'partial',
    note:
      faults.length === 0 ? COVERAGE_NOTE : `${COVERAGE_NOTE} Unanswered parts were not checked.`,
    findings,
    figures: [],
    sources: cited.list,
    faults,
    searched: [...searched, `${SECURITY_TEXT} of ${url.host}`],
  };
};

/** The buyer's value takes precedence over registry records. */
function findSite({ website, records = [] }: VettingSubject) {
  const named = [
    { text: website, by: 'the buyer' },
    ...records.map((record) => ({ text: record.website ?? undefined, by: record.registry })),
  ];
  for (const { text, by } of named) {
    const host = text === undefined ? undefined : parseSiteHost(text);
    if (host !== undefined) return { host, by };
  }
  return undefined;
}

type Page = Awaited<ReturnType<PageReader['read']>>;

interface TransportReads {
  readonly host: string;
  readonly secure: Page;
  readonly plain: Page;
}

/** Reports whether pages are encrypted. A mere timeout of https is not a finding. */
function checkTransport({ host, secure, plain }: TransportReads): readonly SiteObservation[] {
  const found: SiteObservation[] = [];
  if (secure.ok) {
    const { finalUrl } = secure.value;
    found.push(
      finalUrl.startsWith('https:')
        ? createObservation(
            'https',
            'info',
            `https://${host}/ answers${redirectNote(finalUrl, host)}.`,
          )
        : createObservation(
            'https_left',
            'medium',
            `https://${host}/ redirects to an unencrypted page.`,
          ),
    );
  } else if (CONNECTION_FAILED.test(secure.fault.detail)) {
    const claim = `http://${host}/ answers, but https does not: ${secure.fault.detail}.`;
    found.push(createObservation('no_https', 'medium', claim));
  }
  if (!plain.ok || !secure.ok) return found;
  const leads = plain.value.finalUrl.startsWith('https:');
  const claim = `http://${host}/ ${leads ? 'redirects' : 'does not redirect'} to https.`;
  return [
    ...found,
    createObservation(leads ? 'http_leads_on' : 'http_stays', leads ? 'info' : 'low', claim),
  ];
}

/** Matches the egress error details of failed connections. */
const CONNECTION_FAILED = /\((?:tls|connect)\)/;

function redirectNote(finalUrl: string, host: string): string {
  const there = new URL(finalUrl).host;
  return there === host ? '' : ` and redirects to ${there}`;
}

function checkCertificates(
  page: PageContent,
  { host }: URL,
  now: number,
): readonly SiteObservation[] {
  return page.certificate === null ? [] : [checkCertificate(page.certificate, host, now)];
}

/** Servers that answer every path with a page have no security.txt. */
function textSeen(page: PageContent, host: string, now: number): SiteObservation {
  return page.engine === 'plain'
    ? checkSecurityText(page.text, host, now)
    : missingSecurityText(host);
}

function missingSecurityText(host: string): SiteObservation {
  return createObservation('no_security_txt', 'info', `${host} has no security.txt.`);
}

function isMissing(text: Page): boolean {
  return !text.ok && text.fault.code === 'not_found';
}

function checkCompanyName({ name, records = [] }: VettingSubject, page: PageContent, host: string) {
  const names = [name, ...records.map((record) => record.entity_name)];
  const text = `${page.title ?? ''} ${page.text}`;
  const isNamed = names.some((one) => matchesTopic(text, createNewsTopic(one)));
  return isNamed
    ? createObservation('name_on_site', 'info', `The first page of ${host} names the company.`)
    : createObservation(
        ...(['name_not_on_site', 'low'] as const),
        `The first page of ${host} does not name the company in its text without scripts.`,
      );
}

function toFindings(
  all: readonly SiteObservation[],
  reading: SourceReading<PageContent>,
  cited: CitedSources,
): LensResult['findings'] {
  if (!reading.ok) return [];
  return all.map(({ rule, severity, claim }) =>
    createFinding(rule, severity, claim, cited.indexOf(reading.source)),
  );
}

function faultIn(reading: Page): readonly DataFailure[] {
  return reading.ok ? [] : [reading.fault];
}
