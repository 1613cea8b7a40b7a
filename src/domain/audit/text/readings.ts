import { joinPattern } from '../join-pattern.ts';
import { revealHidden } from './hidden-characters.ts';

/** Maximum number of nested encodings to decode. */
const ROUNDS_MAX = 2;
/** Maximum characters of a text that are decoded. */
const CHARS_MAX = 20_000;

/**
 * Returns the readings of a text: as displayed, and with encoded parts decoded. A model may
 * understand either.
 */
export function listReadings(text: string): readonly string[] {
  const readings = [revealHidden(text.slice(0, CHARS_MAX))];
  let current = readings[0] ?? '';
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const decoded = decodeParts(current);
    if (decoded === current) break;
    readings.push(decoded);
    current = decoded;
  }
  if (/rot-?13/i.test(current)) readings.push(rotate13(current));
  const joined = joinSpacedLetters(current);
  if (joined !== current) readings.push(joined);
  const unleeted = replaceLeet(current);
  if (unleeted !== current) readings.push(unleeted);
  return readings;
}

/** Returns whether a text has encoded parts that decode to words. */
export function hasEncodedParts(text: string): boolean {
  return decodeBase64Parts(text) !== text || decodeHexParts(text) !== text;
}

/** Returns the printable content of the encoded parts of a text, whether words or not. */
export function decodeEncodedParts(text: string): string {
  const parts = text.match(/[A-Za-z0-9+/_-]{16,}={0,2}/g) ?? [];
  return parts
    .map(decodeBase64)
    .filter((one) => /^[\x20-\x7e\n\r\t]{8,}$/.test(one))
    .join('\n');
}

/** Returns percent-encoded sentences that are not part of a URL. */
export function decodePercentSentences(text: string): string {
  const parts = text.match(/[^\s"'<>]+/g) ?? [];
  const sentences = parts.filter((part) => /(?:%20[^%]*){3}/.test(part) && !part.includes('://'));
  return sentences.map((part) => part.replace(PERCENT_RUNS, decodePercentRun)).join('\n');
}

function decodeParts(text: string): string {
  return decodeHexParts(decodeBase64Parts(decodePercents(decodeEscapes(decodeEntities(text)))));
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  colon: ':',
  excl: '!',
  lowbar: '_',
  period: '.',
  comma: ',',
  sol: '/',
  newline: '\n',
  tab: '\t',
  hyphen: '-',
  lpar: '(',
  rpar: ')',
};

function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,6})|#x([0-9a-f]{1,6})|([a-z]+));/gi, (all, ten, hex, name) => {
    if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? all;
    const code = ten === undefined ? Number.parseInt(hex, 16) : Number(ten);
    return code > 0 && code < 0x110000 ? String.fromCodePoint(code) : all;
  });
}

function decodeEscapes(text: string): string {
  return text
    .replace(/\\u\{?([0-9a-f]{4,6})\}?/gi, (_all, hex) => characterFromHex(hex))
    .replace(/\\x([0-9a-f]{2})/gi, (_all, hex) => characterFromHex(hex));
}

function characterFromHex(hex: string): string {
  const code = Number.parseInt(hex, 16);
  return code < 0x110000 ? String.fromCodePoint(code) : '';
}

/** Decodes parts between spaces and quotes that contain three escapes, or two in a row. */
function decodePercents(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/[^\s"'<>]+/g, (part) => {
    const runs = part.match(PERCENT_RUNS) ?? [];
    const escapes = runs.reduce((sum, run) => sum + run.length / 3, 0);
    const isEncoded = escapes >= 3 || runs.some((run) => run.length > 3);
    return isEncoded ? part.replace(PERCENT_RUNS, decodePercentRun) : part;
  });
}

const PERCENT_RUNS = /(?:%[0-9a-f]{2})+/gi;

function decodePercentRun(run: string): string {
  try {
    return decodeURIComponent(run);
  } catch {
    return run;
  }
}

function decodeBase64Parts(text: string): string {
  return text.replace(
    joinPattern('g', '(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/_-]{16,}={0,2}(?![A-Za-z0-9+/=_-])'),
    (part) => {
      if (!/[A-Z]/.test(part) || !/[a-z]/.test(part)) return part;
      return decodedOrOriginal(decodeBase64(part), part);
    },
  );
}

function decodeHexParts(text: string): string {
  return text.replace(/\b(?:0x)?(?:[0-9a-f]{2}[ :]?){10,}\b/gi, (part) => {
    const digits = part.replace(/^0x/i, '').replace(/[ :]/g, '');
    const bytes = digits.match(/../g) ?? [];
    const decoded = String.fromCharCode(...bytes.map((byte) => Number.parseInt(byte, 16)));
    return decodedOrOriginal(decodeUtf8(decoded), part);
  });
}

function decodeBase64(part: string): string {
  const bare = part.replaceAll('-', '+').replaceAll('_', '/').replaceAll('=', '');
  return bare.length % 4 === 1 ? '' : decodeUtf8(atob(bare));
}

/** Bytes that are not text become replacement characters. */
function decodeUtf8(binary: string): string {
  return new TextDecoder().decode(Uint8Array.from(binary, (one) => one.charCodeAt(0)));
}

/** Returns the decoded text if it consists of words, otherwise the original part. */
function decodedOrOriginal(decoded: string, part: string): string {
  if (decoded.includes('\ufffd')) return part;
  const isText = /^[\p{L}\p{N}\p{P}\p{S}\s]+$/u.test(decoded) && /\p{L}\p{L}[ ,.:]/u.test(decoded);
  return isText ? ` ${decoded} ` : part;
}

function rotate13(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => {
    const base = letter <= 'Z' ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base);
  });
}

/** Joins letters that are separated by single spaces; more spaces separate words. */
function joinSpacedLetters(text: string): string {
  const close = text.replace(/\b(?:\p{L}[.\-_*]){5,60}\p{L}\b/gu, (part) =>
    part.replace(joinPattern('g', '[.\\-_*]'), ''),
  );
  return close.replace(/(?<!\S)(?:\S {1,4}){7,}\S(?!\S)/g, (part) =>
    part
      .split(/ {2,}/)
      .map((word) => word.replaceAll(' ', ''))
      .join(' '),
  );
}

const LEET: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
};

function replaceLeet(text: string): string {
  return text.replace(/\b(?=\w*[a-z])(?=[\w@$]*[013457@$][\w@$]*)[\w@$]{4,}\b/gi, (word) => {
    if (/^\d+\p{L}{1,2}$|^[a-z]{1,3}\d+$/iu.test(word)) return word;
    return word.replace(/[013457@$]/g, (one) => LEET[one] ?? one);
  });
}
