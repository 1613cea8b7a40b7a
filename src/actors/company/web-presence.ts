import type { DataFault } from '../../domain/data/fault.ts';
import type { Reading } from '../../domain/data/upstreams.ts';
import { isAbout } from '../../domain/news/topic.ts';
import type { PageReader, ReadPage } from '../../domain/page/page-reader.ts';
import { findingOf, type LensResult } from '../../domain/vetting/lens.ts';
import { siteHostOf } from '../../domain/vetting/site.ts';
import {
  certificateSeen,
  headersSeen,
  type SeenOfSite,
  securityTextSeen,
  seen,
} from '../../domain/vetting/web-posture.ts';
import { Cited } from '../vetting/cited.ts';
import { emptyResult, type Lens, type VettingSubject } from '../vetting/lenses.ts';
import type { DiligencePorts } from './diligence-ports.ts';
import { newsTopicOf } from './media.ts';

/** Path of the security contact file (RFC 9116). */
const SECURITY_TEXT = '/.well-known/security.txt';
const SEEN_ALONE =
  'Observed from outside without probing or running scripts. Headers show what a site asks of ' +
  'browsers, not how safe it is.';
/** An empty first page is accepted, because scripts may fill it. */
const MAY_BE_EMPTY = { mayBeEmpty: true };

/**
 * Reports what anyone can see of the company's site: https, headers, security.txt, and its name.
 */
export const webPresence: Lens<DiligencePorts> = async (subject, { pages, clock }, limits) => {
  const site = siteOf(subject);
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
  const cited = new Cited();
  const now = clock.now();
  const findings = [
    ...placed(transportSeen({ host, secure, plain }), main, cited),
    ...placed(certificatesSeen(main.value, url, now), main, cited),
    ...placed(headersSeen(main.value.headers, url), main, cited),
    ...(text.ok ? placed([textSeen(text.value, url.host, now)], text, cited) : []),
    ...placed(isMissing(text) ? [noTextSeen(url.host)] : [], main, cited),
    ...placed([nameSeen(subject, main.value, url.host)], main, cited),
  ];
  const faults = [secure, plain, ...(isMissing(text) ? [] : [text])].flatMap(faultIn);
  return {
    status: faults.length === 0 ? 'ok' : 'partial',
    note: faults.length === 0 ? SEEN_ALONE : `${SEEN_ALONE} Unanswered parts were not checked.`,
    ...{ findings, figures: [], sources: cited.list, faults },
    searched: [...searched, `${SECURITY_TEXT} of ${url.host}`],
  };
};

/** The buyer's value takes precedence over registry records. */
function siteOf({ website, records = [] }: VettingSubject) {
  const named = [
    { text: website, by: 'the buyer' },
    ...records.map((record) => ({ text: record.website ?? undefined, by: record.registry })),
  ];
  for (const { text, by } of named) {
    const host = text === undefined ? undefined : siteHostOf(text);
    if (host !== undefined) return { host, by };
  }
  return undefined;
}

type Page = Awaited<ReturnType<PageReader['read']>>;

interface BothWays {
  readonly host: string;
  readonly secure: Page;
  readonly plain: Page;
}

/** Reports whether pages are encrypted. A mere timeout of https is not a finding. */
function transportSeen({ host, secure, plain }: BothWays): readonly SeenOfSite[] {
  const found: SeenOfSite[] = [];
  if (secure.ok) {
    const { finalUrl } = secure.value;
    found.push(
      finalUrl.startsWith('https:')
        ? seen('https', 'info', `https://${host}/ answers${elsewhere(finalUrl, host)}.`)
        : seen('https_left', 'medium', `https://${host}/ redirects to an unencrypted page.`),
    );
  } else if (REFUSED.test(secure.fault.detail)) {
    const claim = `http://${host}/ answers, but https does not: ${secure.fault.detail}.`;
    found.push(seen('no_https', 'medium', claim));
  }
  if (!plain.ok || !secure.ok) return found;
  const leads = plain.value.finalUrl.startsWith('https:');
  const claim = `http://${host}/ ${leads ? 'redirects' : 'does not redirect'} to https.`;
  return [...found, seen(leads ? 'http_leads_on' : 'http_stays', leads ? 'info' : 'low', claim)];
}

/** Matches the egress error details of failed connections. */
const REFUSED = /\((?:tls|connect)\)/;

function elsewhere(finalUrl: string, host: string): string {
  const there = new URL(finalUrl).host;
  return there === host ? '' : ` and redirects to ${there}`;
}

function certificatesSeen(page: ReadPage, { host }: URL, now: number): readonly SeenOfSite[] {
  return page.certificate === null ? [] : [certificateSeen(page.certificate, host, now)];
}

/** Servers that answer every path with a page have no security.txt. */
function textSeen(page: ReadPage, host: string, now: number): SeenOfSite {
  return page.engine === 'plain' ? securityTextSeen(page.text, host, now) : noTextSeen(host);
}

function noTextSeen(host: string): SeenOfSite {
  return seen('no_security_txt', 'info', `${host} has no security.txt.`);
}

function isMissing(text: Page): boolean {
  return !text.ok && text.fault.code === 'not_found';
}

function nameSeen({ name, records = [] }: VettingSubject, page: ReadPage, host: string) {
  const names = [name, ...records.map((record) => record.entity_name)];
  const text = `${page.title ?? ''} ${page.text}`;
  const isNamed = names.some((one) => isAbout(text, newsTopicOf(one)));
  return isNamed
    ? seen('name_on_site', 'info', `The first page of ${host} names the company.`)
    : seen(
        ...(['name_not_on_site', 'low'] as const),
        `The first page of ${host} does not name the company in its text without scripts.`,
      );
}

function placed(
  all: readonly SeenOfSite[],
  reading: Reading<ReadPage>,
  cited: Cited,
): LensResult['findings'] {
  if (!reading.ok) return [];
  return all.map(({ rule, severity, claim }) =>
    findingOf(rule, severity, claim, cited.placeOf(reading.source)),
  );
}

function faultIn(reading: Page): readonly DataFault[] {
  return reading.ok ? [] : [reading.fault];
}
