import { joinPattern } from '../join-pattern.ts';
/** A technique in a response that deceives its reader. */
export interface Deception {
  readonly sign: string;
  /** True for reproducible facts, false for wording. */
  readonly isFact: boolean;
}

const LINK = joinPattern(
  'gi',
  '\\[([^[\\]\\n]{1,200})\\]\\(\\s*<?((?:https?:)?//[^\\s)>]+|',
  'javascript:[^\\s)]*|data:[^\\s)]*)',
);
const ANCHOR = /<a\b/gi;
const HREF = /[\s"'/]href\s*=\s*["']?([^\s"'>]+)/i;
const ANCHOR_END = /<\/a>/i;
/** Maximum characters of a link text. */
const LINK_TEXT_CHARS_MAX = 200;
const PICTURE = joinPattern(
  'i',
  '!\\[[^[\\]\\n]*\\]\\(\\s*<?https?://[^\\s)>]|',
  '<img\\b[^<>]*?\\bsrc\\s*=\\s*["\']?https?:',
);
const ACTIVE = /<(?:script|iframe|object|embed|form)\b|\bon(?:error|load|click)\s*=|javascript:/i;
const ESCAPES = joinPattern('', '\\u001b[[\\]]|\\u009b');
/** A run of hostname characters, and its top-level label. */
const HOST_RUN = /[a-z0-9.-]+/g;
const TOP_LABEL = /^[a-z]{2,}(?=-|$)/;
const PRESSURE = joinPattern(
  'i',
  '\\b(?:act now|immediately|urgent(?:ly)?|',
  'within (?:the next )?\\d+ (?:minutes?|hours?|seconds?)|right away|at once|',
  'expires? (?:soon|today|in)|last (?:chance|warning)|before it is too late|',
  'will be (?:suspended|locked|closed|deleted|lost|terminated|revoked|charged)|',
  'only \\d+ (?:minutes?|hours?) left|final notice|without delay|',
  'do not (?:delay|hesitate|wait))\\b',
);
const DEMAND = joinPattern(
  'i',
  '\\b(?:(?:re-?)?enter|type|confirm|provide|verify|send|paste|give|approve|',
  'click|call|pay|transfer|disable|turn off|share|reply with|log in|sign in|',
  'update)\\b.{0,80}\\b(?:password|passphrase|pin|card|account|code|token|',
  'credentials?|key|seed|identity|payment|bank|wallet|protection|antivirus|',
  'firewall|login|details|approval|security|confirmation|link|below|here|',
  'number)\\b',
);
const AUTHORITY = joinPattern(
  'i',
  '\\b(?:(?:your |the )?(?:administrator|it department|security team|',
  'support team|bank|help ?desk|compliance|anthropic|openai|microsoft|google|',
  'apple|legal department|ceo)\\b.{0,60}\\b(?:has|have|requires?|asks?|',
  'approved|confirmed|verified|recommends?|needs?|wants?)|(?:already |',
  'has been |have been |was |were )(?:verified|approved|reviewed|confirmed|',
  'checked|certified|authori[sz]ed|vetted|cleared) by|no (?:need|',
  'reason) to (?:check|verify|review|confirm|double-?check|worry)|(?:100 ?%|',
  'fully|completely|absolutely|guaranteed|perfectly) (?:safe|secure|trusted|',
  'verified|risk-?free)|you can trust|trust me|safe to (?:approve|ignore|',
  'proceed|accept|click))\\b',
);

/** Finds deceptive techniques in a response, facts first. */
export function findDeceptions(text: string): readonly Deception[] {
  const facts = [
    ...(ESCAPES.test(text) ? ['terminal escape sequences'] : []),
    ...(ACTIVE.test(text) ? ['active content'] : []),
    ...(PICTURE.test(text) ? ['images from another host'] : []),
    ...(hasMisleadingLink(text) ? ['links whose text names another host'] : []),
  ].map((sign) => ({ sign, isFact: true }));
  const isPressing = PRESSURE.test(text) && DEMAND.test(text);
  const isLulling = AUTHORITY.test(text) && (DEMAND.test(text) || PRESSURE.test(text));
  const indicators = [
    ...(isPressing ? ['pressures the reader to give something'] : []),
    ...(isLulling ? ['claims an authority'] : []),
  ].map((sign) => ({ sign, isFact: false }));
  return [...facts, ...indicators];
}

function hasMisleadingLink(text: string): boolean {
  const links = [
    ...[...text.matchAll(LINK)].map(([, shown, goal]) => [shown, goal]),
    ...findAnchors(text),
  ];
  return links.some(([shown = '', goal = '']) => {
    const shownHost = findHost(shown);
    const actualHost = findHost(goal.replace(/^\/\//, 'https://'));
    if (shownHost === undefined || actualHost === undefined) return false;
    return !actualHost.endsWith(stripWww(shownHost)) && !shownHost.endsWith(stripWww(actualHost));
  });
}

/** Returns text and destination of HTML links. A tag ends at the first `>`. */
function findAnchors(text: string): readonly (readonly [string, string])[] {
  const found: (readonly [string, string])[] = [];
  let end = -1;
  for (const { index } of text.matchAll(ANCHOR)) {
    // A match inside a tag is not a tag.
    if (index < end) continue;
    end = text.indexOf('>', index);
    if (end === -1) break;
    const goal = HREF.exec(text.slice(index, end))?.[1];
    const rest = text.slice(end + 1, end + 1 + LINK_TEXT_CHARS_MAX + '</a>'.length);
    const close = goal === undefined ? -1 : rest.search(ANCHOR_END);
    if (goal !== undefined && close > 0) found.push([rest.slice(0, close), goal]);
  }
  return found;
}

/** Returns the first host in a text, in lower case. */
function findHost(text: string): string | undefined {
  for (const [run] of text.toLowerCase().matchAll(HOST_RUN)) {
    const labels = run.split('.');
    const last = labels.findLastIndex((label, at) => at > 0 && TOP_LABEL.test(label));
    if (last < 1 || labels[last - 1] === '') continue;
    const first = labels.lastIndexOf('', last - 1) + 1;
    const end = TOP_LABEL.exec(labels[last] ?? '')?.[0] ?? '';
    return [...labels.slice(first, last), end].join('.').replace(/^-+/, '');
  }
  return undefined;
}

function stripWww(host: string): string {
  return host.replace(/^www\./, '');
}
