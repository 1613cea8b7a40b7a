import { expect, test } from 'vitest';
import { definePayment } from '../../src/actors/payment/definition.ts';
import { PaymentFlow } from '../../src/actors/payment/payment-flow.ts';
import { createWalletAuth } from '../../src/actors/wallet/wallet-auth.ts';
import { sha256Hex } from '../../src/domain/common/hash.ts';
import type { PaymentPayload } from '../../src/domain/payment/payment.ts';
import { createEngine } from '../../src/runtime/engine/engine.ts';
import { memoryStore } from '../../src/runtime/store/memory-store.ts';
import { SimulatedClock } from '../../src/runtime/timer/clock.ts';
import { createMemoryPaymentChain } from '../support/chain-memory/memory-chain.ts';
import { createMemoryLedger } from '../support/chain-memory/memory-ledger.ts';
import { memoryPaymentIds } from '../support/memory-payment-ids.ts';
import { createPayer, type Payer, requirementsOf } from '../support/payer.ts';
import { drive, textResult } from '../support/payment-world.ts';
import { isSignedByKey, signingWallet, TEST_DOMAIN } from '../support/signing-wallet.ts';
import { type Attempt, search } from './search.ts';

const PRICE = '250000';
const RICH = '1000000000';
const START = Date.UTC(2026, 0, 1);
const TOOLS = ['ops_link-integrity', 'oracle_price-feed'];
const ARGS = [{ urls: ['https://example.org/'] }, { urls: ['https://other.org/'] }];
const PAYERS = [createPayer(), createPayer()];
const TREASURY_KEY = createPayer().privateKey;
/** Order of the curve that wallets sign on. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
/** Share of a search that is played of this kind; the other half belongs to the other search. */
const ROUNDS_MAX = 60;

/** What one directory keeps over restarts. */
interface Directory {
  readonly name: number;
  readonly store: ReturnType<typeof memoryStore>;
  readonly ids: ReturnType<typeof memoryPaymentIds>;
  readonly journal: Set<string>;
}

/** A running server of the treasury. */
interface Server {
  readonly directory: Directory;
  readonly payments: PaymentFlow;
}

/** A history of several servers on one treasury, with all that was answered. */
class History {
  readonly clock = new SimulatedClock(START);
  readonly ledger = createMemoryLedger();
  readonly servers: Server[] = [];
  readonly signed: PaymentPayload[] = [];
  /** Authorizations with the answers that they bought. */
  readonly answers = new Map<string, Set<string>>();
  /** Identifiers of a payer at a directory with the authorizations that bought an answer. */
  readonly named = new Map<string, Set<string>>();
  readonly #attempt: Attempt;
  #directories = 0;
  #runs = 0;
  #texts = new Map<string, string>();

  constructor(attempt: Attempt) {
    this.#attempt = attempt;
  }

  async begin(): Promise<void> {
    for (let each = 0; each < 2; each += 1) this.servers.push(await this.#start(this.#empty()));
  }

  async step(): Promise<void> {
    const { pick, integer, random } = this.#attempt;
    switch (
      pick(['pay', 'pay', 'pay', 'again', 'again', 'outside', 'restart', 'restore', 'time'])
    ) {
      case 'pay':
        return this.#present([await this.#fresh()]);
      case 'again': {
        const known = this.signed.length === 0 ? await this.#fresh() : pick(this.signed);
        const times = random() < 0.5 ? 1 : integer(2, 4);
        return this.#present(Array.from({ length: times }, () => this.#changed(known)));
      }
      case 'outside':
        return this.#outside(this.signed.length === 0 ? await this.#fresh() : pick(this.signed));
      case 'restart':
      case 'restore': {
        // What is put back is older than all that was sold: it knows nothing of it.
        const at = integer(0, this.servers.length - 1);
        const { directory } = this.servers[at] as Server;
        const isOlder = random() < 0.5;
        this.servers[at] = await this.#start(isOlder ? this.#empty() : directory);
        return;
      }
      case 'time':
        await this.clock.advance(integer(0, 60_000));
    }
  }

  /** One answer for an authorization, one payment for a name, and each answer was paid. */
  judge(): void {
    for (const [key, texts] of this.answers) {
      expect([...texts], `${key} bought more than one answer`).toHaveLength(1);
    }
    for (const [name, keys] of this.named) {
      expect([...keys], `${name} stands for more than one payment`).toHaveLength(1);
    }
    const keys = [...this.answers.keys()];
    const paid = this.ledger.transfers.filter(({ value }) => value === BigInt(PRICE));
    const moved = new Set(paid.map(({ from, nonce }) => `${from}:${nonce}`.toLowerCase()));
    for (const key of keys) expect(moved.has(key), `${key} was answered and not paid`).toBe(true);
    const own = paid.filter(({ isPreempted }) => !isPreempted);
    const answered = new Set(keys);
    for (const { from, nonce } of own) {
      const key = `${from}:${nonce}`.toLowerCase();
      expect(answered.has(key), `${key} was paid and not answered`).toBe(true);
    }
  }

  async #fresh(): Promise<PaymentPayload> {
    const { pick, random, integer } = this.#attempt;
    const payer: Payer = pick(PAYERS);
    const { chain } = this.#chainOf(this.#empty());
    const offer = requirementsOf(chain.facts, { amount: PRICE });
    const payload = await payer.pay(offer, { now: this.clock.now() });
    const info = { required: false, id: `order_of_payer_${integer(0, 5)}` };
    const named = { ...payload, extensions: { 'payment-identifier': { info } } };
    const made = random() < 0.5 ? payload : named;
    this.signed.push(made);
    return made;
  }

