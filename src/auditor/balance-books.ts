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

/** What the books come to, in micro-dollars. */
export interface Balance {
  /** Everything that came in from outside. */
  readonly in: bigint;
  /** Of that, payments and funded jobs that the feed tells. */
  readonly toldIn: bigint;
  /** Paid to providers. */
  readonly paidOut: bigint;
  readonly refunded: bigint;
  /** What the treasury has: fees, prices, and what was put there. */
  readonly kept: bigint;
  /** What the escrow has: open jobs, money owed, and money that became no job. */
  readonly held: bigint;
  readonly openJobs: bigint;
  readonly owed: bigint;
  readonly unaccounted: bigint;
  readonly differences: readonly Difference[];
}

/** Compares the chain's books with what the feed tells. It only computes. */
export function balanceBooks(books: ChainBooks, claims: readonly Claim[]): Balance {
  const audit = new Audit(books);
  for (const saying of books.sayings) audit.hear(saying);
  for (const claim of claims) audit.check(claim);
  return audit.close();
}

type Saying<Name extends EscrowSaying['name']> = EscrowSaying & { readonly name: Name };

const BPS = 10_000n;
/** The saying of the escrow that each event of an escrowed job tells. */
const SAID = {
  'job.escrowed': 'JobEscrowed',
  'job.released': 'JobReleased',
  'job.refunded': 'JobRefunded',
} as const;

class Audit {
  readonly #books: ChainBooks;
  /** Movements that nothing accounts for yet. */
  readonly #left: Set<Movement>;
  readonly #byTransaction: ReadonlyMap<string, readonly Movement[]>;
  readonly #open = new Map<string, Saying<'JobEscrowed'>>();
  /** What the escrow said and the feed has still to tell. */
  readonly #untold: Set<EscrowSaying>;
  readonly #owing: Set<EscrowSaying>;
  readonly #differences: Difference[] = [];
  #toldIn = 0n;
  #paidOut = 0n;
  #refunded = 0n;

  constructor(books: ChainBooks) {
    this.#books = books;
    this.#left = new Set(books.movements);
    this.#byTransaction = byTransaction(books.movements);
    const told: readonly string[] = Object.values(SAID);
    this.#untold = new Set(books.sayings.filter(({ name }) => told.includes(name)));
    this.#owing = new Set(books.sayings.filter(({ name }) => name === 'Owed'));
  }

  hear(saying: EscrowSaying): void {
    switch (saying.name) {
      case 'JobEscrowed':
        this.#escrowed(saying);
        break;
      case 'JobReleased':
        this.#released(saying);
        break;
      case 'JobRefunded':
        this.#givenBack(saying);
        break;
      case 'OrphanReturned':
        this.#came(saying);
        this.#went(saying, saying.party, saying.amount, 'refund');
        break;
      case 'Owed':
        break;
    }
  }

  #escrowed(saying: Saying<'JobEscrowed'>): void {
    if (this.#open.has(saying.key)) this.#differ('a job was escrowed twice', saying);
    this.#open.set(saying.key, saying);
    this.#came(saying);
  }

