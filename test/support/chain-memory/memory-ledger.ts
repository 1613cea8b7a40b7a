import { keccak256, toHex } from 'viem/utils';
import type { PaymentFault } from '../../../src/domain/payment/payment-chain.ts';
import { type MemoryContracts, memoryContracts } from './memory-contracts.ts';

/** A transfer by authorization. */
export interface Movement {
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
  /** 32 bytes in hex; spent once per `from`. */
  readonly nonce: string;
}

/** A transfer that happened. */
export interface BookedMovement extends Movement {
  readonly transaction: string;
  readonly block: number;
  /** Brought to the token by somebody else, before its payee did. */
  readonly isPreempted: boolean;
}

/** The books of a chain in memory: balances, spent nonces and every transfer. */
export interface MemoryLedger {
  /** Gives first balances to addresses that have none yet. */
  open(balances: Readonly<Record<string, string>>): void;
  balance(address: string): bigint;
  mint(to: string, value: bigint): string;
  /** Why the transfer cannot be made now: the nonce is spent, or the money is missing. */
  fault(movement: Movement): PaymentFault | undefined;
  find(movement: Movement): BookedMovement | undefined;
  move(movement: Movement, isPreempted?: boolean): BookedMovement;
  /** A transfer without an authorization, as a contract makes it. */
  pay(order: { readonly from: string; readonly to: string; readonly value: bigint }): void;
  /** The contracts beside the token. */
  readonly contracts: MemoryContracts;
  /** Outsiders' transfers that a server has claimed, with its journal. */
  readonly claims: Map<string, ReadonlySet<string>>;
  /** What the one server of these books has sent, unless it brings a journal of its own. */
  readonly journal: Set<string>;
  /** All transfers in order, mints left out. */
  readonly movements: readonly BookedMovement[];
}

/** Makes empty books. Hand them to a second chain to act out a restart. */
export function memoryLedger(): MemoryLedger {
  const balances = new Map<string, bigint>();
  const booked = new Map<string, BookedMovement>();
  const movements: BookedMovement[] = [];
  let mints = 0;
  const balance = (address: string) => balances.get(address.toLowerCase()) ?? 0n;
  const add = (address: string, value: bigint) => {
    balances.set(address.toLowerCase(), balance(address) + value);
  };
  const move: MemoryLedger['move'] = (movement, isPreempted = false) => {
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
    movements,
    move,
    contracts: memoryContracts(),
    claims: new Map(),
    journal: new Set(),
    pay: (order) => {
      const nonce = keccak256(toHex(`payment ${movements.length + 1}`));
      move({ ...order, nonce });
    },
    open: (first) => {
      for (const [address, value] of Object.entries(first)) {
        if (!balances.has(address.toLowerCase())) add(address, BigInt(value));
      }
    },
    mint: (to, value) => {
      mints += 1;
      add(to, value);
      return keccak256(toHex(`mint ${mints}`));
    },
    fault: (movement) => {
      if (booked.has(nonceKey(movement))) {
        return { code: 'PAYMENT_REPLAYED', message: 'The authorization was already spent.' };
      }
      if (balance(movement.from) >= movement.value) return undefined;
      return {
        code: 'PAYMENT_FUNDS',
        message: 'The payer does not hold the amount.',
        data: { balance: balance(movement.from).toString(), needed: movement.value.toString() },
      };
    },
    find: (movement) => booked.get(nonceKey(movement)),
  };
}

function nonceKey({ from, nonce }: Movement): string {
  return `${from}:${nonce}`.toLowerCase();
}
