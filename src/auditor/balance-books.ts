import type { ChainBooks, EscrowSaying, Movement } from './chain-books.ts';
import type { Claim } from './event-claims.ts';

/** A mismatch between chain and feed. Amounts are in micro-dollars. */
export interface Difference {
  readonly what: string;
  readonly ref?: string;
  readonly transaction?: string;
  readonly expected?: string;
  readonly found?: string;
}

/** The balance of the books, in micro-dollars. */
export interface Balance {
  /** Total received from outside. */
  readonly in: bigint;
  /** Part of `in` that the feed reports as payments and funded jobs. */
  readonly toldIn: bigint;
  /** Paid to providers. */
  readonly paidOut: bigint;
  readonly refunded: bigint;
  /** Balance of the treasury: fees, prices and deposits. */
  readonly kept: bigint;
  /** Balance of the escrow: open jobs, money owed, and deposits without a job. */
  readonly held: bigint;
  readonly openJobs: bigint;
  readonly owed: bigint;
  readonly unaccounted: bigint;
  /** Outflow that nothing explains; each part is a difference. */
  readonly untoldOut: bigint;
  /** Jobs that third parties put into the escrow without the server. */
  readonly jobsOfOthers: number;
  readonly differences: readonly Difference[];
}

/**
 * Compares the books of the chain with the feed. A pure function. Anyone can put a job into the
 * escrow, send money or make a transfer of zero for others; these are not differences.
 *
 * @param outside - Transactions by which third parties funded jobs that the feed does not report.
 */
export function balanceBooks(
  books: ChainBooks,
  claims: readonly Claim[],
  outside: ReadonlySet<string> = new Set(),
): Balance {
  const audit = new Audit(books, outside);
  for (const saying of books.sayings) audit.hear(saying);
  for (const claim of claims) audit.check(claim);
  return audit.close();
}

/** Lists the transactions that funded a job which the feed does not report. */
export function listUntoldFundings(
  { sayings }: ChainBooks,
  claims: readonly Claim[],
): readonly string[] {
  const told = claims.filter(({ type }) => type === 'job.escrowed');
  const known = new Set(told.map(({ transaction }) => transaction));
  const funded = sayings.filter(({ name }) => name === 'JobEscrowed');
  const transactions = new Set(funded.map(({ transaction }) => transaction));
  return [...transactions].filter((transaction) => !known.has(transaction));
}

type Saying<Name extends EscrowSaying['name']> = EscrowSaying & { readonly name: Name };

/** Purpose of an escrow payment. */
type Purpose = 'pay' | 'fee' | 'refund';

const BPS = 10_000n;
/** The escrow event that corresponds to each feed event. */
const SAID = {
  'job.escrowed': 'JobEscrowed',
  'job.released': 'JobReleased',
  'job.refunded': 'JobRefunded',
} as const;

class Audit {
  readonly #books: ChainBooks;
  /** Movements that are not explained yet. */
  readonly #left: Set<Movement>;
  readonly #byTransaction: ReadonlyMap<string, readonly Movement[]>;
  readonly #open = new Map<string, Saying<'JobEscrowed'>>();
  /** Escrow events that the feed has not reported yet. */
  readonly #untold: Set<EscrowSaying>;
  /** Money that could not be sent and was not withdrawn yet, in chain order. */
  readonly #owing: Map<Saying<'Owed'>, Purpose>;
  readonly #outside: ReadonlySet<string>;
  readonly #differences: Difference[] = [];
  #toldIn = 0n;
  #paidOut = 0n;
  #refunded = 0n;
  #unaccounted = 0n;
  #untoldOut = 0n;

  constructor(books: ChainBooks, outside: ReadonlySet<string>) {
    this.#books = books;
    this.#outside = outside;
    // Anyone can make a transfer of zero for others.
    const moved = books.movements.filter(({ value }) => value > 0n);
    this.#left = new Set(moved);
    this.#byTransaction = byTransaction(moved);
    const told: readonly string[] = Object.values(SAID);
    this.#untold = new Set(books.sayings.filter(({ name }) => told.includes(name)));
    const owed = books.sayings.filter((each): each is Saying<'Owed'> => each.name === 'Owed');
    this.#owing = new Map(owed.map((each) => [each, 'pay']));
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
      this.#differ('a release differs from the escrowed amount', saying, wanted, net + fee);
    if (fee !== due) this.#differ('a fee differs from the agreed rate', saying, due, fee);
    this.#went(saying, party, net, 'pay');
    if (fee > 0n) this.#went(saying, this.#books.treasury, fee, 'fee');
  }