  #released(saying: Saying<'JobReleased'>): void {
    const job = this.#ended(saying);
    const { net, fee, party } = saying;
    const wanted = job === undefined ? net + fee : job.amount;
    const due = job === undefined ? fee : (wanted * BigInt(job.feeBps)) / BPS;
    if (net + fee !== wanted)
      this.#differ('a release is not the amount', saying, wanted, net + fee);
    if (fee !== due) this.#differ('a fee is not what was agreed', saying, due, fee);
    this.#went(saying, party, net, 'pay');
    if (fee > 0n) this.#went(saying, this.#books.treasury, fee, 'fee');
  }

  #givenBack(saying: Saying<'JobRefunded'>): void {
    const job = this.#ended(saying);
    const wanted = job?.amount ?? saying.amount;
    if (saying.amount !== wanted) {
      this.#differ('a refund is not the amount', saying, wanted, saying.amount);
    }
    this.#went(saying, saying.party, saying.amount, 'refund');
  }

  #ended(saying: Saying<'JobReleased' | 'JobRefunded'>): Saying<'JobEscrowed'> | undefined {
    const job = this.#open.get(saying.key);
    if (job === undefined) this.#differ('a job ended that was not open', saying);
    this.#open.delete(saying.key);
    return job;
  }

  /** Money of a party into the escrow: in the same transaction, or before it. */
  #came(saying: Saying<'JobEscrowed' | 'OrphanReturned'>): void {
    const { party: from, amount: value, transaction } = saying;
    const order = { from, to: this.#books.escrow ?? '', value };
    const found = this.#take({ ...order, transaction }) ?? this.#take(order);
    if (found === undefined) this.#differ('a job was escrowed without its money', saying, value);
  }

  #went(saying: EscrowSaying, to: string, value: bigint, why: 'pay' | 'fee' | 'refund'): void {
    const { transaction } = saying;
    const found = this.#take({ transaction, from: this.#books.escrow ?? '', to, value });
    if (found !== undefined) {
      if (why === 'pay') this.#paidOut += value;
      if (why === 'refund') this.#refunded += value;
      return;
    }
    // A party that could not receive fetches its money later.
    const isOwed = [...this.#owing].some(
      (owed) =>
        owed.name === 'Owed' &&
        owed.transaction === transaction &&
        owed.party === to &&
        owed.amount === value,
    );
    if (!isOwed) this.#differ('the escrow said that it paid, and did not', saying, value);
  }

  check(claim: Claim): void {
    if (claim.isEscrow) this.#said(claim);
    else this.#moved(claim);
  }

  #moved({ type, ref, transaction, amount, price, fee }: Claim): void {
    const { treasury } = this.#books;
    const isIn = type === 'settlement.settled';
    const movement = this.#take({ transaction, value: amount, [isIn ? 'to' : 'from']: treasury });
    if (movement === undefined) {
      const [found] = this.#byTransaction.get(transaction) ?? [];
      this.#differences.push({
        ...{ what: `${type} is told and is not on the chain`, ref, transaction },
        ...{ expected: `${amount}`, found: found === undefined ? 'nothing' : `${found.value}` },
      });
      return;
    }
    if (isIn) this.#toldIn += amount;
    else if (type === 'job.released') this.#paidOut += amount;
    else this.#refunded += amount;
    if (type === 'job.released' && amount + fee !== price) {
      const sum = { expected: `${price}`, found: `${amount + fee}` };
      this.#differences.push({ what: 'share and fee are not the price', ref, transaction, ...sum });
    }
  }

  #said({ type, ref, transaction, amount, fee }: Claim): void {
    const name = SAID[type as keyof typeof SAID];
    const fits = (said: EscrowSaying): boolean =>
      said.name === name &&
      said.transaction === transaction &&
      (said.name === 'JobReleased'
        ? said.net === amount && said.fee === fee
        : 'amount' in said && said.amount === amount);
    const said = [...this.#untold].find(fits);
    if (said !== undefined) {
      this.#untold.delete(said);
      if (name === 'JobEscrowed') this.#toldIn += amount;
      return;
    }
    const what = `${type} is told and the escrow did not say it`;
    this.#differences.push({ what, ref, transaction, expected: `${amount}`, found: 'nothing' });
  }

  close(): Balance {
    const { treasury, escrow, movements, balances } = this.#books;
    const ours = [treasury, escrow ?? treasury];
    const isOurs = (address: string) => ours.includes(address as `0x${string}`);
    const moneyIn = sum(movements.filter((each) => !isOurs(each.from)));
    const moneyOut = sum(movements.filter((each) => !isOurs(each.to)));
    for (const said of this.#untold) this.#differ('the escrow said it and nothing tells it', said);
    const owing = [...this.#owing].map((each) => ('amount' in each ? each.amount : 0n));
    let owed = owing.reduce((all, each) => all + each, 0n);
    let unaccounted = 0n;
    for (const movement of this.#left) {
      const { from, to, value, transaction } = movement;
      if (to === escrow && from !== escrow) unaccounted += value;
      else if (from === escrow && value <= owed) {
        owed -= value;
        this.#paidOut += value;
      } else if (isOurs(from)) {
        const what = 'money went out and nothing tells it';
        this.#differences.push({ what, transaction, expected: '0', found: `${value}` });
      }
    }
    const openJobs = [...this.#open.values()].reduce((all, { amount }) => all + amount, 0n);
    this.#equal('in = out + kept + held', moneyIn, moneyOut + balances.treasury + balances.escrow);
    this.#equal('held = open + owed + no job', balances.escrow, openJobs + owed + unaccounted);
    return {
      ...{ in: moneyIn, toldIn: this.#toldIn, paidOut: this.#paidOut, refunded: this.#refunded },
      ...{ kept: balances.treasury, held: balances.escrow, openJobs, owed, unaccounted },
      differences: this.#differences,
    };
  }

  #equal(what: string, expected: bigint, found: bigint): void {
    if (expected === found) return;
    this.#differences.push({ what, expected: `${expected}`, found: `${found}` });
  }

  /** Takes the first movement that fits out of those that are left. */
  #take(wanted: Partial<Movement>): Movement | undefined {
    const fields = Object.entries(wanted) as [keyof Movement, unknown][];
    const { transaction } = wanted;
    const among =
      transaction === undefined ? this.#left : (this.#byTransaction.get(transaction) ?? []);
    const found = [...among].find(
      (each) => this.#left.has(each) && fields.every(([name, value]) => each[name] === value),
    );
    if (found !== undefined) this.#left.delete(found);
    return found;
  }

  #differ(what: string, saying: EscrowSaying, expected?: bigint, found?: bigint): void {
    const { transaction } = saying;
    const amounts = {
      ...(expected === undefined ? {} : { expected: `${expected}` }),
      ...(found === undefined ? {} : { found: `${found}` }),
    };
    this.#differences.push({ what: `${what} (${saying.name})`, transaction, ...amounts });
  }
}

function byTransaction(movements: readonly Movement[]): ReadonlyMap<string, readonly Movement[]> {
  const groups = new Map<string, Movement[]>();
  for (const each of movements) {
    const group = groups.get(each.transaction);
    if (group === undefined) groups.set(each.transaction, [each]);
    else group.push(each);
  }
  return groups;
}

function sum(movements: readonly Movement[]): bigint {
  return movements.reduce((all, { value }) => all + value, 0n);
}
