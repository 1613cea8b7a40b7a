import { decodeFunctionResult, encodeFunctionData } from 'viem/utils';
import { ESCROW_STATES, type EscrowState } from '../../src/domain/chain/trust-chain.ts';
import { sha256Hex } from '../../src/domain/common/hash.ts';
import type { JobView } from '../../src/domain/escrow/work.ts';
import type { PaymentPayload, PaymentRequirements } from '../../src/domain/payment/payment.ts';
import type { TypedData } from '../../src/domain/wallet/typed-data.ts';
import { ESCROW_ABI } from '../../src/providers/chain/trust/abi.ts';
import { nodeRpc, sendAsStranger } from '../support/node-rpc.ts';
import type { BoardServer, BoardSide } from './board-server.ts';
import type { FactName } from './board-truth.ts';

/** The words and bytes of every path. */
export const TEXT = 'bonjour';
/** See {@link TEXT}. */
export const REASON = 'not as agreed';
const PRICE = 25_000_000n;
/** How long the authorization of a budget may be used, in seconds. */
export const FUND_WITHIN_S = 5_400;
type Hex = `0x${string}`;

/** What the buyer pays into the escrow, and with what. */
export interface Funding {
  readonly offer: PaymentRequirements;
  readonly payment: PaymentPayload;
}

/** The two sides of one job, and what they do on the chain behind the server's back. */
export class BoardSides {
  readonly #server: BoardServer;
  readonly buyer: BoardSide;
  readonly provider: BoardSide;
  escrowKey: Hex = '0x';
  funding: Funding | undefined;

  constructor(server: BoardServer, buyer: BoardSide, provider: BoardSide) {
    this.#server = server;
    this.buyer = buyer;
    this.provider = provider;
  }

  /** Signs a budget so that the terms are bound to it: whoever brings it makes this job. */
  async signBound(offer: PaymentRequirements, nowMs: number): Promise<PaymentPayload> {
    const { id: chainId } = this.#server.ready.chain;
    const { name, version, escrowKey } = offer.extra as Readonly<Record<string, string>>;
    const nowS = Math.floor(nowMs / 1_000);
    const authorization = {
      from: this.buyer.payer.address,
      to: offer.payTo,
      value: offer.amount,
      validAfter: String(nowS - 600),
      validBefore: String(nowS + FUND_WITHIN_S),
      nonce: String(escrowKey),
    };
    const signature = await this.buyer.wallet.sign({
      domain: {
        name: String(name),
        version: String(version),
        chainId,
        verifyingContract: offer.asset,
      },
      types: { ReceiveWithAuthorization: AUTHORIZATION },
      primaryType: 'ReceiveWithAuthorization',
      message: authorization,
    } as TypedData);
    return { x402Version: 2, accepted: offer, payload: { signature, authorization } };
  }

  /** Signs a move as the job's own page tells. */
  async signMove(job: JobView, by: BoardSide, name: string, words = ''): Promise<string> {
    const data = job.moves.find(({ move }) => move === name)?.typed_data as TypedData | undefined;
    if (data === undefined) throw new Error(`${name} is not possible in ${job.state}`);
    const message = Object.entries(data.message).map(([member, value]) =>
      typeof value === 'string' && /^0x0+$/.test(value)
        ? [member, `0x${sha256Hex(words)}`]
        : [member, value],
    );
    return by.wallet.sign({ ...data, message: Object.fromEntries(message) });
  }

  /** A side does something to the contract in person. */
  async act(fact: FactName): Promise<void> {
    const key = this.escrowKey;
    const none = '0x';
    const hash = (words: string): Hex => `0x${sha256Hex(words)}`;
    const [from, data] = ((): readonly [BoardSide, Hex] => {
      switch (fact) {
        case 'CHAIN.ESCROWED':
          return [this.buyer, this.#fundingCall()];
        case 'CHAIN.FULFILLED':
          return [this.provider, call('fulfil', [key, hash(TEXT), none])];
        case 'CHAIN.RELEASED':
          return [this.buyer, call('release', [key, none])];
        case 'CHAIN.REFUNDED':
          return [this.provider, call('giveBack', [key, none])];
        case 'CHAIN.DISPUTED':
          return [this.buyer, call('dispute', [key, hash(REASON), none])];
        case 'CHAIN.DISPUTE_WITHDRAWN':
          return [this.buyer, call('withdrawDispute', [key, none])];
        case 'CHAIN.DECIDED':
          throw new Error('only the server decides');
      }
    })();
    const { chain } = this.#server.ready;
    await this.setTime();
    const order = { from: from.payer.address, to: String(chain.escrow), data };
    await sendAsStranger(chain.rpc_url, order);
  }

  /** Where the contract has the job. */
  async place(): Promise<EscrowState> {
    const { rpc_url: rpcUrl, escrow } = this.#server.ready.chain;
    const data = call('jobs', [this.escrowKey]);
    const raw = await nodeRpc<Hex>(rpcUrl, 'eth_call', { to: escrow, data }, 'latest');
    const job = decodeFunctionResult({ abi: ESCROW_ABI, functionName: 'jobs', data: raw });
    return ESCROW_STATES[(job as { readonly state: number }).state] ?? 'none';
  }

  /** The buyer spends all that it has on something else. */
  async spendAll(): Promise<void> {
    const { token, rpc_url: rpcUrl } = this.#server.ready.chain;
    const from = this.buyer.payer.address;
    const all = await nodeRpc<Hex>(
      rpcUrl,
      'eth_call',
      { to: token, data: `0x70a08231${word(from)}` },
      'latest',
    );
    await this.setTime();
    const data = `0xa9059cbb${word(`0x${'9'.repeat(40)}`)}${all.slice(2)}`;
    await sendAsStranger(rpcUrl, { from, to: token, data });
  }

  /** The buyer has the price again. */
  async refill(): Promise<void> {
    await this.#server.pay(this.buyer.payer.address, '100');
  }

  #fundingCall(): Hex {
    const { offer, payment } = this.funding ?? {};
    const terms = offer?.extra['terms'] as Readonly<Record<string, string>>;
    const { validAfter, validBefore } = payment?.payload.authorization ?? {};
    return call('fundWithAuthorization', [
      { ...terms, amount: PRICE, fulfilBy: Number(terms['fulfilBy']) },
      BigInt(validAfter ?? 0),
      BigInt(validBefore ?? 0),
      payment?.payload.signature,
    ]);
  }

  /** Sets the time of the chain's next block to the server's. */
  async setTime(): Promise<void> {
    const nowS = Math.floor((await this.#server.now()) / 1_000);
    await nodeRpc(this.#server.ready.chain.rpc_url, 'evm_setTime', nowS);
  }
}

const AUTHORIZATION = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
];

function call(functionName: string, args: readonly unknown[]): Hex {
  return encodeFunctionData({ abi: ESCROW_ABI, functionName, args } as never);
}

function word(address: string): string {
  return address.slice(2).toLowerCase().padStart(64, '0');
}
