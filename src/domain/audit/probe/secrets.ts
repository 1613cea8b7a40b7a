import { pattern } from '../pattern.ts';
import { behindEncoding } from '../text/decoded.ts';

/** A kind of secret with its pattern. */
interface SecretKind {
  readonly kind: string;
  readonly form: RegExp;
}

const KINDS: readonly SecretKind[] = [
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
    form: pattern(
      'g',
      '(?:(?<![\\w-])eyJ[\\w-]{8,}|\\beyJ[\\w-]{8,100})\\.eyJ[\\w-]{8,}\\.[\\w-]{8,}',
    ),
  },
  {
    kind: 'address with a password',
    form: pattern(
      'g',
      '(?<![a-z0-9+])[a-z0-9+]{3,}://[^\\s:/@"\']+:(?![*x.]+@|\\[|<|\\$?\\{|redacted|',
      'hidden|masked)[^\\s/@"\']{3,}@',
    ),
  },
  {
    kind: 'authorization header',
    form: pattern(
      'gi',
      '\\bauthorization["\']?\\s*[:=]\\s*["\']?(?:bearer|basic)\\s+[\\w.+/=-]{6,}',
    ),
  },
];
/** A name and the start of its value. The value is not consumed, because it may name a secret. */
const ASSIGNED = pattern(
  'gi',
  '(?<![\\w-])([\\w-]+)["\']?\\s*[:=]\\s*["\']?(?!["\'\\s{[(<*]|null|',
  'true|false|none|undefined|redacted|hidden|string)(?=[^\\s"\',;}]{6})',
);
const SECRET_NAME = pattern(
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
export interface SeenSecret {
  readonly kind: string;
  readonly text: string;
}

/**
 * Finds likely secrets in a response.
 *
 * @param own - Texts that the audit sent; echoes of them are not secrets of the target.
 */
export function secretsIn(text: string, own = ''): readonly SeenSecret[] {
  const seen = [
    ...KINDS.flatMap(({ kind, form }) =>
      [...text.matchAll(form)].map(([match]) => ({ kind, text: match })),
    ),
    ...namedSecrets(text).map(({ from, to }) => ({
      kind: 'named secret',
      text: text.slice(from, to),
    })),
  ];
  const names = [...text.matchAll(ENVIRONMENT_LINE)].map(([, name]) => name ?? '');
  const known = names.filter((name) => ENVIRONMENT_NAMES.test(name));
  const isDump = names.length >= 4 && known.length >= 2;
  const dump = isDump ? [{ kind: 'environment', text: known.join(' ') }] : [];
  return [...seen, ...dump].filter((one) => !own.includes(one.text));
}

/** Masks secrets in a text, because findings are published. */
export function withoutSecrets(text: string): string {
  let masked = text;
  for (const { form } of KINDS) masked = masked.replace(form, shortened);
  masked = withoutNamed(masked);
  // Encoded secrets are masked as well.
  return masked.replace(/[A-Za-z0-9+/_-]{24,}={0,2}/g, (part) =>
    secretsIn(behindEncoding(part)).length > 0 ? `${part.slice(0, 8)}…` : part,
  );
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Returns the ranges of secret names with their values, in order and without overlap. */
function namedSecrets(text: string): readonly Range[] {
  const found: Range[] = [];
  let end = 0;
  for (const match of text.matchAll(ASSIGNED)) {
    const { 0: head, 1: name = '', index } = match;
    if (index < end || !SECRET_NAME.test(name)) continue;
    VALUE.lastIndex = index + head.length;
    VALUE.test(text);
    end = VALUE.lastIndex;
    found.push({ from: index, to: end });
  }
  return found;
}

function withoutNamed(text: string): string {
  const parts: string[] = [];
  let done = 0;
  for (const { from, to } of namedSecrets(text)) {
    parts.push(text.slice(done, from), shortened(text.slice(from, to)));
    done = to;
  }
  return [...parts, text.slice(done)].join('');
}

function shortened(match: string): string {
  return `${match.slice(0, Math.min(12, match.length / 2))}…`;
}
