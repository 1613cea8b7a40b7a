import { matchPlain, type NameMatch } from '../company/match.ts';
import { type PlainName, plainName } from '../company/names.ts';
import { coverName, soundOf } from './shortened.ts';

/** From this score on the whole of a listed name is like the one that was asked about. */
export const HIT_SCORE = 0.82;
/** Hits that are told at the most. */
export const HITS_MAX = 20;
/** The share of threes of letters that a name must have in common to be compared at all. */
const COMMON_MIN = 0.35;

/** Somebody on a list. */
export interface ListedParty {
  readonly id: string;
  /** Name of the list, as its publisher says it. */
  readonly list: string;
  readonly kind: string | null;
  /** The first is the name, the others are names that it is also known by. */
  readonly names: readonly string[];
  readonly programs: readonly string[];
  readonly countries: readonly string[];
}

/** Somebody on a list whose name is like one that was asked about. */
export interface ScreeningHit {
  readonly party: ListedParty;
  readonly asked: string;
  readonly matched: string;
  readonly match: NameMatch;
  /**
   * `likely`: the names are alike as wholes. `possible`: one may be the other shortened, or spelled
   * in another way; somebody has to look.
   */
  readonly grade: 'likely' | 'possible';
}

interface IndexedName {
  readonly party: ListedParty;
  readonly name: string;
  readonly plain: PlainName;
}

/** Names of listed parties, to be searched by likeness. */
export class ScreeningIndex {
  readonly #names: IndexedName[] = [];
  /** Places in the list of names, by threes of letters. */
  readonly #places = new Map<string, number[]>();
  /** Places in the list of names, by the sound of a word. */
  readonly #sounds = new Map<string, number[]>();
  readonly #lists = new Map<string, number>();

  /** Parties on each list. */
  get lists(): ReadonlyMap<string, number> {
    return this.#lists;
  }

  /** Takes a party in under all of its names. */
  add(party: ListedParty): void {
    this.#lists.set(party.list, (this.#lists.get(party.list) ?? 0) + 1);
    for (const name of party.names) {
      const plain = plainName(name);
      const place = this.#names.push({ party, name, plain }) - 1;
      for (const three of threesOf(plain.text)) note(this.#places, three, place);
      for (const sound of new Set(plain.words.map(soundOf))) note(this.#sounds, sound, place);
    }
  }

  /** Those whose names are like one of these, the likest first, each party once. */
  search(names: readonly string[]): readonly ScreeningHit[] {
    const best = new Map<string, ScreeningHit>();
    for (const asked of names) {
      for (const hit of this.#like(asked)) {
        const known = best.get(hit.party.id);
        if (known === undefined || rank(known) < rank(hit)) best.set(hit.party.id, hit);
      }
    }
    const hits = [...best.values()].sort((one, other) => rank(other) - rank(one));
    return hits.slice(0, HITS_MAX);
  }

  #like(asked: string): readonly ScreeningHit[] {
    const plain = plainName(asked);
    const threes = threesOf(plain.text);
    const counts = new Map<number, number>();
    for (const three of threes) {
      for (const place of this.#places.get(three) ?? []) {
        counts.set(place, (counts.get(place) ?? 0) + 1);
      }
    }
    const alike = [...counts].filter(([, count]) => count >= threes.size * COMMON_MIN);
    const places = new Set([...alike.map(([place]) => place), ...this.#soundingAlike(plain)]);
    return [...places].flatMap((place) => {
      const found = this.#names[place];
      if (found === undefined) return [];
      const match = matchPlain(plain, found.plain);
      const isLikely = match.score >= HIT_SCORE;
      if (!isLikely && coverName(plain, found.plain) === 0) return [];
      const grade = isLikely ? ('likely' as const) : ('possible' as const);
      return [{ party: found.party, asked, matched: found.name, match, grade }];
    });
  }

  /** Names that have half of the words that are asked about, by sound. */
  #soundingAlike({ words }: PlainName): readonly number[] {
    const sounds = new Set(words.map(soundOf));
    const counts = new Map<number, number>();
    for (const sound of sounds) {
      for (const place of this.#sounds.get(sound) ?? []) {
        counts.set(place, (counts.get(place) ?? 0) + 1);
      }
    }
    const least = Math.min(2, sounds.size);
    return [...counts].flatMap(([place, count]) => (count >= least ? [place] : []));
  }
}

function note(index: Map<string, number[]>, key: string, place: number): void {
  const places = index.get(key);
  if (places === undefined) index.set(key, [place]);
  else places.push(place);
}

/** Likely hits stand before possible ones. */
function rank({ grade, match }: ScreeningHit): number {
  return match.score + (grade === 'likely' ? 1 : 0);
}

/** Every three letters in a row, words in any order. */
function threesOf(text: string): ReadonlySet<string> {
  const threes = new Set<string>();
  for (const word of text.split(' ')) {
    const padded = ` ${word} `;
    for (let at = 0; at + 3 <= padded.length; at += 1) threes.add(padded.slice(at, at + 3));
  }
  return threes;
}
