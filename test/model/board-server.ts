import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { auditBooks, type BooksAuditResult } from '../../src/auditor/audit-books.ts';
import type { HttpEngine } from '../../src/transport/http/host.ts';
import { type ControlClient, controlClient } from '../support/control-client.ts';
import { createPayer, type Payer } from '../support/payer.ts';
import { freshDataDir, fund, type RealServer, startRealServer } from '../support/real-server.ts';
import { type SigningWallet, signingWallet } from '../support/signing-wallet.ts';
import type { SeenActor } from './develop-driver.ts';

/** A request that can be sent again as it is. */
export interface Letter {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A side of a job: its wallet, and the purse behind it. */
export interface BoardSide {
  readonly wallet: SigningWallet;
  readonly payer: Payer;
}

/** What a server's control socket tells of its state, as far as it is read here. */
export interface ControlState {
  readonly heldAbout: readonly string[];
  readonly held: readonly string[];
}

/** How long something may take in real time, in milliseconds: a hang guard. */
const HANG_MS = 60_000;
/** How long the feed may lag behind the chain, in milliseconds of real time. */
const FEED_LAG_MS = 60_000;
const FLAGS = ['--test-control', '--test-real-kinds'];

/**
 * A real server in a process of its own, with the real kinds, a real chain and a clock that stands.
 * Kills are SIGKILL; the next process finds the same data directory.
 */
export class BoardServer {
  readonly #dataDir = freshDataDir();
  readonly #flags: readonly string[];
  #server: RealServer | undefined;
  #control: ControlClient | undefined;

  constructor(http: HttpEngine) {
    this.#flags = [...FLAGS, '--http', http];
  }

  get ready(): RealServer['ready'] {
    return this.#running.ready;
  }

  async start(): Promise<void> {
    await this.#open();
    // What was due while no server ran is due now.
    await this.pass(0);
  }

  /** @param at - When the next process begins, by its clock; right away unless given. */
  async killAndRestart(at?: number): Promise<void> {
    this.#control?.close();
    await this.#running.kill();
    if (at !== undefined) this.#setClock(at);
    await this.start();
  }

  /**
   * Ends the process as an operator does, and starts the next one.
   *
   * @param at - When that begins, also earlier; then nothing that is due has happened yet.
   */
  async stopAndRestart(at?: number): Promise<void> {
    this.#control?.close();
    await this.#running.stop();
    if (at === undefined) return this.start();
    this.#setClock(at);
    await this.#open();
  }

  async stop(): Promise<void> {
    this.#control?.close();
    await this.#server?.stop();
  }

  tell<Result = Record<string, unknown>>(command: {
    readonly do: string;
    readonly [key: string]: unknown;
  }): Promise<Result> {
    if (this.#control === undefined) throw new Error('the server does not run');
    return this.#control.tell<Result>(command);
  }

  /** By the server's clock, in milliseconds. */
  async now(): Promise<number> {
    return (await this.tell<{ readonly now: number }>({ do: 'clock.now' })).now;
  }

  async pass(ms: number): Promise<void> {
    await this.tell({ do: 'clock.advance', ms });
  }

  actor(actorId: string): Promise<SeenActor> {
    return this.tell<SeenActor & Record<string, unknown>>({ do: 'actor', actorId });
  }

  /** A wallet with money and a provider without are all the same: `usd` says which. */
  async side(usd: string): Promise<BoardSide> {
    const { id: chainId, escrow } = this.ready.chain;
    const payer = createPayer();
    if (usd !== '0') await fund(this.#running, payer.address, usd);
    const { origin } = new URL(this.ready.base_url);
    const domain = { chainId, verifyingContract: String(escrow), origin };
    return { payer, wallet: signingWallet(domain, payer.privateKey) };
  }

  /** Money for a wallet. */
  async pay(to: string, usd: string): Promise<void> {
    await fund(this.#running, to, usd);
  }

  /** A signed request of a side. */
  async letter({ wallet }: BoardSide, path: string, json?: object): Promise<Letter> {
    const body = json === undefined ? {} : { body: JSON.stringify(json) };
    const expiresAt = Math.floor((await this.now()) / 1_000) + 120;
    const header = await wallet.header({ method: 'POST', path, ...body }, { expiresAt });
    return { path, headers: { ...JSON_TYPE, 'stoa-wallet': header }, ...body };
  }

  /** A request of the operator. */
  operatorLetter(path: string, json: object): Letter {
    const token = readFileSync(this.ready.token_file, 'utf8').trim();
    return {
      path,
      headers: { ...JSON_TYPE, authorization: `Bearer ${token}` },
      body: JSON.stringify(json),
    };
  }

  send({ path, ...init }: Letter, signal?: AbortSignal): Promise<Response> {
    const cut = signal === undefined ? {} : { signal };
    return fetch(`${this.ready.base_url}${path}`, { method: 'POST', ...init, ...cut });
  }

  async get<Value>(path: string): Promise<Value> {
    const answer = await fetch(`${this.ready.base_url}${path}`);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${answer.status} ${text}`);
    return JSON.parse(text) as Value;
  }

  /** Waits for a claim in real time. */
  async until(claim: () => Promise<boolean>): Promise<boolean> {
    const latest = performance.now() + HANG_MS;
    while (!(await claim())) {
      if (performance.now() > latest) return false;
      await new Promise((done) => setTimeout(done, 5));
    }
    return true;
  }

  /** The books, from the chain's logs and the public feed alone. */
  audit(): Promise<BooksAuditResult> {
    const { base_url, chain } = this.ready;
    return auditBooks({
      rpcUrl: chain.rpc_url,
      eventsUrl: base_url,
      escrow: chain.escrow as `0x${string}`,
      fromBlock: 0,
      waitMs: FEED_LAG_MS,
    });
  }

  /** Process id of the chain's node. */
  nodePid(): number {
    return JSON.parse(readFileSync(join(this.#dataDir, 'chain', 'anvil.json'), 'utf8')).pid;
  }

  async #open(): Promise<void> {
    // A signed request names the origin: the next process listens where the one before did.
    const port = this.#server === undefined ? '0' : new URL(this.ready.base_url).port;
    this.#server = await startRealServer(this.#dataDir, [...this.#flags, '--port', port]);
    this.#control = await controlClient(this.#dataDir);
  }

  #setClock(at: number): void {
    writeFileSync(join(this.#dataDir, 'test-clock.json'), JSON.stringify({ at }));
  }

  get #running(): RealServer {
    if (this.#server === undefined) throw new Error('the server does not run');
    return this.#server;
  }
}

const JSON_TYPE = { 'content-type': 'application/json' };
