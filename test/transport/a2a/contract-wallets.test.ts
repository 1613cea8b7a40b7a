import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sha256Hex } from '../../../src/domain/common/hash.ts';
import type { BidView, JobView, RequestView } from '../../../src/domain/escrow/work.ts';
import type { PaymentRequired } from '../../../src/domain/payment/payment.ts';
import type { TypedData } from '../../../src/domain/wallet/typed-data.ts';
import { type BoardService, boardService } from '../../support/board-service.ts';
import { ENGINES } from '../../support/engines.ts';
import { createPayer } from '../../support/payer.ts';
import { type SigningWallet, signingWallet } from '../../support/signing-wallet.ts';
import { createParty } from '../../support/trust-parties.ts';
import { memoryWalletMaker, type WalletKind } from '../../support/wallet-contract.ts';

const ORDER = {
  capability_id: 'translation',
  task_description: 'Translate the page.',
  budget_usd: '10.00',
  funding: 'escrow',
};

let service: BoardService;

/** A wallet that is a contract, whose owner has a key. */
interface ContractWallet {
  readonly address: string;
  readonly owner: SigningWallet;
  ask(path: string, json?: unknown, headers?: Record<string, string>): Promise<Response>;
}

async function contractWallet(kind: WalletKind = 'sound'): Promise<ContractWallet> {
  const { chain, rig } = service;
  const { chainId, token } = chain.facts;
  const domain = { chainId, verifyingContract: chain.trust.contracts.escrow ?? token };
  const owner = signingWallet(domain);
  const party = { ...createParty(), address: owner.address };
  const { address } = await memoryWalletMaker(chain)(party, kind);
  await chain.faucet(address, '100000000');
  return {
    address,
    owner,
    ask: async (path, json, headers = {}) => {
      const body = json === undefined ? {} : { body: JSON.stringify(json) };
      const request = { method: 'POST', path, ...body };
      const signed = await owner.header(request, { claim: { address } });
      return fetch(`${rig.baseUrl}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'stoa-wallet': signed, ...headers },
        ...body,
      });
    },
  };
}

async function read<Value>(answer: Response, status = 200): Promise<Value> {
  const text = await answer.text();
  expect([answer.status, text]).toEqual([status, text]);
  return JSON.parse(text) as Value;
}

/** The payment of a challenge, signed by the owner of the contract that pays. */
async function paymentFor(challenge: Response, payer: ContractWallet, form: 'terms' | 'exact') {
  const header = challenge.headers.get('payment-required') ?? '';
  const { accepts }: PaymentRequired = JSON.parse(Buffer.from(header, 'base64').toString('utf8'));
  const [asked] = accepts;
  if (asked === undefined) throw new Error('nothing is asked for');
  const nonce = form === 'terms' ? { nonce: String(asked.extra['escrowKey']) } : {};
  const authorization = { from: payer.address, ...nonce };
  const paid = await createPayer(payer.owner.privateKey).pay(asked, { authorization });
  if (form === 'exact') return paid;
  const { name, version } = asked.extra;
  const signature = await payer.owner.sign({
    domain: {
      name: String(name),
      version: String(version),
      chainId: service.chain.facts.chainId,
      verifyingContract: asked.asset,
    },
    types: { ReceiveWithAuthorization: AUTHORIZATION },
    primaryType: 'ReceiveWithAuthorization',
    message: { ...paid.payload.authorization },
  });
  return { ...paid, payload: { ...paid.payload, signature } };
}

const AUTHORIZATION = [
  ...['from', 'to'].map((name) => ({ name, type: 'address' })),
  ...['value', 'validAfter', 'validBefore'].map((name) => ({ name, type: 'uint256' })),
  { name: 'nonce', type: 'bytes32' },
];

function presented(payment: object) {
  return { 'payment-signature': Buffer.from(JSON.stringify(payment)).toString('base64') };
}

/** Makes a move with the owner's signature of the contract's typed data. */
async function move(by: ContractWallet, job: JobView, name: string, more: object = {}) {
  const data = job.moves.find((each) => each.move === name)?.typed_data as unknown as TypedData;
  const filled = Object.entries(data.message).map(([member, value]) =>
    typeof value === 'string' && /^0x0+$/.test(value)
      ? [member, `0x${sha256Hex('bonjour')}`]
      : [member, value],
  );
  const move_signature = await by.owner.sign({ ...data, message: Object.fromEntries(filled) });
  const path = `/a2a/jobs/${job.job_id}/${name === 'release' ? 'complete' : name}`;
  return read<JobView>(await by.ask(path, { ...more, move_signature }));
}

describe.each(ENGINES)('wallets that are contracts, through the %s engine:', (engine) => {
  beforeAll(async () => {
    service = await boardService(engine);
  });
  afterAll(() => service.close());

  for (const form of ['exact', 'terms'] as const) {
    test(`two of them trade; the buyer pays by an authorization of the form ${form}`, async () => {
      const { chain } = service;
      const [buyer, provider] = [await contractWallet(), await contractWallet()];
      const request = await read<RequestView>(await buyer.ask('/a2a/requests', ORDER), 201);
      expect(request.buyer).toBe(buyer.address);
      const bids = `/a2a/requests/${request.request_id}/bids`;
      const bid = await read<BidView>(await provider.ask(bids, { price_usd: '10.00' }), 201);
      const accept = `/a2a/bids/${bid.bid_id}/accept`;
      const payment = await paymentFor(await buyer.ask(accept), buyer, form);
      const job = await read<JobView>(await buyer.ask(accept, undefined, presented(payment)));
      expect(job.state).toMatch(/^escrowed/);
      const done = await move(provider, job, 'fulfil', { text: 'bonjour' });
      expect(await move(buyer, done, 'release')).toMatchObject({ state: 'released' });
      expect(await chain.balance(provider.address)).toBe('108000000');
      expect(await chain.balance(buyer.address)).toBe('90000000');
    });
  }

  test('what its owner did not sign, or it does not take, is forged and moves nothing', async () => {
    const { chain } = service;
    const [buyer, other] = [await contractWallet(), await contractWallet('reverting')];
    const refused = await other.ask('/a2a/requests', ORDER);
    expect([refused.status, Object(await refused.json()).error]).toEqual([401, 'WALLET_FORGED']);
    const provider = await contractWallet();
    const order = { ...ORDER, provider: provider.address };
    const { request_id } = await read<RequestView>(await buyer.ask('/a2a/requests', order), 201);
    const begin = `/a2a/requests/${request_id}/begin`;
    for (const form of ['exact', 'terms'] as const) {
      const thief = { ...buyer, owner: provider.owner };
      const payment = await paymentFor(await buyer.ask(begin), thief, form);
      const answer = await buyer.ask(begin, undefined, presented(payment));
      expect([answer.status, Object(await answer.json()).error]).toEqual([402, 'PAYMENT_FORGED']);
    }
    expect(await chain.balance(buyer.address)).toBe('100000000');
  });
});