  /** What a payer can change of something that was signed. */
  #changed(payload: PaymentPayload): PaymentPayload {
    const { pick, hex, integer } = this.#attempt;
    const { authorization, signature } = payload.payload;
    const terms = (over: object): PaymentPayload => ({
      ...payload,
      payload: { signature, authorization: { ...authorization, ...over } },
    });
    const signedAs = (text: string): PaymentPayload => ({
      ...payload,
      payload: { signature: text, authorization },
    });
    switch (
      pick(['same', 'same', 'nonce', 'value', 'case', 'end', 'high s', 'bits', 'id', 'no id'])
    ) {
      case 'nonce':
        return terms({ nonce: `0x${hex(32)}` });
      case 'value':
        return terms({ value: String(integer(0, 2 * Number(PRICE))) });
      case 'case':
        return terms({
          nonce: authorization.nonce.toUpperCase().replace('0X', '0x'),
          from: authorization.from.toLowerCase(),
        });
      case 'end':
        return terms({ validBefore: String(Number(authorization.validBefore) + integer(1, 900)) });
      case 'high s':
        return signedAs(malleated(signature));
      case 'bits':
        return signedAs(`0x${hex(65)}`);
      case 'id': {
        const info = { required: false, id: `order_of_payer_${integer(0, 5)}` };
        return { ...payload, extensions: { 'payment-identifier': { info } } };
      }
      case 'no id': {
        const { extensions: _, ...bare } = payload;
        return bare as PaymentPayload;
      }
      default:
        return payload;
    }
  }

  /** All at once, each at some server, for some call, by some carrier. */
  async #present(payloads: readonly PaymentPayload[]): Promise<void> {
    const { pick } = this.#attempt;
    const calls = payloads.map(async (payload) => {
      const server = pick(this.servers);
      const { chain } = this.#chainOf(server.directory);
      const carrier = pick(['meta', 'header'] as const);
      const text = Buffer.from(JSON.stringify(payload)).toString('base64');
      const tool = pick(TOOLS);
      const answer = await server.payments.pay({
        tool,
        args: pick(ARGS),
        flow: 'authorization',
        resourceUrl: `mcp://tool/${tool}`,
        offer: requirementsOf(chain.facts, { amount: PRICE }),
        payments: [carrier === 'meta' ? { carrier, value: payload } : { carrier, value: text }],
        run: async () => {
          this.#runs += 1;
          return textResult(`answer ${this.#runs}`);
        },
      });
      if (answer.kind === 'answered' && answer.settlement?.success === true) {
        this.#answered(payload, server, JSON.stringify(answer.result.content));
      }
    });
    await drive(this.clock, Promise.all(calls));
  }

  #answered(payload: PaymentPayload, { directory }: Server, text: string): void {
    const { from, nonce } = payload.payload.authorization;
    const key = `${from}:${nonce}`.toLowerCase();
    add(this.answers, key, text);
    const extension = payload.extensions?.['payment-identifier'] as
      | { readonly info: { readonly id: string } }
      | undefined;
    if (extension === undefined) return;
    add(this.named, `${directory.name} ${from.toLowerCase()} ${extension.info.id}`, key);
  }

  /** The payer, or somebody who saw it, brings an authorization to the token. */
  #outside({ payload: { authorization } }: PaymentPayload): void {
    const { from, to, value, nonce } = authorization;
    const movement = { from, to, value: BigInt(value), nonce };
    if (this.ledger.checkTransfer(movement) === undefined) this.ledger.transfer(movement, true);
  }

  #empty(): Directory {
    this.#directories += 1;
    const journal = new Set<string>();
    return { name: this.#directories, store: memoryStore(), ids: memoryPaymentIds(), journal };
  }

  #chainOf({ journal }: Directory) {
    const chain = createMemoryPaymentChain({
      ledger: this.ledger,
      treasuryKey: TREASURY_KEY,
      journal,
      now: () => this.clock.now(),
      balances: Object.fromEntries(PAYERS.map(({ address }) => [address, RICH])),
    });
    return { chain };
  }

  async #start(directory: Directory): Promise<Server> {
    const { clock } = this;
    const { chain } = this.#chainOf(directory);
    const definitions = [definePayment({ chain })];
    const engine = await createEngine({ store: directory.store, clock, definitions });
    const blobs = {
      put: async (text: string) => {
        this.#texts.set(sha256Hex(text), text);
        return sha256Hex(text);
      },
      get: (sha: string) => this.#texts.get(sha),
    };
    const random = { bytes: (length: number) => Buffer.from(this.#attempt.hex(length), 'hex') };
    const payments = new PaymentFlow({ engine, chain, blobs, ids: directory.ids, clock, random });
    return { directory, payments };
  }
}

