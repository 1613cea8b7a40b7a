import type { ChainBooks, EscrowSaying, Movement } from './chain-books.ts';
import type { Claim } from './event-claims.ts';

/** Something that does not fit. Amounts are in micro-dollars. */
export interface Difference {
  readonly what: string;
  readonly ref?: string;
  readonly transaction?: string;
  readonly expected?: string;
  readonly found?: string;
}

/** What the books come to. Amounts are in micro-dollars. */
export interface Balance {
  /** Everything that came in from outside. */
  readonly in: bigint;
  /** Of that: payments and funded jobs that the feed tells. */
  readonly told_in: bigint;
  /** Paid to providers. */
  readonly paid_out: bigint;
  readonly refunded: bigint;
  /** What the treasury has: fees, prices, and what was put there. */
  readonly kept: bigint;
  /** What the escrow has: open jobs, money owed, money that became no job. */
  readonly held: bigint;
  readonly open_jobs: bigint;
  readonly owed: bigint;
  readonly unaccounted: bigint;
  readonly differences: readonly Difference[];
}

/** Compares the chain's books with what the feed tells. Pure. */
export function balanceBooks(books: ChainBooks, claims: readonly Claim[]): Balance {
  const audit = new Audit(books);
  for (const saying of books.sayings) audit.hear(saying);
  for (const claim of claims) audit.check(claim);
  return audit.close();
}

const BPS = 10_000n;

class Audit {
  readonly #books: ChainBooks;
  /** Movements that nothing accounts for yet. */
  readonly #left: Set<Movement>;
  readonly #open = new Map<string, EscrowSaying & { readonly name: 'JobEscrowed' }>();
  /** Ends and beginnings of jobs on the chain that the feed has still to tell. */
  readonly #untold: Set<EscrowSaying>;
  readonly #differences: Difference[] = [];
  readonly #claimed = new Set<string>();
  #toldIn = 0n;
  #paidOut = 0n;
  #refunded = 0n;
  #owed = 0n;

  constructor(books: ChainBooks) {
    this.#books = books;
    this.#left = new Set(books.movements);
    const told = ['JobEscrowed', 'JobReleased', 'JobRefunded'];
    this.#untold = new Set(books.sayings.filter(({ name }) => told.includes(name)));
  }

  hear(saying: EscrowSaying): void {
    switch (saying.name) {
      case 'JobEscrowed':
        return this.#escrowed(saying);
      case 'JobReleased':
        return this.#released(saying);
      case 'JobRefunded':
        return this.#returned(saying);
      case 'Owed':
        return;
      case 'OrphanReturned': {
        this.#came(saying, saying.amount);
        this.#left_escrow(saying, saying.party, saying.amount);
        this.#refunded += saying.amount;
      }
    }
  }
}
