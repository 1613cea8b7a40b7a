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
] as const;
export type Fault = (typeof FAULTS)[number];

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}
type Reply = Record<string, unknown>;

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
const DELAY_MS = 30;

/** Starts the relay. `random` gives numbers from 0 up to 1. */
export async function faultyNode(target: string, random: () => number): Promise<FaultyNode> {
  const played = Object.fromEntries(FAULTS.map((fault) => [fault, 0])) as Record<Fault, number>;
  let rate = 0;
  let life = 0;
  const one = <Item>(items: readonly Item[]): Item =>
    items[Math.floor(random() * items.length)] as Item;
  const ask = (call: Call) => forward(target, call);

  /** @returns `undefined` when the connection breaks. */
  async function meet(call: Call): Promise<Reply | undefined> {
    const fault = random() < rate ? one(FAULTS) : undefined;
    if (fault === undefined) return ask(call);
    played[fault] += 1;
    const isSending = call.method === 'eth_sendRawTransaction';
    const error = { id: call.id, error: isSending ? one([...PASSING, ...OF_SENDING]) : one(PASSING) };
    switch (fault) {
      case 'drop_before':
        return undefined;
      case 'drop_after':
        await ask(call);
        return undefined;
      case 'error_before':
        return { id: call.id, error: one(PASSING) };
      case 'error_after':
        await ask(call);
        return error;
      case 'duplicate':
        await ask(call);
        return ask(call);
      case 'delay':
        await sleep(random() * DELAY_MS);
        return ask(call);
      case 'lag':
        return behind(call, 1 + Math.floor(random() * BEHIND_MAX));
      case 'lie':
        return isSending ? error : behind(call, 1);
    }
  }

  /** The answer of a replica that is some blocks behind. */
  async function behind(call: Call, blocks: number): Promise<Reply> {
    const head = Number((await ask({ ...call, method: 'eth_blockNumber', params: [] }))['result']);
    const block = `0x${Math.max(0, head - blocks).toString(16)}`;
    switch (call.method) {
      case 'eth_blockNumber':
        return { id: call.id, result: block };
      case 'eth_getTransactionReceipt':
      case 'eth_getTransactionByHash':
        return { id: call.id, result: null };
      case 'eth_call':
      case 'eth_estimateGas':
      case 'eth_getTransactionCount':
        return ask({ ...call, params: [call.params[0], block] });
      case 'eth_getBlockByNumber':
        return ask({ ...call, params: [block, false] });
      default:
        return ask(call);
    }
  }

  const relay = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url !== `/${life}`) return void response.destroy();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const asked = JSON.parse(Buffer.concat(chunks).toString()) as Call | Call[];
    const replies = await Promise.all([asked].flat().map(meet));
    if (replies.includes(undefined)) return void response.destroy();
    const body = replies.map((reply) => ({ jsonrpc: '2.0', ...reply }));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(Array.isArray(asked) ? body : body[0]));
  };
  const server = createServer((request, response) => {
    relay(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    begin: () => {
      life += 1;
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}/${life}`;
    },
    played,
    setRate: (share) => {
      rate = share;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
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
