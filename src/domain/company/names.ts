import { LEGAL_FORMS } from './legal-forms.ts';

/** A name made ready for comparison. */
export interface PlainName {
  /** Words in their order, without accents, signs and legal forms. */
  readonly words: readonly string[];
  /** The same as one text. */
  readonly text: string;
  /** Legal forms that stood in it, as they are compared. */
  readonly forms: readonly string[];
}

/** Characters of a name that are compared at the most. */
export const NAME_CHARS_MAX = 300;

/**
 * Makes a name ready for comparison: compatible forms of letters are made one, Cyrillic and Greek
 * letters are written in Latin ones, accents and signs go, legal forms are set aside. A name that
 * is nothing but a legal form stays as it is.
 */
export function plainName(name: string): PlainName {
  const latin = Array.from(bare(bare(name.slice(0, NAME_CHARS_MAX)).toLowerCase()))
    .map((sign) => LETTERS[sign] ?? sign)
    .join('');
  // Signs inside a short form go without a trace: S.A. is SA, and L’Oréal is loreal.
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

/** Without accents, and with one form for letters that are the same. */
function bare(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '');
}

/** Latin writing of letters that have one beside what is left of them without their accents. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', þ: 'th', ł: 'l', ı: 'i', ŋ: 'n' },
  ...{ а: 'a', б: 'b', в: 'v', г: 'g', д: 'd', е: 'e', ж: 'zh', з: 'z', и: 'i', к: 'k', л: 'l' },
  ...{ м: 'm', н: 'n', о: 'o', п: 'p', р: 'r', с: 's', т: 't', у: 'u', ф: 'f', х: 'kh' },
  ...{ ц: 'ts', ч: 'ch', ш: 'sh', щ: 'shch', ъ: '', ы: 'y', ь: '', э: 'e', ю: 'yu', я: 'ya' },
  ...{ і: 'i', є: 'ye', ґ: 'g', ј: 'j', љ: 'lj', њ: 'nj', џ: 'dz' },
  ...{ α: 'a', β: 'v', γ: 'g', δ: 'd', ε: 'e', ζ: 'z', η: 'i', θ: 'th', ι: 'i', κ: 'k', λ: 'l' },
  ...{ μ: 'm', ν: 'n', ξ: 'x', ο: 'o', π: 'p', ρ: 'r', σ: 's', ς: 's', τ: 't', υ: 'y', φ: 'f' },
  ...{ χ: 'ch', ψ: 'ps', ω: 'o' },
};
