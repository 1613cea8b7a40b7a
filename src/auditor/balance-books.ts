import type { ChainBooks, EscrowEvent, Movement } from './chain-books.ts';
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
export interface BooksBalance {
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
  readonly thirdPartyJobs: number;
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
): BooksBalance {
  const audit = new BooksAudit(books, outside);
  for (const saying of books.sayings) audit.applyEvent(saying);
  for (const claim of claims) audit.applyClaim(claim);
  return audit.computeBalance();
}

/** Lists the transactions that funded a job which the feed does not report. */
export function listUnreportedFundings(
  { sayings }: ChainBooks,
  claims: readonly Claim[],
): readonly string[] {
  const reportedFundings = claims.filter(({ type }) => type === 'job.escrowed');
  const reportedTransactions = new Set(reportedFundings.map(({ transaction }) => transaction));
  const funded = sayings.filter(({ name }) => name === 'JobEscrowed');
  const transactions = new Set(funded.map(({ transaction }) => transaction));
  return [...transactions].filter((transaction) => !reportedTransactions.has(transaction));
}

type EventNamed<Name extends EscrowEvent['name']> = EscrowEvent & { readonly name: Name };

/** Purpose of an escrow payment. */
type Purpose = 'pay' | 'fee' | 'refund';

const BPS = 10_000n;
/** The escrow event that corresponds to each feed event. */
const ESCROW_EVENT_BY_TYPE = {
  'job.escrowed': 'JobEscrowed',
  'job.released': 'JobReleased',
  'job.refunded': 'JobRefunded',
} as const;

class BooksAudit {
  readonly #books: ChainBooks;
  /** Movements that are not explained yet. */
  readonly #remaining: Set<Movement>;
  readonly #byTransaction: ReadonlyMap<string, readonly Movement[]>;
  readonly #openJobs = new Map<string, EventNamed<'JobEscrowed'>>();
  /** Escrow events that the feed has not reported yet. */
  readonly #unreported: Set<EscrowEvent>;
  /** Money that could not be sent and was not withdrawn yet, in chain order. */
  readonly #owedMoney: Map<EventNamed<'Owed'>, Purpose>;
  readonly #outside: ReadonlySet<string>;
  readonly #differences: Difference[] = [];
  #toldIn = 0n;
  #paidOut = 0n;
  #refunded = 0n;
  #unaccounted = 0n;
  #unexplainedOut = 0n;

  constructor(books: ChainBooks, outside: ReadonlySet<string>) {
    this.#books = books;
    this.#outside = outside;
    // Anyone can make a transfer of zero for others.
    const moved = books.movements.filter(({ value }) => value > 0n);
    this.#remaining = new Set(moved);
    this.#byTransaction = groupByTransaction(moved);
    const told: readonly string[] = Object.values(ESCROW_EVENT_BY_TYPE);
    this.#unreported = new Set(books.sayings.filter(({ name }) => told.includes(name)));
    const owed = books.sayings.filter((each): each is EventNamed<'Owed'> => each.name === 'Owed');
    this.#owedMoney = new Map(owed.map((each) => [each, 'pay']));
  }

  applyEvent(saying: EscrowEvent): void {
    switch (saying.name) {
      case 'JobEscrowed':
        this.#onEscrowed(saying);
        break;
      case 'JobReleased':
        this.#onReleased(saying);
        break;
      case 'JobRefunded':
        this.#onRefunded(saying);
        break;
      case 'OrphanReturned':
        this.#matchDeposit(saying);
        this.#matchPayout(saying, saying.party, saying.amount, 'refund');
        break;
      case 'Owed':
        break;
    }
  }

  #onEscrowed(saying: EventNamed<'JobEscrowed'>): void {
    if (this.#openJobs.has(saying.key)) this.#addDifference('a job was escrowed twice', saying);
    this.#openJobs.set(saying.key, saying);
    this.#matchDeposit(saying);
  }

