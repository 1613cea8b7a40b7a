import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A relay in front of a node that errs by chance, as public nodes do. */
export interface FaultyNode {
  /** The address for a new life of a server; what an earlier one still asks gets no answer. */
  begin(): string;
  /** Share of the calls that meet a fault; 0 heals the node. */
  setRate(rate: number): void;
  /** How often each fault was played. */
  readonly played: Readonly<Record<Fault, number>>;
  close(): Promise<void>;
}

/** What may become of one call. */
export const FAULTS = [
  'drop_before',
  'drop_after',
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

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}
type Reply = Record<string, unknown>;
/** The whole request is refused. */
const LIMITED = 'limited';

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
const DELAY_MS = 30;

/** Starts the relay. `random` gives numbers from 0 up to 1. */
export async function faultyNode(target: string, random: () => number): Promise<FaultyNode> {
  const relay = new Relay(target, random);
  const server = createServer((request, response) => {
    relay.answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    begin: () => {
      relay.life += 1;
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}/${relay.life}`;
    },
    played: relay.played,
    setRate: (share) => {
      relay.rate = share;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

class Relay {
  readonly played = Object.fromEntries(FAULTS.map((fault) => [fault, 0])) as Record<Fault, number>;
  rate = 0;
  life = 0;
  readonly #target: string;
  readonly #random: () => number;

  constructor(target: string, random: () => number) {
    this.#target = target;
    this.#random = random;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url !== `/${this.life}`) return void response.destroy();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const asked = JSON.parse(Buffer.concat(chunks).toString()) as Call | Call[];
    const replies = await Promise.all([asked].flat().map((call) => this.#meet(call)));
    if (replies.includes(undefined)) return void response.destroy();
    if (replies.includes(LIMITED)) return void response.writeHead(429).end('Too Many Requests');
    const body = replies.map((reply) => ({ jsonrpc: '2.0', ...(reply as Reply) }));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(Array.isArray(asked) ? body : body[0]));
  }

  /** @returns `undefined` when the connection breaks. */
  async #meet(call: Call): Promise<Reply | typeof LIMITED | undefined> {
    const fault = this.#random() < this.rate ? this.#one(FAULTS) : undefined;
    if (fault === undefined) return this.#ask(call);
    this.played[fault] += 1;
    switch (fault) {
      case 'drop_before':
        return undefined;
      case 'drop_after':
        await this.#ask(call);
        return undefined;
      case 'error_before':
        return { id: call.id, error: this.#one(PASSING) };
      case 'error_after':
        await this.#ask(call);
        return this.#error(call);
      case 'duplicate':
        await this.#ask(call);
        return this.#ask(call);
      case 'delay':
        await sleep(this.#random() * DELAY_MS);
        return this.#ask(call);
      case 'lag':
        return this.#behind(call, 1 + Math.floor(this.#random() * BEHIND_MAX));
      case 'lie':
        return isSending(call) ? this.#error(call) : this.#behind(call, 1);
      case 'limit':
        return LIMITED;
      case 'reorganise':
        await this.#ask({ ...call, method: 'anvil_reorg', params: [REORGANISED, []] });
        return this.#ask(call);
    }
  }

  #error(call: Call): Reply {
    const errors = isSending(call) ? [...PASSING, ...OF_SENDING] : PASSING;
    return { id: call.id, error: this.#one<unknown>(errors) };
  }

  /** The answer of a replica that is some blocks behind. */
  async #behind(call: Call, blocks: number): Promise<Reply> {
    const { result } = await this.#ask({ ...call, method: 'eth_blockNumber', params: [] });
    const block = `0x${Math.max(0, Number(result) - blocks).toString(16)}`;
    switch (call.method) {
      case 'eth_blockNumber':
        return { id: call.id, result: block };
      case 'eth_getTransactionReceipt':
      case 'eth_getTransactionByHash':
        return { id: call.id, result: null };
      case 'eth_call':
      case 'eth_estimateGas':
      case 'eth_getTransactionCount':
        return this.#ask({ ...call, params: [call.params[0], block] });
      case 'eth_getBlockByNumber':
        return this.#ask({ ...call, params: [block, false] });
      default:
        return this.#ask(call);
    }
  }

  #ask(call: Call): Promise<Reply & { readonly result?: unknown }> {
    return forward(this.#target, call);
  }

  #one<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#random() * items.length)] as Item;
  }
}

function isSending({ method }: Call): boolean {
  return method === 'eth_sendRawTransaction';
}

async function forward(target: string, call: Call): Promise<Reply> {
  const answer = await fetch(target, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...call, jsonrpc: '2.0' }),
    signal: AbortSignal.timeout(5_000),
  });
  return { ...((await answer.json()) as Reply), id: call.id };
}
