import { matchPlain, type NameMatch } from '../registry/match.ts';
import { type PlainName, plainName } from '../registry/names.ts';

/** From this score on a listed name is told as a possible hit. */
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
      for (const three of threesOf(plain.text)) {
        const places = this.#places.get(three);
        if (places === undefined) this.#places.set(three, [place]);
        else places.push(place);
      }
    }
  }

  /** Those whose names are like one of these, the likest first, each party once. */
  search(names: readonly string[]): readonly ScreeningHit[] {
    const best = new Map<string, ScreeningHit>();
    for (const asked of names) {
      for (const hit of this.#like(asked)) {
        const known = best.get(hit.party.id);
        if (known === undefined || known.match.score < hit.match.score) best.set(hit.party.id, hit);
      }
    }
    const hits = [...best.values()].sort((one, other) => other.match.score - one.match.score);
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
    return [...counts].flatMap(([place, count]) => {
      const found = this.#names[place];
      if (found === undefined || count < threes.size * COMMON_MIN) return [];
      const match = matchPlain(plain, found.plain);
      if (match.score < HIT_SCORE) return [];
      return [{ party: found.party, asked, matched: found.name, match }];
    });
  }
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
