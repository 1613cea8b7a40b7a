import { join } from 'node:path';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { prepareArbitration } from '../../src/actors/arbitration/arbitration-order.ts';
import { definePayment } from '../../src/actors/payment/definition.ts';
import { parseConfig } from '../../src/config.ts';
import type { ArbitrationRequest } from '../../src/domain/arbitration/request.ts';
import { AppError } from '../../src/domain/common/error.ts';
import type { JobView } from '../../src/domain/escrow/work.ts';
import type { PaymentChain } from '../../src/domain/payment/payment-chain.ts';
import type { TypedData } from '../../src/domain/wallet/typed-data.ts';
import { openArbitrations } from '../../src/process/arbitration/arbitrations.ts';
import { openBoard, openWallets } from '../../src/process/escrow/board.ts';
import { openWork } from '../../src/process/escrow/work.ts';
import { Closers } from '../../src/process/server/closers.ts';
import { openEngine } from '../../src/runtime/engine/engine.ts';
import type { ActorEngine } from '../../src/runtime/engine/types.ts';
import { memoryStore } from '../../src/runtime/store/memory-store.ts';
import { systemClock } from '../../src/runtime/timer/clock.ts';
import { openTrustStore } from '../../src/store/chain/trust-store.ts';
import { openEscrowFollowStore } from '../../src/store/escrow/escrow-follow.ts';
import { openWalletNonces } from '../../src/store/wallet/wallet-nonces.ts';
import type { HttpEngine } from '../../src/transport/http/host.ts';
import { createMemoryPaymentChain, type MemoryPaymentChain } from './chain-memory/memory-chain.ts';
import { memoryControls } from './controls.ts';
import { memoryBlobs } from './debate.ts';
import { type FrontRig, startFront, systemRandom, TOKEN } from './front-rig.ts';
import { scriptedLlm } from './scripted-llm.ts';
import { type SigningWallet, signingWallet, TEST_ORIGIN } from './signing-wallet.ts';
import { tempDir } from './temp-dir.ts';

/** The real board over HTTP, on a chain in memory. */
export interface BoardService {
  readonly rig: FrontRig;
  readonly chain: MemoryPaymentChain;
  /** What the board lives on. */
  readonly engine: ActorEngine;
  readonly buyer: Party;
  readonly provider: Party;
  readonly notices: string[];
  /** Asks without a wallet. */
  get(path: string): Promise<Response>;
  decide(jobId: string, verdict: object): Promise<Response>;
  /** Begins an arbitration of a job by fixed rules under an id, as its payment would. */
  arbitrate(jobId: string, caseId: string): Promise<void>;
  close(): Promise<void>;
}

/** An agent with a wallet, and an x402 client that pays for it. */
export interface Party {
  readonly wallet: SigningWallet;
  /** Sends a signed request; what it costs is paid. */
  ask(path: string, json?: unknown, method?: string): Promise<Response>;
  /** The same without paying anything. */
  askOnly(path: string, json?: unknown, method?: string): Promise<Response>;
  /** Makes a move on the contract, signed as the job tells. */
  move(jobId: string, name: string, options?: MoveOptions): Promise<Response>;
}

/** What a move needs beside its name. */
export interface MoveOptions {
  readonly body?: object;
  /** Hex of the hash that goes where zeros stand. */
  readonly hash?: string;
}

const PATHS: Readonly<Record<string, string>> = {
  fulfil: 'fulfil',
  release: 'complete',
  dispute: 'dispute',
  withdraw_dispute: 'withdraw-dispute',
  give_back: 'give-back',
};

