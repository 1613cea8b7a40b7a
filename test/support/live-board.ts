import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { JobView } from '../../src/domain/escrow/work.ts';
import type { PaymentRequired } from '../../src/domain/payment/payment.ts';
import type { TypedData } from '../../src/domain/wallet/typed-data.ts';
import { createPayer, type Payer } from './payer.ts';
import { fund, type RealServer } from './real-server.ts';
import { type SigningWallet, signingWallet } from './signing-wallet.ts';

/** A wallet that trades on the board of a real server over HTTP. */
export interface Trader {
  readonly payer: Payer;
  readonly wallet: SigningWallet;
}

/** A way to the board that outlives the server: ask it again after a restart. */
export interface LiveBoard {
  readonly buyer: Trader;
  readonly provider: Trader;
  /** A job of a buyer and a provider who was asked directly; in escrow it is paid. */
  hire(funding: 'escrow' | 'on_release', usd: string): Promise<JobView>;
  fulfil(jobId: string): Promise<JobView>;
  /** Makes a move of the contract. */
  move(who: Trader, jobId: string, made: Move): Promise<JobView>;
  /** Pays a job that is paid on release. */
  release(jobId: string): Promise<JobView>;
  decide(jobId: string, upheld: 'provider' | 'buyer'): Promise<JobView>;
  job(jobId: string): Promise<JobView>;
}

/** A move of the contract, as the job names it, and where the board takes it. */
export interface Move {
  readonly name: string;
  readonly path: string;
  /** A text whose hash is signed, by its member of the body. */
  readonly words?: Readonly<Record<string, string>>;
}

const WORK = 'bonjour';
const FULFIL: Move = { name: 'fulfil', path: 'fulfil', words: { text: WORK } };
const TIMEOUT_MS = 60_000;

/** Makes two traders with test money; `server` is asked anew at each call. */
export async function liveBoard(server: () => RealServer, usd: string): Promise<LiveBoard> {
  const { id: chainId, escrow } = server().ready.chain;
  const origin = () => new URL(server().ready.base_url).origin;
  const domain = { chainId, verifyingContract: String(escrow), origin };
  const trader = (): Trader => {
    const payer = createPayer();
    return { payer, wallet: signingWallet(domain, payer.privateKey) };
  };
  const [buyer, provider] = [trader(), trader()];
  await fund(server(), buyer.payer.address, usd);

  const send = (path: string, init: RequestInit) =>
    fetch(`${server().ready.base_url}${path}`, {
      ...init,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  /** A signed call; what it is asked to pay is paid, and the same call sent again. */
  const post = async <Value>({ wallet, payer }: Trader, path: string, json: object = {}) => {
    const body = JSON.stringify(json);
    const headers = {
      'content-type': 'application/json',
      'stoa-wallet': await wallet.header({ method: 'POST', path, body }),
    };
    const first = await send(path, { method: 'POST', headers, body });
    if (first.status !== 402) return read<Value>(first);
    const told = Buffer.from(first.headers.get('payment-required') ?? '', 'base64').toString();
    const [offer] = (JSON.parse(told) as PaymentRequired).accepts;
    if (offer === undefined) throw new Error('nothing is offered');
    const paid = JSON.stringify(await payer.pay(offer));
    const carried = { ...headers, 'payment-signature': Buffer.from(paid).toString('base64') };
    return read<Value>(await send(path, { method: 'POST', headers: carried, body }));
  };
  const job = async (jobId: string) => read<JobView>(await send(`/a2a/jobs/${jobId}`, {}));
  const signed = async ({ wallet }: Trader, jobId: string, name: string, words: string) => {
    const { moves } = await job(jobId);
    const data = moves.find(({ move }) => move === name)?.typed_data as TypedData | undefined;
    if (data === undefined) throw new Error(`${name} is not possible now`);
    const hash = `0x${createHash('sha256').update(words).digest('hex')}`;
    const message = Object.entries(data.message).map(([member, value]) =>
      typeof value === 'string' && /^0x0+$/.test(value) ? [member, hash] : [member, value],
    );
    return wallet.sign({ ...data, message: Object.fromEntries(message) });
  };
  const move: LiveBoard['move'] = async (who, jobId, { name, path, words = {} }) => {
    const [text = ''] = Object.values(words);
    const move_signature = await signed(who, jobId, name, text);
    return post<JobView>(who, `/a2a/jobs/${jobId}/${path}`, { ...words, move_signature });
  };
  return {
    buyer,
    provider,
    job,
    move,
    hire: async (funding, budget_usd) => {
      const about = { capability_id: 'translation', task_description: 'Translate.' };
      const order = { ...about, budget_usd, funding, provider: provider.wallet.address };
      const { request_id } = await post<{ request_id: string }>(buyer, '/a2a/requests', order);
      return post<JobView>(buyer, `/a2a/requests/${request_id}/begin`);
    },
    fulfil: async (jobId) => {
      const { funding } = await job(jobId);
      if (funding === 'escrow') return move(provider, jobId, FULFIL);
      return post<JobView>(provider, `/a2a/jobs/${jobId}/fulfil`, { text: WORK });
    },
    release: (jobId) => post<JobView>(buyer, `/a2a/jobs/${jobId}/complete`),
    decide: async (jobId, upheld) => {
      const token = readFileSync(server().ready.token_file, 'utf8').trim();
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ upheld, why: 'So it is.' });
      return read(await send(`/a2a/jobs/${jobId}/decide`, { method: 'POST', headers, body }));
    },
  };
}

async function read<Value>(answer: Response): Promise<Value> {
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${answer.status} ${text}`);
  return JSON.parse(text) as Value;
}
