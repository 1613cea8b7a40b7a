import { matchNormalized, type NameMatch } from '../company/match.ts';
import { type NormalizedName, normalizeName } from '../company/names.ts';
import { matchNameVariant, phoneticCode } from './name-variants.ts';

/** Minimum score at which two whole names count as similar. */
export const HIT_SCORE = 0.82;
/** Maximum number of returned hits. */
export const HITS_MAX = 20;
/** Minimum share of common trigrams for two names to be compared. */
const TRIGRAM_SHARE_MIN = 0.35;

/** A party on a sanctions list. */
export interface ListedParty {
  readonly id: string;
  /** Name of the list as given by its publisher. */
  readonly list: string;
  readonly kind: string | null;
  /** The first is the primary name, the others are aliases. */
  readonly names: readonly string[];
  readonly programs: readonly string[];
  readonly countries: readonly string[];
}

/** A listed party whose name is similar to a requested one. */
export interface ScreeningHit {
  readonly party: ListedParty;
  readonly asked: string;
  readonly matched: string;
  readonly match: NameMatch;
  /**
   * `likely`: the names are similar as a whole. `possible`: one may be a short form or another
   * spelling of the other; a person has to check.
   */
  readonly grade: 'likely' | 'possible';
}

interface IndexedName {
  readonly party: ListedParty;
  readonly name: string;
  readonly plain: NormalizedName;
}

/** A similarity index over the names of listed parties. */
export class ScreeningIndex {
  readonly #names: IndexedName[] = [];
  /** Positions in the list of names, by trigram. */
  readonly #namesByTrigram = new Map<string, number[]>();
  /** Positions in the list of names, by phonetic code of a word. */
  readonly #namesBySound = new Map<string, number[]>();
  readonly #lists = new Map<string, number>();

  /** Number of parties on each list. */
  get lists(): ReadonlyMap<string, number> {
    return this.#lists;
  }

  /** Adds a party under all of its names. */
  add(party: ListedParty): void {
    this.#lists.set(party.list, (this.#lists.get(party.list) ?? 0) + 1);
    for (const name of party.names) {
      const plain = normalizeName(name);
      const index = this.#names.push({ party, name, plain }) - 1;
      for (const three of trigramsOf(plain.text)) addToIndex(this.#namesByTrigram, three, index);
      for (const sound of new Set(plain.words.map(phoneticCode)))
        addToIndex(this.#namesBySound, sound, index);
    }
  }

  /** Returns the parties with names similar to the given ones, best first, each once. */
  search(names: readonly string[]): readonly ScreeningHit[] {
    const best = new Map<string, ScreeningHit>();
    for (const name of names) {
      for (const hit of this.#findSimilar(name)) {
        const existing = best.get(hit.party.id);
        if (existing === undefined || rankOf(existing) < rankOf(hit)) best.set(hit.party.id, hit);
      }
    }
    const hits = [...best.values()].sort((one, other) => rankOf(other) - rankOf(one));
    return hits.slice(0, HITS_MAX);
  }

  #findSimilar(asked: string): readonly ScreeningHit[] {
    const plain = normalizeName(asked);
    const threes = trigramsOf(plain.text);
    const counts = new Map<number, number>();
    for (const three of threes) {
      for (const place of this.#namesByTrigram.get(three) ?? []) {
        counts.set(place, (counts.get(place) ?? 0) + 1);
      }
    }
    const candidates = [...counts].filter(([, count]) => count >= threes.size * TRIGRAM_SHARE_MIN);
    const places = new Set([...candidates.map(([place]) => place), ...this.#findBySound(plain)]);
    return [...places].flatMap((place) => {
      const found = this.#names[place];
      if (found === undefined) return [];
      const match = matchNormalized(plain, found.plain);
      const isLikely = match.score >= HIT_SCORE;
      if (!isLikely && matchNameVariant(plain, found.plain) === 0) return [];
      const grade = isLikely ? ('likely' as const) : ('possible' as const);
      return [{ party: found.party, asked, matched: found.name, match, grade }];
    });
  }

  /** Returns names that share up to two words with the requested name by sound. */
  #findBySound({ words }: NormalizedName): readonly number[] {
    const sounds = new Set(words.map(phoneticCode));
    const counts = new Map<number, number>();
    for (const sound of sounds) {
      for (const place of this.#namesBySound.get(sound) ?? []) {
        counts.set(place, (counts.get(place) ?? 0) + 1);
      }
    }
    const commonMin = Math.min(2, sounds.size);
    return [...counts].flatMap(([place, count]) => (count >= commonMin ? [place] : []));
  }
}

function addToIndex(index: Map<string, number[]>, key: string, position: number): void {
  const places = index.get(key);
  if (places === undefined) index.set(key, [position]);
  else places.push(position);
}

/** Ranks likely hits before possible ones. */
function rankOf({ grade, match }: ScreeningHit): number {
  return match.score + (grade === 'likely' ? 1 : 0);
}

/** Returns the trigrams of each word, so that word order is irrelevant. */
function trigramsOf(text: string): ReadonlySet<string> {
  const threes = new Set<string>();
  for (const word of text.split(' ')) {
    const padded = ` ${word} `;
    for (let at = 0; at + 3 <= padded.length; at += 1) threes.add(padded.slice(at, at + 3));
  }
  return threes;
}
