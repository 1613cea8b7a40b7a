import { privateKeyToAccount } from 'viem/accounts';
import { encodeFunctionData, pad, toHex } from 'viem/utils';
import { AppError } from '../../src/domain/common/error.ts';
import type { PaymentPayload } from '../../src/domain/payment/payment.ts';
import type { PaymentChain } from '../../src/domain/payment/payment-chain.ts';
import {
  type NodePaymentChain,
  openPaymentChain,
} from '../../src/providers/payment/payment-chain.ts';
import { TOKEN_ABI } from '../../src/providers/payment/token-abi.ts';
import type { SimulatedClock } from '../../src/runtime/timer/clock.ts';
import { nodeRpc, sendAsStranger } from '../support/node-rpc.ts';
import { createPayer, type Payer, requirementsOf, typedData } from '../support/payer.ts';
import { tempDir } from '../support/temp-dir.ts';
import { balanceIn } from './balance-in.ts';
import type { Gates } from './gates.ts';
import type { MoneyPlace } from './payment-driver.ts';
import type { Books } from './world.ts';

/** A real chain that payments of models are made on, one model after the other. */
export interface RealMoney {
  /** Money for the next model, whose clock begins where the chain's is. */
  next(): Promise<MoneyPlace>;
  close(): Promise<void>;
}

const PURSE = '50000000';
/** Between the models the chain's clock goes on by so much, in seconds. */
const GAP_S = 60;
const ELSEWHERE = `0x${'9'.repeat(40)}` as const;
/** keccak256 of Transfer(address,address,uint256). */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** Starts a node of its own. */
export async function realMoney(): Promise<RealMoney> {
  const folder = tempDir();
  let now = Date.now;
  const chain = await openPaymentChain({
    kind: 'local',
    dataDir: folder.path,
    notice: () => undefined,
    now: () => now(),
  });
  return {
    next: async () => {
      const payer = createPayer();
      await chain.faucet(payer.address, PURSE);
      const startAt = ((await chain.trust.nowS()) + GAP_S) * 1_000;
      return {
        startAt,
        money: (clock, gates) => {
          now = () => clock.now();
          const gated = gatedNode({ chain, gates, clock, payer });
          return { chain, gated, payer, books: () => booksOf(chain, payer) };
        },
      };
    },
    close: async () => {
      await chain.close();
      folder.remove();
    },
  };
}

interface GatedParts {
  readonly chain: NodePaymentChain;
  readonly gates: Gates;
  readonly clock: SimulatedClock;
  readonly payer: Payer;
}

/** The same gates as of the chain in memory; what fails there fails here by what others do. */
function gatedNode({ chain, gates, clock, payer }: GatedParts): PaymentChain {
  const { rpcUrl } = chain.facts;
  const pass = async (name: string): Promise<string> => {
    const how = await gates.wait(name);
    if (how === 'error') throw new AppError('CHAIN_UNAVAILABLE');
    await nodeRpc(rpcUrl, 'evm_setTime', Math.floor(clock.now() / 1_000));
    return how;
  };
  const unknown = { state: 'unknown', transaction: null, detail: 'no answer' } as const;
  return {
    ...chain,
    checkOnChain: async (payload) => {
      const how = await pass('check');
      if (how === 'failed') await spendAll(chain, payer.address);
      return chain.checkOnChain(payload);
    },
    settle: async (payload) => {
      const how = await pass('settle');
      if (how === 'lost') return unknown;
      if (how === 'failed') await spendNonce(chain, payer, payload);
      const outcome = await chain.settle(payload);
      if (how === 'late_error') throw new AppError('CHAIN_UNAVAILABLE');
      return how === 'late' ? unknown : outcome;
    },
    queryOutcome: async (payload) => {
      const how = await pass('lookUp');
      if (how === 'unknown') return unknown;
      if (how === 'failed') await spendNonce(chain, payer, payload);
      return chain.queryOutcome(payload);
    },
    transfer: async (order) => {
      const how = await pass('refund');
      const outcome = await chain.transfer(order);
      if (how === 'late_error') throw new AppError('CHAIN_UNAVAILABLE');
      return outcome;
    },
  };
}

/** Somebody spends all that a wallet has. */
async function spendAll({ facts }: NodePaymentChain, from: string): Promise<void> {
  const { rpcUrl, token } = facts;
  const all = await balanceIn({ rpc_url: rpcUrl, token }, from);
  const data = `0xa9059cbb${pad(ELSEWHERE).slice(2)}${pad(toHex(all)).slice(2)}`;
  await sendAsStranger(rpcUrl, { from, to: token, data });
}

/** The payer signs another payment under the same nonce, and somebody brings it first. */
async function spendNonce(
  { facts }: NodePaymentChain,
  { privateKey }: Payer,
  { payload }: PaymentPayload,
): Promise<void> {
  const authorization = { ...payload.authorization, to: ELSEWHERE, value: '1' };
  const account = privateKeyToAccount(privateKey);
  const message = typedData(requirementsOf(facts), authorization);
  const signature = await account.signTypedData(message);
  const { from, to, value, validAfter, validBefore, nonce } = message.message;
  const args = [from, to, value, validAfter, validBefore, nonce, signature] as const;
  const data = encodeFunctionData({
    abi: TOKEN_ABI,
    functionName: 'transferWithAuthorization',
    args,
  } as never);
  await sendAsStranger(facts.rpcUrl, { from: account.address, to: facts.token, data });
}

/** What the token's own log says of payer and treasury. */
async function booksOf({ facts }: NodePaymentChain, { address }: Payer): Promise<Books> {
  const { rpcUrl, token, treasury } = facts;
  const sum = async (from: string, to: string): Promise<bigint> => {
    const topics = [TRANSFER, pad(from as `0x${string}`), pad(to as `0x${string}`)];
    const query = { address: token, fromBlock: '0x0', toBlock: 'latest', topics };
    const logs = await nodeRpc<readonly { readonly data: string }[]>(rpcUrl, 'eth_getLogs', query);
    return logs.reduce((total, { data }) => total + BigInt(data), 0n);
  };
  return { paid: await sum(address, treasury), refunded: await sum(treasury, address) };
}
