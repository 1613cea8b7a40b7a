import { type Hex, parseAbi } from 'viem';
import { encodeFunctionData } from 'viem/utils';
import type { EscrowTerms } from '../../../src/domain/chain/trust-chain.ts';
import { ESCROW_ABI } from '../../../src/providers/chain/trust/abi.ts';
import { encodeTransfer } from '../../../src/providers/payment/token.ts';
import { createParty, fundingOf, termsOf } from '../trust-parties.ts';
import { BLOCK_MS, type MoneyWorld } from './money-world.ts';

/** What anybody can do on a chain, past the server and in front of it. */
export interface Strangers {
  /** Does things at the addresses of the server that are none of its business. */
  meddle(): Promise<void>;
  /** Sends a call within the time, in milliseconds; it may be lost with its block. */
  send(call: { readonly to: string; readonly data: Hex }, withinMs: number): void;
  /** Gives money, and again where its block is lost. */
  give(to: string, amount: string): void;
  /** Brings an authorization before the server does, or after. */
  bring(signed: Parameters<typeof encodeTransfer>[0]): void;
}

const TOKEN = parseAbi([
  'function transfer(address to, uint256 value) returns (bool)',
  'function transferFrom(address from, address to, uint256 value) returns (bool)',
]);
/** Time in which they do something, in milliseconds. */
const SOON_MS = 4 * BLOCK_MS;
/** Things that they do at the most. */
const MEDDLED_MAX = 3;

/** Opens what strangers do in a run. */
export function openStrangers({ chain, node, time, truth, ...world }: MoneyWorld): Strangers {
  const { stranger } = world;
  const from = stranger.address;
  const random = () => world.chance.next();
  const sendNow = (call: { readonly to: string; readonly data: Hex }) =>
    void node.call('eth_sendTransaction', { from, ...call, gas: '0x7a120' }).catch(() => undefined);
  const send: Strangers['send'] = (call, withinMs) =>
    void time.after(random() * withinMs, () => sendNow(call));
  const transfer = (to: string, amount: string) => {
    const args = [to as Hex, BigInt(amount)] as const;
    return encodeFunctionData({ abi: TOKEN, functionName: 'transfer', args });
  };
  const escrow = chain.contracts.escrow ?? '0x';
  const moveNothing = (owner: string) => {
    const args = [owner as Hex, from, 0n] as const;
    return encodeFunctionData({ abi: TOKEN, functionName: 'transferFrom', args });
  };
  const meddling = [
    async () => ({ to: chain.token, data: moveNothing(truth.facts.treasury) }),
    async () => ({ to: chain.token, data: moveNothing(escrow) }),
    async () => ({ to: chain.token, data: transfer(truth.facts.treasury, '11') }),
    async () => ({ to: chain.token, data: transfer(escrow, '13') }),
    async () => ({ to: escrow, data: await fundJob(truth, stranger.privateKey) }),
  ];
  return {
    send,
    meddle: async () => {
      const times = Math.floor(random() * (MEDDLED_MAX + 1));
      for (let done = 0; done < times; done += 1) {
        const act = meddling[Math.floor(random() * meddling.length)];
        if (act !== undefined) send(await act(), SOON_MS);
      }
    },
    give: (to, amount) => {
      const look = async () => {
        if ((await truth.balance(to)) === '0')
          sendNow({ to: chain.token, data: transfer(to, amount) });
      };
      const firstMs = random() * SOON_MS;
      time.after(firstMs, () => {
        void look();
        time.after(2 * BLOCK_MS, () => void look(), { isRepeated: true });
      });
    },
    bring: (signed) => send({ to: chain.token, data: encodeTransfer(signed) }, SOON_MS),
  };
}

/** A job between strangers, whose money never was the server's business. */
async function fundJob({ facts, trust }: MoneyWorld['truth'], key: Hex): Promise<Hex> {
  const [buyer, provider] = [createParty(key), createParty()];
  const nowS = await trust.nowS();
  const terms = termsOf({ buyer, provider }, nowS, { amount: '17' });
  return encodeFunding(await fundingOf({ facts, trust, buyer, terms, nowS, form: 'terms' }));
}

/** The call by which anybody brings the money of a job whose buyer has signed its terms. */
export function encodeFunding({
  terms,
  authorization,
  signature,
}: Awaited<ReturnType<typeof fundingOf>>): Hex {
  const { validAfter, validBefore } = authorization;
  const args = [
    contractTerms(terms),
    ...[BigInt(validAfter), BigInt(validBefore), signature as Hex],
  ] as never;
  return encodeFunctionData({ abi: ESCROW_ABI, functionName: 'fundWithAuthorization', args });
}

function contractTerms({ jobId, buyer, provider, amount, fulfilByS }: EscrowTerms) {
  return { jobId, buyer, provider, amount: BigInt(amount), fulfilBy: fulfilByS };
}