function add(sets: Map<string, Set<string>>, key: string, member: string): void {
  sets.set(key, (sets.get(key) ?? new Set()).add(member));
}

/** The other signature that the curve takes for the same message. */
function malleated(signature: string): string {
  const [r, s, v] = [signature.slice(2, 66), signature.slice(66, 130), signature.slice(130, 132)];
  const other = ORDER - BigInt(`0x${s}`);
  return `0x${r}${other.toString(16).padStart(64, '0')}${v === '1b' ? '1c' : '1b'}`;
}

test('no payment buys two answers, whatever servers and directories a treasury has', async () => {
  const play = async (attempt: Attempt): Promise<void> => {
    const history = new History(attempt);
    await history.begin();
    for (let step = 0; step < 2 + attempt.size; step += 1) await history.step();
    history.judge();
  };
  const rounds = await search('payer', play, { sizeMax: 24, roundsMin: 10 });
  expect(rounds).toBeGreaterThan(0);
}, 900_000);

test('what a wallet has signed for one server is nothing to another', async () => {
  const wallet = signingWallet();
  const hosts = ['stoa.example', 'stoa.example:8443', 'localhost:8402', '127.0.0.1:8402'];
  const spellings = ['STOA.example', 'stoa.example.', 'stoa.example@evil.example', '[::1]:8402'];
  const play = async ({ pick, hex, random, integer }: Attempt): Promise<void> => {
    const own = `${pick(['http', 'https'])}://${pick(hosts)}`;
    const host = random() < 0.2 ? `${hex(4)}.example` : pick([...hosts, ...spellings]);
    const origin = random() < 0.2 ? own : `${pick(['http', 'https'])}://${host}`;
    const now = START;
    const auth = createWalletAuth({
      trust: { isSignedBy: isSignedByKey },
      domain: TEST_DOMAIN,
      origins: () => [own],
      nonces: { bind: async ({ digest }) => digest },
      clock: { now: () => now },
    });
    const body = '{}';
    const asked = { method: 'POST', path: `/a2a/bids/${hex(2)}/accept`, body };
    // A liar may also put the right name over what was signed for another.
    const claim = random() < 0.4 ? { claim: { origin: own } } : {};
    const expiresAt = START / 1_000 + integer(1, 300);
    const header = await wallet.header(asked, { origin, expiresAt, ...claim });
    const proved = await auth.prove({ ...asked, body: Buffer.from(body), header }).then(
      () => true,
      ({ code }: { readonly code?: string }) => {
        expect(['WALLET_ORIGIN', 'WALLET_FORGED']).toContain(code);
        return false;
      },
    );
    expect(proved, `${origin} at ${own}`).toBe(origin === own);
  };
  await search('payer at another server', play, { roundsMax: ROUNDS_MAX, roundsMin: ROUNDS_MAX });
}, 300_000);