/** Starts the board on an HTTP engine; buyers have 1,000 dollars. */
export async function boardService(http: HttpEngine): Promise<BoardService> {
  const clock = systemClock();
  const notices: string[] = [];
  const notice = (line: string): void => void notices.push(line);
  const folder = tempDir();
  const store = openTrustStore({ path: join(folder.path, 'trust') });
  const keys = [signingWallet(), signingWallet()];
  const chain = createMemoryPaymentChain({
    now: () => clock.now(),
    balances: Object.fromEntries(keys.map(({ address }) => [address, '1000000000'])),
  });
  const { trust } = chain;
  const llm = scriptedLlm({ families: [], say: () => 'hang' });
  const blobs = memoryBlobs();
  const kept = openEscrowFollowStore(store);
  const definitions = [definePayment({ chain })];
  const { engine, define, start } = openEngine({ store: memoryStore(), clock, definitions });
  const closers = new Closers();
  const opened = { engine, define, closers, llm, blobs, chain, clock, trust, notice };
  const cases = await openArbitrations(opened);
  const passports = { find: async () => undefined };
  const work = { ...opened, passports, controls: memoryControls() };
  const { board, openJobs } = await openWork(work, kept);
  await start();
  const origins = () => [TEST_ORIGIN];
  const wallets = openWallets({ chain, trust, clock, origins }, openWalletNonces(store));
  const rig = await startFront(http, {
    routes: openBoard(
      { ...opened, wallets, config: parseConfig([], {}) },
      { board, openJobs, arbitrations: cases.arbitrations },
    ),
  });
  const domain = {
    chainId: chain.facts.chainId,
    verifyingContract: trust.contracts.escrow ?? chain.facts.token,
  };
  const [buyer, provider] = keys.map((wallet) =>
    partyOf(rig, chain, signingWallet(domain, wallet.privateKey)),
  ) as [Party, Party];
  return {
    rig,
    chain,
    engine,
    buyer,
    provider,
    notices,
    get: (path) => fetch(`${rig.baseUrl}${path}`),
    decide: (jobId, verdict) =>
      fetch(`${rig.baseUrl}/a2a/jobs/${jobId}/decide`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
        body: JSON.stringify(verdict),
      }),
    arbitrate: async (jobId, caseId) => {
      const delegations = { verifyChain: () => Promise.reject(new AppError('INTERNAL')) };
      const { index } = cases;
      const deps = { llm, blobs, random: systemRandom, engine, index, clock, delegations };
      const { kind, input } = await prepareArbitration(deps, requestFor(jobId), '5000000', {
        principal: { kind: 'local', id: 'test' },
        paymentId: `pay_${caseId}`,
        payer: buyer.wallet.address,
      });
      await engine.create(kind, caseId, { ...input, jobId: caseId });
    },
    close: async () => {
      await rig.front.close();
      await closers.closeAll();
      await engine.close();
      await store.close();
      folder.remove();
    },
  };
}

function requestFor(jobId: string): ArbitrationRequest {
  return { job_id: jobId, window_s: 86_400, seats_by: 'auto', wait_s: 0 };
}

function partyOf(rig: FrontRig, chain: PaymentChain, wallet: SigningWallet): Party {
  const { network, token } = chain.facts;
  const payer = new x402Client().register(
    network as `${string}:${string}`,
    new ExactEvmScheme(wallet.account),
  );
  payer.setSpendControls({
    allowedAssets: [
      {
        network: network as `${string}:${string}`,
        asset: token,
        maxAmountPerPayment: '1000000000',
      },
    ],
  });
  const paying = wrapFetchWithPayment(fetch, payer);
  const send = async (with_: typeof fetch, path: string, json: unknown, method: string) => {
    const body = json === undefined ? {} : { body: JSON.stringify(json) };
    const header = await wallet.header({ method, path, ...body });
    return with_(`${rig.baseUrl}${path}`, {
      method,
      headers: { 'content-type': 'application/json', 'stoa-wallet': header },
      ...body,
    });
  };
  const ask: Party['ask'] = (path, json, method = 'POST') =>
    send(paying as typeof fetch, path, json, method);
  return {
    wallet,
    ask,
    askOnly: (path, json, method = 'POST') => send(fetch, path, json, method),
    move: async (jobId, name, { body = {}, hash } = {}) => {
      const job = (await (await fetch(`${rig.baseUrl}/a2a/jobs/${jobId}`)).json()) as JobView;
      const data = job.moves.find(({ move }) => move === name)?.typed_data as TypedData | undefined;
      if (data === undefined) throw new Error(`${name} is not possible in ${job.state}`);
      const message = Object.entries(data.message).map(([member, value]) =>
        typeof value === 'string' && /^0x0+$/.test(value) ? [member, `0x${hash}`] : [member, value],
      );
      const move_signature = await wallet.sign({ ...data, message: Object.fromEntries(message) });
      return ask(`/a2a/jobs/${jobId}/${PATHS[name]}`, { ...body, move_signature });
    },
  };
}
