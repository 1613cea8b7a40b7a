import { keccak256, toHex } from 'viem/utils';
import type { PaymentFailure } from '../../../src/domain/payment/payment-chain.ts';
import { createMemoryContracts, type MemoryContracts } from './memory-contracts.ts';

/** A transfer by authorization. */
export interface TokenTransfer {
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
  /** 32 bytes in hex; spent once per `from`. */
  readonly nonce: string;
}

/** A transfer that was executed. */
export interface ExecutedTransfer extends TokenTransfer {
  readonly transaction: string;
  readonly block: number;
  /** Whether a third party submitted it to the token before its payee did. */
  readonly isPreempted: boolean;
}

/** The ledger of a chain in memory: balances, spent nonces and every transfer. */
export interface MemoryLedger {
  /** Sets initial balances of addresses that have none yet. */
  setInitialBalances(balances: Readonly<Record<string, string>>): void;
  balance(address: string): bigint;
  mint(to: string, value: bigint): string;
  /** Returns why the transfer is impossible now: the nonce is spent, or the balance is too low. */
  checkTransfer(movement: TokenTransfer): PaymentFailure | undefined;
  findTransfer(movement: TokenTransfer): ExecutedTransfer | undefined;
  transfer(movement: TokenTransfer, isPreempted?: boolean): ExecutedTransfer;
  /** Makes a transfer without an authorization, as a contract does. */
  pay(order: { readonly from: string; readonly to: string; readonly value: bigint }): void;
  /** The contracts other than the token. */
  readonly contracts: MemoryContracts;
  /** Transfers by third parties that a server has claimed, with that server's journal. */
  readonly claims: Map<string, ReadonlySet<string>>;
  /** Transactions of the only server on this ledger, unless it passes its own journal. */
  readonly journal: Set<string>;
  /** All transfers in order, without mints. */
  readonly transfers: readonly ExecutedTransfer[];
}

/** Creates an empty ledger. Pass it to a second chain to simulate a restart. */
export function createMemoryLedger(): MemoryLedger {
  const balances = new Map<string, bigint>();
  const booked = new Map<string, ExecutedTransfer>();
  const movements: ExecutedTransfer[] = [];
  let mints = 0;
  const balance = (address: string) => balances.get(address.toLowerCase()) ?? 0n;
  const add = (address: string, value: bigint) => {
    balances.set(address.toLowerCase(), balance(address) + value);
  };
  const move: MemoryLedger['transfer'] = (movement, isPreempted = false) => {
    add(movement.from, -movement.value);
    add(movement.to, movement.value);
    const transaction = keccak256(toHex(`transfer ${nonceKey(movement)}`));
    const entry = { ...movement, transaction, block: movements.length + 1, isPreempted };
    movements.push(entry);
    booked.set(nonceKey(movement), entry);
    return entry;
  };
  return {
    balance,
    transfers: movements,
    transfer: move,
    contracts: createMemoryContracts(),
    claims: new Map(),
    journal: new Set(),
    pay: (order) => {
      const nonce = keccak256(toHex(`payment ${movements.length + 1}`));
      move({ ...order, nonce });
    },
    setInitialBalances: (first) => {
      for (const [address, value] of Object.entries(first)) {
        if (!balances.has(address.toLowerCase())) add(address, BigInt(value));
      }
    },
    mint: (to, value) => {
      mints += 1;
      add(to, value);
      return keccak256(toHex(`mint ${mints}`));
    },
    checkTransfer: (movement) => {
      if (booked.has(nonceKey(movement))) {
        return { code: 'PAYMENT_REPLAYED', message: 'The authorization was already spent.' };
      }
      if (balance(movement.from) >= movement.value) return undefined;
      return {
        code: 'PAYMENT_FUNDS',
        message: "The payer's balance is too low for this amount.",
        data: { balance: balance(movement.from).toString(), needed: movement.value.toString() },
      };
    },
    findTransfer: (movement) => booked.get(nonceKey(movement)),
  };
}

function nonceKey({ from, nonce }: TokenTransfer): string {
  return `${from}:${nonce}`.toLowerCase();
}