  #onReleased(saying: EventNamed<'JobReleased'>): void {
    const job = this.#closeJob(saying);
    const { net, fee, party } = saying;
    const expectedTotal = job === undefined ? net + fee : job.amount;
    const expectedFee = job === undefined ? fee : (expectedTotal * BigInt(job.feeBps)) / BPS;
    if (net + fee !== expectedTotal)
      this.#addDifference(
        'a release differs from the escrowed amount',
        saying,
        expectedTotal,
        net + fee,
      );
    if (fee !== expectedFee)
      this.#addDifference('a fee differs from the agreed rate', saying, expectedFee, fee);
    this.#matchPayout(saying, party, net, 'pay');
    if (fee > 0n) this.#matchPayout(saying, this.#books.treasury, fee, 'fee');
  }

  #onRefunded(saying: EventNamed<'JobRefunded'>): void {
    const job = this.#closeJob(saying);
    const expectedAmount = job?.amount ?? saying.amount;
    if (saying.amount !== expectedAmount) {
      this.#addDifference(
        'a refund differs from the escrowed amount',
        saying,
        expectedAmount,
        saying.amount,
      );
    }
    this.#matchPayout(saying, saying.party, saying.amount, 'refund');
  }

  #closeJob(
    saying: EventNamed<'JobReleased' | 'JobRefunded'>,
  ): EventNamed<'JobEscrowed'> | undefined {
    const job = this.#openJobs.get(saying.key);
    if (job === undefined) this.#addDifference('a job ended that was not open', saying);
    this.#openJobs.delete(saying.key);
    return job;
  }

  /** Matches the deposit of a party into the escrow, in the same transaction or an earlier one. */
  #matchDeposit(saying: EventNamed<'JobEscrowed' | 'OrphanReturned'>): void {
    const { party: from, amount: value, transaction } = saying;
    const order = { from, to: this.#books.escrow ?? '', value };
    const found = this.#takeMovement({ ...order, transaction }) ?? this.#takeMovement(order);
    if (found === undefined)
      this.#addDifference('a job was escrowed without its deposit', saying, value);
  }

  #matchPayout(saying: EscrowEvent, to: string, value: bigint, why: Purpose): void {
    if (value === 0n) return;
    const { transaction } = saying;
    const found = this.#takeMovement({ transaction, from: this.#books.escrow ?? '', to, value });
    if (found !== undefined) {
      this.#countPayout(found, why);
      return;
    }
    // A party that could not receive the money withdraws it later.
    const owed = [...this.#owedMoney.keys()].find(
      (each) => each.transaction === transaction && each.party === to && each.amount === value,
    );
    if (owed !== undefined) this.#owedMoney.set(owed, why);
    else this.#addDifference('the escrow reported a payment that it did not make', saying, value);
  }

  /** Counts an outgoing payment. If the recipient is one of our accounts, the money stays. */
  #countPayout({ to, value }: Movement, why: Purpose): void {
    if (to === this.#books.escrow) this.#unaccounted += value;
    else if (this.#isOurs(to)) return;
    else if (why === 'refund') this.#refunded += value;
    else this.#paidOut += value;
  }

  #isOurs(address: string): boolean {
    return address === this.#books.treasury || address === this.#books.escrow;
  }

  applyClaim(claim: Claim): void {
    if (claim.isEscrow) this.#matchEscrowEvent(claim);
    else this.#matchMovement(claim);
  }

  #matchMovement({ type, ref, transaction, amount, price, fee }: Claim): void {
    const { treasury } = this.#books;
    const isIn = type === 'settlement.settled';
    const movement = this.#takeMovement({
      transaction,
      value: amount,
      [isIn ? 'to' : 'from']: treasury,
    });
    if (movement === undefined) {
      const [found] = this.#byTransaction.get(transaction) ?? [];
      this.#differences.push({
        what: `${type} is in the feed but not on the chain`,
        ref,
        transaction,
        expected: `${amount}`,
        found: found === undefined ? 'nothing' : `${found.value}`,
      });
      return;
    }
    if (!isIn) this.#countPayout(movement, type === 'job.released' ? 'pay' : 'refund');
    else if (!this.#isOurs(movement.from)) this.#toldIn += amount;
    if (type === 'job.released' && amount + fee !== price) {
      const sum = { expected: `${price}`, found: `${amount + fee}` };
      this.#differences.push({ what: 'share + fee is not the price', ref, transaction, ...sum });
    }
  }

  #matchEscrowEvent({ type, ref, transaction, amount, fee }: Claim): void {
    const name = ESCROW_EVENT_BY_TYPE[type as keyof typeof ESCROW_EVENT_BY_TYPE];
    const fits = (said: EscrowEvent): boolean =>
      said.name === name &&
      said.transaction === transaction &&
      (said.name === 'JobReleased'
        ? said.net === amount && said.fee === fee
        : 'amount' in said && said.amount === amount);
    const said = [...this.#unreported].find(fits);
    if (said !== undefined) {
      this.#unreported.delete(said);
      if (name === 'JobEscrowed') this.#toldIn += amount;
      return;
    }
    const what = `${type} is in the feed but the escrow did not emit it`;
    this.#differences.push({ what, ref, transaction, expected: `${amount}`, found: 'nothing' });
  }

  computeBalance(): BooksBalance {
    const { movements, balances } = this.#books;
    const moneyIn = sumValues(
      movements.filter(({ from, to }) => !this.#isOurs(from) && this.#isOurs(to)),
    );
    const moneyOut = sumValues(
      movements.filter(({ from, to }) => this.#isOurs(from) && !this.#isOurs(to)),
    );
    const others = this.#listThirdPartyJobs();
    for (const said of this.#unreported) {
      const isOthers = 'key' in said && others.has(said.key);
      if (!isOthers)
        this.#addDifference('the escrow emitted an event that is not in the feed', said);
    }
    for (const movement of this.#remaining) this.#explainMovement(movement);
    const owed = [...this.#owedMoney.keys()].reduce((all, { amount }) => all + amount, 0n);
    const openJobs = [...this.#openJobs.values()].reduce((all, { amount }) => all + amount, 0n);
    const [paidOut, refunded, untoldOut] = [this.#paidOut, this.#refunded, this.#unexplainedOut];
    const unaccounted = this.#unaccounted;
    this.#compareTotals('out = paid out + refunded', moneyOut, paidOut + refunded + untoldOut);
    this.#compareTotals(
      'in = out + kept + held',
      moneyIn,
      moneyOut + balances.treasury + balances.escrow,
    );
    this.#compareTotals(
      'held = open + owed + no job',
      balances.escrow,
      openJobs + owed + unaccounted,
    );
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
      untoldOut: untoldOut,
      thirdPartyJobs: others.size,
      differences: this.#differences,
    };
  }

  #listThirdPartyJobs(): ReadonlySet<string> {
    const keys = [...this.#unreported].flatMap((said) =>
      said.name === 'JobEscrowed' && this.#outside.has(said.transaction) ? [said.key] : [],
    );
    return new Set(keys);
  }

  /** Explains a movement that neither the feed nor the escrow reported. */
  #explainMovement(movement: Movement): void {
    const { from, to, value, transaction } = movement;
    const { escrow } = this.#books;
    if (to === escrow && from !== escrow) {
      this.#unaccounted += value;
      return;
    }
    if (!this.#isOurs(from) || (from === escrow && this.#isWithdrawal(movement))) return;
    const what = 'money left without an event in the feed';
    this.#differences.push({ what, transaction, expected: '0', found: `${value}` });
    if (!this.#isOurs(to)) this.#unexplainedOut += value;
  }

  /** Checks whether a movement is a withdrawal of all that a party is owed, to any address. */
  #isWithdrawal(movement: Movement): boolean {
    const due = [...this.#owedMoney.keys()].filter((owed) => isBefore(owed, movement));
    for (const party of new Set(due.map((owed) => owed.party))) {
      const its = due.filter((owed) => owed.party === party);
      if (its.reduce((all, { amount }) => all + amount, 0n) !== movement.value) continue;
      for (const owed of its) {
        this.#countPayout({ ...movement, value: owed.amount }, this.#owedMoney.get(owed) ?? 'pay');
        this.#owedMoney.delete(owed);
      }
      return true;
    }
    return false;
  }

  #compareTotals(what: string, expected: bigint, found: bigint): void {
    if (expected === found) return;
    this.#differences.push({ what, expected: `${expected}`, found: `${found}` });
  }

  /** Removes and returns the first remaining movement that matches. */
  #takeMovement(wanted: Partial<Movement>): Movement | undefined {
    const fields = Object.entries(wanted) as [keyof Movement, unknown][];
    const { transaction } = wanted;
    const among =
      transaction === undefined ? this.#remaining : (this.#byTransaction.get(transaction) ?? []);
    const found = [...among].find(
      (each) => this.#remaining.has(each) && fields.every(([name, value]) => each[name] === value),
    );
    if (found !== undefined) this.#remaining.delete(found);
    return found;
  }

  #addDifference(what: string, saying: EscrowEvent, expected?: bigint, found?: bigint): void {
    const { transaction } = saying;
    const amounts = {
      ...(expected === undefined ? {} : { expected: `${expected}` }),
      ...(found === undefined ? {} : { found: `${found}` }),
    };
    this.#differences.push({ what: `${what} (${saying.name})`, transaction, ...amounts });
  }
}

function groupByTransaction(
  movements: readonly Movement[],
): ReadonlyMap<string, readonly Movement[]> {
  const groups = new Map<string, Movement[]>();
  for (const each of movements) {
    const group = groups.get(each.transaction);
    if (group === undefined) groups.set(each.transaction, [each]);
    else group.push(each);
  }
  return groups;
}

function sumValues(movements: readonly Movement[]): bigint {
  return movements.reduce((all, { value }) => all + value, 0n);
}

function isBefore(
  one: { readonly block: number; readonly logIndex: number },
  other: { readonly block: number; readonly logIndex: number },
): boolean {
  return one.block < other.block || (one.block === other.block && one.logIndex < other.logIndex);
}
