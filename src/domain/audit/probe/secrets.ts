import { joinPattern } from '../join-pattern.ts';
import { decodeEncodedParts } from '../text/readings.ts';

/** A kind of secret with its pattern. */
interface SecretPattern {
  readonly kind: string;
  readonly form: RegExp;
}

const SECRET_PATTERNS: readonly SecretPattern[] = [
  {
    kind: 'private key',
    form: /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----(?:\\n|\s)+[A-Za-z0-9+/=]{12,}/g,
  },
  { kind: 'access key of a cloud', form: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g },
  { kind: 'token of a forge', form: /\b(?:gh[pousr]_[A-Za-z0-9]{30,}|glpat-[\w-]{18,})/g },
  { kind: 'key of a model', form: /\bsk-[A-Za-z0-9_-]{16,}/g },
  { kind: 'key of payments', form: /\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,}/g },
  { kind: 'token of a chat', form: /\bxox[abprs]-[A-Za-z0-9-]{10,}/g },
  {
    kind: 'signed token',
    // After a hyphen the header length is bounded; otherwise each match would scan the whole run.
    form: joinPattern(
      'g',
      '(?:(?<![\\w-])eyJ[\\w-]{8,}|\\beyJ[\\w-]{8,100})\\.eyJ[\\w-]{8,}\\.[\\w-]{8,}',
    ),
  },
  {
    kind: 'address with a password',
    form: joinPattern(
      'g',
      '(?<![a-z0-9+])[a-z0-9+]{3,}://[^\\s:/@"\']+:(?![*x.]+@|\\[|<|\\$?\\{|redacted|',
      'hidden|masked)[^\\s/@"\']{3,}@',
    ),
  },
  {
    kind: 'authorization header',
    form: joinPattern(
      'gi',
      '\\bauthorization["\']?\\s*[:=]\\s*["\']?(?:bearer|basic)\\s+[\\w.+/=-]{6,}',
    ),
  },
];
/** A name and the start of its value. The value is not consumed, because it may name a secret. */
const ASSIGNMENT = joinPattern(
  'gi',
  '(?<![\\w-])([\\w-]+)["\']?\\s*[:=]\\s*["\']?(?!["\'\\s{[(<*]|null|',
  'true|false|none|undefined|redacted|hidden|string)(?=[^\\s"\',;}]{6})',
);
const SECRET_NAME = joinPattern(
  'i',
  'api[_-]?key|secret|passwd|password|private[_-]?key|credential|',
  '(?:access|auth|bearer|session|refresh|api|admin|service|signing)[_-]?token',
);
const VALUE = /[^\s"',;}]+/y;
/** Environment variable lines; several of them are a dump. */
const ENVIRONMENT_LINE = /(?:^|[\n,{\s])["']?([A-Z][A-Z0-9_]{2,})["']?\s*[:=]\s*["']?[^\s"',]+/g;
const ENVIRONMENT_NAMES =
  /^(PATH|HOME|USER|SHELL|LANG|PWD|HOSTNAME|NODE_ENV|LOGNAME|TMPDIR|NODE_VERSION|PYTHONPATH)$/;

/** A secret found in a text. */
export interface FoundSecret {
  readonly kind: string;
  readonly text: string;
}

/**
 * Finds likely secrets in a response.
 *
 * @param own - Texts that the audit sent; echoes of them are not secrets of the target.
 */
export function findSecrets(text: string, own = ''): readonly FoundSecret[] {
  const secrets = [
    ...SECRET_PATTERNS.flatMap(({ kind, form }) =>
      [...text.matchAll(form)].map(([match]) => ({ kind, text: match })),
    ),
    ...findNamedSecrets(text).map(({ from, to }) => ({
      kind: 'named secret',
      text: text.slice(from, to),
    })),
  ];
  const names = [...text.matchAll(ENVIRONMENT_LINE)].map(([, name]) => name ?? '');
  const known = names.filter((name) => ENVIRONMENT_NAMES.test(name));
  const isDump = names.length >= 4 && known.length >= 2;
  const dump = isDump ? [{ kind: 'environment', text: known.join(' ') }] : [];
  return [...secrets, ...dump].filter((one) => !own.includes(one.text));
}

/** Masks secrets in a text, because findings are published. */
export function maskSecrets(text: string): string {
  let masked = text;
  for (const { form } of SECRET_PATTERNS) masked = masked.replace(form, maskMatch);
  masked = maskNamedSecrets(masked);
  // Encoded secrets are masked as well.
  return masked.replace(/[A-Za-z0-9+/_-]{24,}={0,2}/g, (part) =>
    findSecrets(decodeEncodedParts(part)).length > 0 ? `${part.slice(0, 8)}…` : part,
  );
}

interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** Returns the ranges of secret names with their values, in order and without overlap. */
function findNamedSecrets(text: string): readonly TextRange[] {
  const found: TextRange[] = [];
  let end = 0;
  for (const match of text.matchAll(ASSIGNMENT)) {
    const { 0: head, 1: name = '', index } = match;
    if (index < end || !SECRET_NAME.test(name)) continue;
    VALUE.lastIndex = index + head.length;
    VALUE.test(text);
    end = VALUE.lastIndex;
    found.push({ from: index, to: end });
  }
  return found;
}

function maskNamedSecrets(text: string): string {
  const parts: string[] = [];
  let done = 0;
  for (const { from, to } of findNamedSecrets(text)) {
    parts.push(text.slice(done, from), maskMatch(text.slice(from, to)));
    done = to;
  }
  return [...parts, text.slice(done)].join('');
}

function maskMatch(match: string): string {
  return `${match.slice(0, Math.min(12, match.length / 2))}…`;
}
