import type { Asked, IpcNode, Reply, RpcCall } from './ipc-node.ts';
import type { VirtualTime } from './virtual-time.ts';

/** What may become of one request. */
export const FAULTS = [
  'drop_before',
  'drop_after',
  'hang',
  'error_before',
  'error_after',
  'duplicate',
  'delay',
  'lag',
  'lie',
  'limit',
  'reorganise',
] as const;
export type Fault = (typeof FAULTS)[number];

/** Where a life of a server ended: before or after the node had its request. */
export interface Death {
  readonly method: string;
  readonly isBefore: boolean;
}

type Replies = Reply | readonly Reply[];
type ErrorFault = 'error_before' | 'error_after' | 'lie';

/** Errors that say nothing about a call. */
const PASSING = [
  { code: -32_005, message: 'request rate limited' },
  { code: -32_000, message: 'header not found' },
  { code: -32_603, message: 'Internal error' },
  { code: -32_000, message: 'execution aborted (timeout = 5s)' },
  { code: 429, message: 'Too Many Requests' },
] as const;
/** Errors that nodes answer to a transaction that they have, or have not, taken. */
const OF_SENDING = [
  { code: -32_000, message: 'already known' },
  { code: -32_000, message: 'nonce too low: next nonce 900, tx nonce 1' },
  { code: -32_000, message: 'replacement transaction underpriced' },
  { code: -32_603, message: 'timeout waiting for the pool' },
] as const;
/** Blocks that a replica is behind at the most. */
const BEHIND_MAX = 4;
/** Blocks that another branch takes the place of: fewer than make a transaction final. */
const REORGANISED = 1;
/** Milliseconds: a few blocks. */
const DELAY_MS = 6_000;

/** What the relay stands on. `random` gives numbers from 0 up to 1. */
export interface FaultyNodeParts {
  readonly node: IpcNode;
  readonly time: VirtualTime;
  readonly random: () => number;
}

/** A relay in front of a node that errs by chance, as public nodes do, and ends lives. */
export class FaultyNode {
  readonly played = Object.fromEntries(FAULTS.map((fault) => [fault, 0])) as Record<Fault, number>;
  /** Share of the requests that meet a fault; 0 heals the node. */
  rate = 0;
  /** Stays whatever comes. */
  firstBlock = 0;
  #life = 0;
  #left: number | undefined;
  #died: (death: Death) => void = () => undefined;
  readonly #parts: FaultyNodeParts;

  constructor(parts: FaultyNodeParts) {
    this.#parts = parts;
  }

  /** The address for a new life of a server; what an earlier one still asks gets no answer. */
  beginLife(): string {
    this.#life += 1;
    this.#left = undefined;
    return `${FAULTY_URL}${this.#life}`;
  }

  /** Ends the life at its request of that number from now on. */
  endAt(requests: number): Promise<Death> {
    this.#left = requests;
    return new Promise((died) => {
      this.#died = died;
    });
  }

  /** Lets the life go on. */
  spare(): void {
    this.#left = undefined;
  }

  /**
   * Answers a request. One without an answer is given up after its time.
   *
   * @throws where the connection breaks, or an HTTP error comes back
   */
  async answer(url: string, asked: Asked, timeoutMs: number): Promise<Replies> {
    const isAlive = () => url === `${FAULTY_URL}${this.#life}`;
    if (!isAlive() || (await this.#isEnded(asked))) return never();
    const replies = await this.#meet(asked, timeoutMs).catch((fault: unknown) => {
      if (isAlive()) throw fault;
    });
    return isAlive() && replies !== undefined ? replies : never();
  }

