import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Asks a node directly. Fails the test when the node refuses. */
export async function nodeRpc<Result>(
  rpcUrl: string,
  method: string,
  ...params: readonly unknown[]
): Promise<Result> {
  const answer = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(5_000),
  });
  const { result, error } = (await answer.json()) as { result: Result; error?: unknown };
  if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
  return result;
}

/** A call that anyone may make on a node without keys. */
export interface StrangerCall {
  readonly from: string;
  readonly to: string;
  readonly data: string;
}

/** Sends from an address of nobody and waits for the block. Fails the test on a revert. */
export async function sendAsStranger(rpcUrl: string, call: StrangerCall): Promise<string> {
  await nodeRpc(rpcUrl, 'anvil_impersonateAccount', call.from);
  const free = { gas: '0x493e0', gasPrice: '0x0' };
  const hash = await nodeRpc<string>(rpcUrl, 'eth_sendTransaction', { ...call, ...free });
  let status: string | undefined;
  await until(async () => {
    const receipt = await nodeRpc<{ status: string } | null>(
      rpcUrl,
      'eth_getTransactionReceipt',
      hash,
    );
    status = receipt?.status;
    return status !== undefined;
  });
  if (status !== '0x1') throw new Error(`${hash} was reverted`);
  return hash;
}

/** A relay in front of a node that counts requests and loses some of them. */
export interface RpcProxy {
  readonly url: string;
  /** HTTP requests since the last reading, each with the methods in it. */
  taken(): readonly (readonly string[])[];
  /** `before`: the request never reaches the node. `after`: the answer is lost. */
  lose(method: string, when: 'before' | 'after'): void;
  heal(): void;
  close(): Promise<void>;
}

/** Starts the relay. */
export async function rpcProxy(target: string): Promise<RpcProxy> {
  let requests: string[][] = [];
  const losses = new Map<string, 'before' | 'after'>();
  const relay = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const parsed = JSON.parse(body) as { method: string } | { method: string }[];
    const methods = [parsed].flat().map((call) => call.method);
    requests.push(methods);
    const loss = methods.map((method) => losses.get(method)).find((each) => each !== undefined);
    if (loss === 'before') return void response.destroy();
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(target, { method: 'POST', headers, body });
    const text = await answer.text();
    if (loss === 'after') return void response.destroy();
    response.writeHead(answer.status, headers).end(text);
  };
  const server = createServer((request, response) => void relay(request, response));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    taken: () => {
      const seen = requests;
      requests = [];
      return seen;
    },
    lose: (method, when) => void losses.set(method, when),
    heal: () => losses.clear(),
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** Waits until something holds, at most ten seconds. */
export async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    if (await holds()) return;
    await sleep(20);
  }
  throw new Error('it did not come to hold within ten seconds');
}
