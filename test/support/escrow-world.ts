import { type Hex, keccak256, toHex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import {
  type ContractWorld,
  compileForTest,
  contractWorld,
  type Deployed,
} from './contract-world.ts';

/** The terms that a buyer signs. */
export interface EscrowTerms {
  readonly jobId: Hex;
  readonly buyer: Hex;
  readonly provider: Hex;
  readonly amount: bigint;
  readonly fulfilBy: number;
}

/** A job as the contract tells it; `state` counts as in the contract. */
export interface EscrowJob {
  readonly state: number;
  readonly releaseBy: number;
}

/** An escrow with its dollar, and the four who stand around it. */
export interface EscrowWorld {
  readonly world: ContractWorld;
  readonly dollar: Deployed;
  readonly escrow: Deployed;
  readonly operator: PrivateKeyAccount;
  readonly arbiter: PrivateKeyAccount;
  readonly treasury: PrivateKeyAccount;
  /** A wallet with gas and 1,000 dollars. */
  party(): Promise<PrivateKeyAccount>;
  terms(of: Partial<EscrowTerms> & Pick<EscrowTerms, 'buyer' | 'provider'>): Promise<EscrowTerms>;
  keyOf(terms: EscrowTerms): Promise<Hex>;
  job(key: Hex): Promise<EscrowJob>;
  balance(of: string): Promise<bigint>;
  /** Arguments behind the terms of a funding call: times, nonce (of `transfer`), signature. */
  signed(order: FundOrder): Promise<readonly unknown[]>;
  /** A party's signature of one of its moves. */
  move(by: PrivateKeyAccount, name: string, fields: Readonly<Record<string, Hex>>): Promise<Hex>;
}

/** How money is authorised: bound to the terms, or as an ordinary x402 payment. */
export interface FundOrder {
  readonly buyer: PrivateKeyAccount;
  readonly terms: EscrowTerms;
  readonly form: 'receive' | 'transfer';
  readonly nonce?: Hex;
}

/** States in the contract's order. */
export const ESCROW = {
  none: 0,
  escrowed: 1,
  fulfilled: 2,
  disputed: 3,
  released: 4,
  refunded: 5,
} as const;
/** What a test wallet holds, in micro-dollars. */
export const PURSE = 1_000_000_000n;
const FAR = 2n ** 40n;

/** Starts a node with the contracts. The dollar can shut accounts out where that is asked for. */
export async function escrowWorld(kind: 'plain' | 'refusing' = 'plain'): Promise<EscrowWorld> {
  const world = await contractWorld();
  const [operator, arbiter, treasury, minter] = [
    await world.account(),
    await world.account(),
    await world.account(),
    await world.account(),
  ];
  const what = kind === 'plain' ? 'TestDollar' : compileForTest('RefusingDollar');
  const dollar = await world.deploy(what, minter.address);
  const sides = [operator.address, arbiter.address, treasury.address];
  const escrow = await world.deploy('JobEscrow', dollar.address, ...sides);
  let jobs = 0;
  const keyOf = (terms: EscrowTerms) => escrow.read<Hex>('keyOf', terms);
  return {
    world,
    dollar,
    escrow,
    operator,
    arbiter,
    treasury,
    keyOf,
    party: async () => {
      const made = await world.account();
      await dollar.send(minter, 'mint', made.address, PURSE);
      return made;
    },
    terms: async (of) => {
      jobs += 1;
      const fulfilBy = (await world.nowS()) + 3_600;
      return { jobId: keccak256(toHex(`job ${jobs}`)), amount: 10_000_000n, fulfilBy, ...of };
    },
    job: (key) => escrow.read<EscrowJob>('jobs', key),
    balance: (of) => dollar.read<bigint>('balanceOf', of),
    signed: async ({ buyer, terms, form, nonce }) => {
      const used = form === 'receive' ? await keyOf(terms) : (nonce ?? terms.jobId);
      const primaryType =
        form === 'receive' ? 'ReceiveWithAuthorization' : 'TransferWithAuthorization';
      const signature = await buyer.signTypedData({
        domain: {
          name: 'Stoa Test Dollar',
          version: '1',
          chainId: world.chainId,
          verifyingContract: dollar.address,
        },
        types: { [primaryType]: AUTHORIZATION },
        primaryType,
        message: {
          from: buyer.address,
          to: escrow.address,
          value: terms.amount,
          validAfter: 0n,
          validBefore: FAR,
          nonce: used,
        },
      });
      return form === 'receive' ? [0n, FAR, signature] : [0n, FAR, used, signature];
    },
    move: (by, name, fields) =>
      by.signTypedData({
        domain: {
          name: 'Stoa JobEscrow',
          version: '1',
          chainId: world.chainId,
          verifyingContract: escrow.address,
        },
        types: { [name]: Object.keys(fields).map((field) => ({ name: field, type: 'bytes32' })) },
        primaryType: name,
        message: fields,
      }),
  };
}

const AUTHORIZATION = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
];
