import { LEGAL_FORMS } from './legal-forms.ts';

/** A name normalized for comparison. */
export interface NormalizedName {
  /** Words in order, without accents, punctuation and legal forms. */
  readonly words: readonly string[];
  /** The words joined by spaces. */
  readonly text: string;
  /** Legal forms in the name, normalized. */
  readonly forms: readonly string[];
}

/** Maximum characters of a name that are compared. */
export const NAME_CHARS_MAX = 300;

/**
 * Normalizes a name for comparison: applies compatibility forms, transliterates Cyrillic and Greek,
 * and removes accents, punctuation and legal forms. A name that is only a legal form keeps it.
 */
export function normalizeName(name: string): NormalizedName {
  const latin = Array.from(stripAccents(stripAccents(name.slice(0, NAME_CHARS_MAX)).toLowerCase()))
    .map((sign) => TRANSLITERATION[sign] ?? sign)
    .join('');
  // Punctuation inside a word is removed: S.A. becomes SA, L’Oréal becomes loreal.
  const all = latin
    .replace(/(?<=\p{L})[.’'`](?=\p{L})/gu, '')
    .replace(/&|\+/g, ' and ')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  const isForm = (word: string) => LEGAL_FORMS.has(word);
  const kept = all.filter((word) => !isForm(word));
  const words = kept.length > 0 ? kept : all;
  return { words, text: words.join(' '), forms: all.filter(isForm) };
}

/** Removes accents and applies compatibility forms. */
function stripAccents(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '');
}

/** Latin transliteration of letters that remain after accents are removed. */
const TRANSLITERATION: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
  ŋ: 'n',
  а: 'a',
  б: 'b',
  в: 'v',
  г: 'g',
  д: 'd',
  е: 'e',
  ж: 'zh',
  з: 'z',
  и: 'i',
  к: 'k',
  л: 'l',
  м: 'm',
  н: 'n',
  о: 'o',
  п: 'p',
  р: 'r',
  с: 's',
  т: 't',
  у: 'u',
  ф: 'f',
  х: 'kh',
  ц: 'ts',
  ч: 'ch',
  ш: 'sh',
  щ: 'shch',
  ъ: '',
  ы: 'y',
  ь: '',
  э: 'e',
  ю: 'yu',
  я: 'ya',
  і: 'i',
  є: 'ye',
  ґ: 'g',
  ј: 'j',
  љ: 'lj',
  њ: 'nj',
  џ: 'dz',
  α: 'a',
  β: 'v',
  γ: 'g',
  δ: 'd',
  ε: 'e',
  ζ: 'z',
  η: 'i',
  θ: 'th',
  ι: 'i',
  κ: 'k',
  λ: 'l',
  μ: 'm',
  ν: 'n',
  ξ: 'x',
  ο: 'o',
  π: 'p',
  ρ: 'r',
  σ: 's',
  ς: 's',
  τ: 't',
  υ: 'y',
  φ: 'f',
  χ: 'ch',
  ψ: 'ps',
  ω: 'o',
};
