import { formatDecimal, isDecimal, parseDecimal } from '../common/decimal.ts';

/** The supported languages. */
export type Language = 'zh' | 'en';

/** The numbers of a text by value. */
export interface NumbersFound {
  /** Numbers written with digits, which the other language must contain too. */
  readonly hard: readonly string[];
  /** All values that the text may express, including words and months. */
  readonly possible: ReadonlySet<string>;
}

const DIGITS = String.raw`\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?`;
const ZH_HARD = new RegExp(`(${DIGITS})\\s*([十百千万亿兆]*)`, 'gu');
const EN_SCALES = 'hundred|thousand|million|billion|trillion|mn|bn|tn|k|m|b';
const EN_HARD = new RegExp(`(${DIGITS})(?:\\s*-?\\s*(${EN_SCALES})\\b)?`, 'giu');
const ZH_NUMERAL = /[零〇一二两三四五六七八九十百千万亿]+(?:点[零〇一二三四五六七八九]+)?/gu;

const ZH_DIGITS: Readonly<Record<string, bigint>> = {
  零: 0n,
  〇: 0n,
  一: 1n,
  二: 2n,
  两: 2n,
  三: 3n,
  四: 4n,
  五: 5n,
  六: 6n,
  七: 7n,
  八: 8n,
  九: 9n,
};
const ZH_UNITS: Readonly<Record<string, bigint>> = { 十: 10n, 百: 100n, 千: 1_000n };
const ZH_SECTIONS: Readonly<Record<string, bigint>> = {
  万: 10_000n,
  亿: 100_000_000n,
  兆: 1_000_000_000_000n,
};
const EN_UNITS: Readonly<Record<string, bigint>> = {
  hundred: 100n,
  thousand: 1_000n,
  k: 1_000n,
  million: 1_000_000n,
  mn: 1_000_000n,
  m: 1_000_000n,
  billion: 1_000_000_000n,
  bn: 1_000_000_000n,
  b: 1_000_000_000n,
  trillion: 1_000_000_000_000n,
  tn: 1_000_000_000_000n,
};
const SMALL_NUMBER_WORDS = [
  ...['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'],
  ...['eleven', 'twelve', 'thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen'],
  'nineteen',
];
const TENS = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
const ORDINALS = ['', 'first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth'];
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const OTHER_NUMBER_WORDS: Readonly<Record<string, bigint>> = {
  once: 1n,
  twice: 2n,
  double: 2n,
  half: 2n,
  a: 1n,
};

/** Finds the numbers of a text. */
export function findNumbers(text: string, language: Language): NumbersFound {
  const folded = text.normalize('NFKC');
  return language === 'zh' ? findChineseNumbers(folded) : findEnglishNumbers(folded);
}

/** Returns the numbers lost from the source and those invented in the target. */
export function compareNumbers(
  source: NumbersFound,
  target: NumbersFound,
): { readonly missing: readonly string[]; readonly invented: readonly string[] } {
  return {
    missing: [...new Set(source.hard.filter((value) => !target.possible.has(value)))],
    invented: [...new Set(target.hard.filter((value) => !source.possible.has(value)))],
  };
}

function findChineseNumbers(text: string): NumbersFound {
  const hard: string[] = [];
  const possible = new Set<string>();
  for (const [, digits = '', units = ''] of text.matchAll(ZH_HARD)) {
    const value = scaleNumber(digits, Array.from(units, chineseUnit));
    addHard(hard, possible, value);
  }
  for (const [numeral] of text.matchAll(ZH_NUMERAL)) {
    for (const value of parseNumeral(numeral)) possible.add(value);
  }
  return { hard, possible };
}

function findEnglishNumbers(text: string): NumbersFound {
  const hard: string[] = [];
  const possible = new Set<string>();
  for (const [, digits = '', unit] of text.matchAll(EN_HARD)) {
    const factor = unit === undefined ? undefined : EN_UNITS[unit.toLowerCase()];
    addHard(hard, possible, scaleNumber(digits, factor === undefined ? [] : [factor]));
  }
  for (const value of findWordValues(text.toLowerCase())) possible.add(value);
  return { hard, possible };
}

function addHard(hard: string[], possible: Set<string>, value: string | undefined): void {
  if (value === undefined) return;
  hard.push(value);
  possible.add(value);
}

function chineseUnit(sign: string): bigint {
  return ZH_UNITS[sign] ?? ZH_SECTIONS[sign] ?? 1n;
}

function scaleNumber(digits: string, factors: readonly bigint[]): string | undefined {
  const plain = digits.replaceAll(',', '');
  if (!isDecimal(plain)) return undefined;
  const factor = factors.reduce((product, one) => product * one, 1n);
  return formatDecimal(parseDecimal(plain) * factor);
}

/** Reads a numeral as a number, and as digits one by one (二〇二六). */
function parseNumeral(numeral: string): readonly string[] {
  const [whole = '', places = ''] = numeral.split('点');
  const digits = (characters: string) =>
    Array.from(characters, (sign) => ZH_DIGITS[sign] ?? '').join('');
  const tail = places === '' ? '' : `.${digits(places)}`;
  const read = `${parseWholeNumeral(whole)}${tail}`;
  const spelled = /^[零〇一二三四五六七八九]{2,}$/u.test(whole) ? [`${BigInt(digits(whole))}`] : [];
  return [formatDecimal(parseDecimal(read)), ...spelled];
}

function parseWholeNumeral(numeral: string): bigint {
  let total = 0n;
  let section = 0n;
  let digit: bigint | undefined;
  for (const sign of numeral) {
    const unit = ZH_UNITS[sign];
    const big = ZH_SECTIONS[sign];
    if (unit !== undefined) {
      section += (digit ?? 1n) * unit;
      digit = undefined;
    } else if (big !== undefined) {
      const part = section + (digit ?? 0n);
      // 一万亿 multiplies the preceding value; 三亿五千万 adds to it.
      total = total < big ? (total + part || 1n) * big : total + part * big;
      section = 0n;
      digit = undefined;
    } else digit = ZH_DIGITS[sign];
  }
  return total + section + (digit ?? 0n);
}

function* findWordValues(text: string): Generator<string> {
  const words = text.match(/[a-z]+/g) ?? [];
  for (const [at, word] of words.entries()) {
    const small = parseSmallNumber(word);
    const month = MONTHS.findIndex((name) => word.startsWith(name)) + 1;
    if (month > 0) yield String(month);
    if (small === undefined) continue;
    yield String(small);
    const next = words[at + 1] ?? '';
    const ones = parseSmallNumber(next);
    if (small >= 20n && small < 100n && ones !== undefined && ones < 10n) yield `${small + ones}`;
    yield* scaleWordValues(small, words.slice(at + 1, at + 3));
  }
}

function* scaleWordValues(small: bigint, next: readonly string[]): Generator<string> {
  let value = small;
  for (const word of next) {
    const factor = EN_UNITS[word];
    const ones = parseSmallNumber(word);
    if (factor !== undefined) value *= factor;
    else if (ones !== undefined && ones < 10n && value < 100n) value += ones;
    else return;
    yield String(value);
  }
}

function parseSmallNumber(word: string): bigint | undefined {
  const small = SMALL_NUMBER_WORDS.indexOf(word);
  if (small >= 0) return BigInt(small);
  const tens = TENS.indexOf(word);
  if (tens >= 0) return BigInt(tens + 2) * 10n;
  const ordinal = ORDINALS.indexOf(word);
  return ordinal > 0 ? BigInt(ordinal) : OTHER_NUMBER_WORDS[word];
}