  async #isEnded(asked: Asked): Promise<boolean> {
    if (this.#left === undefined) return false;
    this.#left -= 1;
    if (this.#left > 0) return false;
    this.#life += 1;
    this.#left = undefined;
    const { node, random, time } = this.#parts;
    const [first] = callsOf(asked);
    const isBefore = random() < 0.5;
    if (!isBefore) await node.send(asked);
    time.endLife();
    this.#died({ method: first?.method ?? '', isBefore });
    return true;
  }

  async #meet(asked: Asked, timeoutMs: number): Promise<Replies> {
    const { node, time, random } = this.#parts;
    const fault = random() < this.rate ? this.#one(FAULTS) : undefined;
    if (fault === undefined) return node.send(asked);
    this.played[fault] += 1;
    switch (fault) {
      case 'drop_before':
        throw new TypeError('fetch failed');
      case 'drop_after':
        await node.send(asked);
        throw new TypeError('fetch failed');
      case 'hang':
        await time.rest(timeoutMs);
        throw new TypeError('The request took too long to respond.');
      case 'limit':
        throw new TypeError('HTTP request failed. Status: 429');
      case 'duplicate':
        await node.send(asked);
        return node.send(asked);
      case 'delay':
        await time.rest(random() * DELAY_MS);
        return node.send(asked);
      case 'reorganise':
        if ((await this.#height()) > this.firstBlock) {
          await node.call('anvil_reorg', REORGANISED, []);
        }
        return node.send(asked);
      case 'lag':
        return this.#behind(asked, 1 + Math.floor(random() * BEHIND_MAX));
      case 'error_before':
      case 'error_after':
      case 'lie':
        return this.#some(asked, fault);
    }
  }

  /** One call of the request meets the fault, or each. */
  async #some(asked: Asked, fault: ErrorFault): Promise<Replies> {
    const { node, random } = this.#parts;
    const calls = callsOf(asked);
    const only = random() < 0.5 ? this.#one(calls) : undefined;
    const replies: Reply[] = [];
    for (const call of calls) {
      const isMet = only === undefined || only === call;
      if (!isMet) replies.push(await ask(node, call));
      else if (fault === 'lie' && !isSending(call)) replies.push(await this.#lie(call));
      else {
        // Of a node that lies nobody knows whether it has taken what it refuses.
        const isTaken = fault === 'error_after' || (fault === 'lie' && random() < 0.5);
        if (isTaken) await ask(node, call);
        replies.push(this.#error(call, fault));
      }
    }
    return repliesTo(asked, replies);
  }

  /** The answer of a replica that does not know the newest block and does not say so. */
  async #lie(call: RpcCall): Promise<Reply> {
    const { node } = this.#parts;
    const height = Math.max(this.firstBlock, (await this.#height()) - 1);
    return new Replica(node, height, true).answer(call);
  }

  #error(call: RpcCall, fault: ErrorFault): Reply {
    const isHad = isSending(call) && fault !== 'error_before';
    const error = this.#one<unknown>(isHad ? [...PASSING, ...OF_SENDING] : PASSING);
    return { jsonrpc: '2.0', id: call.id, error };
  }

  /** The answer of a replica that is some blocks behind. */
  async #behind(asked: Asked, blocks: number): Promise<Replies> {
    const { node } = this.#parts;
    const height = Math.max(this.firstBlock, (await this.#height()) - blocks);
    const replies: Reply[] = [];
    for (const call of callsOf(asked)) {
      replies.push(await new Replica(node, height, false).answer(call));
    }
    return repliesTo(asked, replies);
  }

  async #height(): Promise<number> {
    return Number(await this.#parts.node.call('eth_blockNumber'));
  }

  #one<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#parts.random() * items.length)] as Item;
  }
}

/** What the addresses of the relay begin with. */
export const FAULTY_URL = 'http://faulty.test/';

/** The chain up to a height, over a node that knows more. With `isLying` it knows no other block. */
class Replica {
  readonly #node: IpcNode;
  readonly #height: number;
  readonly #newest: string;
  readonly #isLying: boolean;

  constructor(node: IpcNode, height: number, isLying: boolean) {
    this.#node = node;
    this.#height = height;
    this.#newest = `0x${height.toString(16)}`;
    this.#isLying = isLying;
  }

  async answer(call: RpcCall): Promise<Reply> {
    const { params } = call;
    switch (call.method) {
      case 'eth_blockNumber':
        return { ...none(call), result: this.#newest };
      case 'eth_getTransactionReceipt':
      case 'eth_getTransactionByHash':
        return this.#isLying ? none(call) : this.#mined(call);
      case 'eth_call':
      case 'eth_estimateGas':
      case 'eth_getTransactionCount':
        return this.#state(call);
      case 'eth_getBlockByNumber': {
        if (this.#isAhead(params[0])) return none(call);
        return this.#ask(call, this.#isKnown(params[0]) ? params : [this.#newest, false]);
      }
      case 'eth_getLogs': {
        const [filter] = params as readonly [{ readonly toBlock: string }];
        const toBlock = this.#isKnown(filter.toBlock) ? filter.toBlock : this.#newest;
        return this.#ask(call, [{ ...filter, toBlock }]);
      }
      default:
        return this.#ask(call, params);
    }
  }

  /** A transaction, unless it is in a block that this copy has not seen. */
  async #mined(call: RpcCall): Promise<Reply> {
    const reply = await this.#ask(call, call.params);
    const found = reply['result'] as { readonly blockNumber: string | null } | null;
    return Number(found?.blockNumber ?? 0) > this.#height ? none(call) : reply;
  }

  /** The state at a block, and at the newest one where another name is asked for. */
  async #state(call: RpcCall): Promise<Reply> {
    const [asked, block] = call.params;
    if (this.#isAhead(block)) {
      const error = { code: -32_000, message: 'header not found' };
      return { ...none(call), result: undefined, error };
    }
    return this.#ask(call, this.#isKnown(block) ? call.params : [asked, this.#newest]);
  }

  #ask(call: RpcCall, params: RpcCall['params']): Promise<Reply> {
    return ask(this.#node, { ...call, params });
  }

  #isKnown(block: unknown): boolean {
    return !this.#isLying && isNumber(block) && Number(block) <= this.#height;
  }

  #isAhead(block: unknown): boolean {
    return !this.#isLying && isNumber(block) && Number(block) > this.#height;
  }
}

function none({ id }: RpcCall): Reply {
  return { jsonrpc: '2.0', id, result: null };
}

function isNumber(block: unknown): block is string {
  return typeof block === 'string' && block.startsWith('0x');
}

function isSending({ method }: RpcCall): boolean {
  return method === 'eth_sendRawTransaction';
}

async function ask(node: IpcNode, call: RpcCall): Promise<Reply> {
  return (await node.send(call)) as Reply;
}

function callsOf(asked: Asked): readonly RpcCall[] {
  return [asked].flat() as readonly RpcCall[];
}

function repliesTo(asked: Asked, replies: readonly Reply[]): Replies {
  return Array.isArray(asked) ? replies : (replies[0] ?? {});
}

/** Nobody is there any more who waits for it. */
function never(): Promise<never> {
  return new Promise(() => undefined);
}
