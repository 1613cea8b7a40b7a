import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { findAnvilBinary } from '../../src/providers/chain/local/anvil-binary.ts';
import { freePort } from './contract-world.ts';
import { nodeRpc, until } from './node-rpc.ts';

/** A relay that sends each request to one of two nodes which do not agree. */
export interface TwoNodes {
  readonly url: string;
  /** The second node: it has what the first one had when this was opened, and then its own. */
  readonly behindUrl: string;
  close(): Promise<void>;
}

/** Starts a second node from the state of the first, and the relay in front of both. */
export async function twoNodes(aheadUrl: string): Promise<TwoNodes> {
  const port = await freePort();
  const behindUrl = `http://127.0.0.1:${port}`;
  const chainId = Number(await nodeRpc<string>(aheadUrl, 'eth_chainId'));
  const flags = ['--port', String(port), '--silent', '--chain-id', String(chainId)];
  const node = spawn(findAnvilBinary(), flags, { stdio: 'ignore' });
  await until(() => nodeRpc(behindUrl, 'eth_chainId').then(Boolean, () => false));
  await nodeRpc(behindUrl, 'anvil_loadState', await nodeRpc(aheadUrl, 'anvil_dumpState'));
  // Which node answers is chance, the same in every run.
  let chance = 1;
  const relay = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    chance = (chance * 1_103_515_245 + 12_345) % 2 ** 31;
    // What is sent goes to the node that is ahead; questions go to either.
    const isSent = body.includes('eth_sendRawTransaction');
    const target = isSent || chance > 2 ** 30 ? aheadUrl : behindUrl;
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(target, { method: 'POST', headers, body });
    response.writeHead(answer.status, headers).end(await answer.text());
  };
  const server = createServer((request, response) => void relay(request, response));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    behindUrl,
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
      const gone = new Promise((done) => node.once('exit', done));
      node.kill();
      await gone;
    },
  };
}