  #givenBack(saying: Saying<'JobRefunded'>): void {
    const job = this.#ended(saying);
    const wanted = job?.amount ?? saying.amount;
    if (saying.amount !== wanted) {
      this.#differ('a refund differs from the escrowed amount', saying, wanted, saying.amount);
    }
    this.#went(saying, saying.party, saying.amount, 'refund');
  }

  #ended(saying: Saying<'JobReleased' | 'JobRefunded'>): Saying<'JobEscrowed'> | undefined {
    const job = this.#open.get(saying.key);
    if (job === undefined) this.#differ('a job ended that was not open', saying);
    this.#open.delete(saying.key);
    return job;
  }

  /** Matches the deposit of a party into the escrow, in the same transaction or an earlier one. */
  #came(saying: Saying<'JobEscrowed' | 'OrphanReturned'>): void {
    const { party: from, amount: value, transaction } = saying;
    const order = { from, to: this.#books.escrow ?? '', value };
    const found = this.#take({ ...order, transaction }) ?? this.#take(order);
    if (found === undefined) this.#differ('a job was escrowed without its deposit', saying, value);
  }

  #went(saying: EscrowSaying, to: string, value: bigint, why: Purpose): void {
    if (value === 0n) return;
    const { transaction } = saying;
    const found = this.#take({ transaction, from: this.#books.escrow ?? '', to, value });
    if (found !== undefined) {
      this.#sent(found, why);
      return;
    }
    // A party that could not receive the money withdraws it later.
    const owed = [...this.#owing.keys()].find(
      (each) => each.transaction === transaction && each.party === to && each.amount === value,
    );
    if (owed !== undefined) this.#owing.set(owed, why);
    else this.#differ('the escrow reported a payment that it did not make', saying, value);
  }

  /** Counts an outgoing payment. If the recipient is one of our accounts, the money stays. */
  #sent({ to, value }: Movement, why: Purpose): void {
    if (to === this.#books.escrow) this.#unaccounted += value;
    else if (this.#isOurs(to)) return;
    else if (why === 'refund') this.#refunded += value;
    else this.#paidOut += value;
  }

  #isOurs(address: string): boolean {
    return address === this.#books.treasury || address === this.#books.escrow;
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
        ...{ what: `${type} is in the feed but not on the chain`, ref, transaction },
        ...{ expected: `${amount}`, found: found === undefined ? 'nothing' : `${found.value}` },
      });
      return;
    }
    if (!isIn) this.#sent(movement, type === 'job.released' ? 'pay' : 'refund');
    else if (!this.#isOurs(movement.from)) this.#toldIn += amount;
    if (type === 'job.released' && amount + fee !== price) {
      const sum = { expected: `${price}`, found: `${amount + fee}` };
      this.#differences.push({ what: 'share + fee is not the price', ref, transaction, ...sum });
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
    const what = `${type} is in the feed but the escrow did not emit it`;
    this.#differences.push({ what, ref, transaction, expected: `${amount}`, found: 'nothing' });
  }

  close(): Balance {
    const { movements, balances } = this.#books;
    const moneyIn = sum(
      movements.filter(({ from, to }) => !this.#isOurs(from) && this.#isOurs(to)),
    );
    const moneyOut = sum(
      movements.filter(({ from, to }) => this.#isOurs(from) && !this.#isOurs(to)),
    );
    const others = this.#listJobsOfOthers();
    for (const said of this.#untold) {
      const isOthers = 'key' in said && others.has(said.key);
      if (!isOthers) this.#differ('the escrow emitted an event that is not in the feed', said);
    }
    for (const movement of this.#left) this.#explain(movement);
    const owed = [...this.#owing.keys()].reduce((all, { amount }) => all + amount, 0n);
    const openJobs = [...this.#open.values()].reduce((all, { amount }) => all + amount, 0n);
    const [paidOut, refunded, untoldOut] = [this.#paidOut, this.#refunded, this.#untoldOut];
    const unaccounted = this.#unaccounted;
    this.#equal('out = paid out + refunded', moneyOut, paidOut + refunded + untoldOut);
    this.#equal('in = out + kept + held', moneyIn, moneyOut + balances.treasury + balances.escrow);
    this.#equal('held = open + owed + no job', balances.escrow, openJobs + owed + unaccounted);
    return {
      in: moneyIn,
      toldIn: this.#toldIn,
      paidOut,
      refunded,
      kept: balances.treasury,
      held: balances.escrow,
      openJobs,
      owed,
      unaccounted,
      untoldOut,
      jobsOfOthers: others.size,
      differences: this.#differences,
    };
  }

  #listJobsOfOthers(): ReadonlySet<string> {
    const keys = [...this.#untold].flatMap((said) =>
      said.name === 'JobEscrowed' && this.#outside.has(said.transaction) ? [said.key] : [],
    );
    return new Set(keys);
  }

  /** Explains a movement that neither the feed nor the escrow reported. */
  #explain(movement: Movement): void {
    const { from, to, value, transaction } = movement;
    const { escrow } = this.#books;
    if (to === escrow && from !== escrow) {
      this.#unaccounted += value;
      return;
    }
    if (!this.#isOurs(from) || (from === escrow && this.#isFetched(movement))) return;
    const what = 'money left without an event in the feed';
    this.#differences.push({ what, transaction, expected: '0', found: `${value}` });
    if (!this.#isOurs(to)) this.#untoldOut += value;
  }

  /** Checks whether a movement is a withdrawal of all that a party is owed, to any address. */
  #isFetched(movement: Movement): boolean {
    const due = [...this.#owing.keys()].filter((owed) => isBefore(owed, movement));
    for (const party of new Set(due.map((owed) => owed.party))) {
      const its = due.filter((owed) => owed.party === party);
      if (its.reduce((all, { amount }) => all + amount, 0n) !== movement.value) continue;
      for (const owed of its) {
        this.#sent({ ...movement, value: owed.amount }, this.#owing.get(owed) ?? 'pay');
        this.#owing.delete(owed);
      }
      return true;
    }
    return false;
  }

  #equal(what: string, expected: bigint, found: bigint): void {
    if (expected === found) return;
    this.#differences.push({ what, expected: `${expected}`, found: `${found}` });
  }

  /** Removes and returns the first remaining movement that matches. */
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

function isBefore(
  one: { readonly block: number; readonly logIndex: number },
  other: { readonly block: number; readonly logIndex: number },
): boolean {
  return one.block < other.block || (one.block === other.block && one.logIndex < other.logIndex);
}
