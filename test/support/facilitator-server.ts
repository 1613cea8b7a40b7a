import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { x402Facilitator } from '@x402/core/facilitator';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import { extractDiscoveryInfo } from '@x402/extensions/bazaar';
import { createWalletClient, http, publicActions } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';

/** What a facilitator does wrong when it is asked to settle. */
export type FacilitatorFault =
  | 'none'
  /** Answers after `LATE_MS`. */
  | 'late'
  /** HTTP 500, without settling. */
  | 'error'
  /** Says that it settled, and did nothing. */
  | 'lie'
  /** Settles, and closes the connection without an answer. */
  | 'drop'
  /** Says that it did not settle, though it did. */
  | 'deny'
  /** Never answers, and does not settle. */
  | 'hang';

/** How late an answer of `late` is, in milliseconds. */
export const LATE_MS = 1_500;

/** The facilitator of the public packages behind HTTP, with faults at will. */
export interface FacilitatorServer {
  readonly url: string;
  /** Its own key, which sends the transactions. */
  readonly address: string;
  fault: FacilitatorFault;
  /** Where the chain is; may be set after the start. */
  rpcUrl: string;
  /** The operations asked for, in order, without `supported`. */
  readonly asked: string[];
  /** `Authorization` headers received. */
  readonly authorizations: Set<string | undefined>;
  /** What its catalogue took from the payments. */
  readonly listed: { readonly toolName?: string; readonly resourceUrl: string }[];
  close(): Promise<void>;
}

/** Starts it on a free port of this machine, for one network. */
export async function facilitatorServer(
  network: `${string}:${string}` = `eip155:${foundry.id}`,
  rpcUrl = 'http://127.0.0.1:1',
): Promise<FacilitatorServer> {
  const account = privateKeyToAccount(generatePrivateKey());
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const self: FacilitatorServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    address: account.address,
    fault: 'none',
    rpcUrl,
    asked: [],
    authorizations: new Set(),
    listed: [],
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
  return self;

  function facilitator(): x402Facilitator {
    const chain = { ...foundry, id: Number(network.split(':')[1]) };
    const client = createWalletClient({ account, chain, transport: http(self.rpcUrl) }).extend(
      publicActions,
    );
    // Gas is free on the embedded chain, and this key has no coin.
    const gas = chain.id === foundry.id ? { gasPrice: 0n } : {};
    const signer = toFacilitatorEvmSigner({
      ...client,
      address: account.address,
      writeContract: (call: object) => client.writeContract({ ...call, ...gas } as never),
    } as never);
    return new x402Facilitator()
      .register(network, new ExactEvmScheme(signer))
      .onAfterSettle(async ({ paymentPayload, requirements }) => {
        const found = extractDiscoveryInfo(paymentPayload, requirements);
        if (found !== null) self.listed.push(found as never);
      });
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    self.authorizations.add(request.headers.authorization);
    const operation = (request.url ?? '').slice(1);
    const asked = chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString());
    const [status, body] = await answer(operation, asked).catch(
      (thrown: unknown) => [500, { error: String(thrown) }] as const,
    );
    if (body === 'dropped') response.destroy();
    if (typeof body !== 'object') return;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  async function answer(operation: string, asked: Asked): Promise<Answer> {
    if (operation === 'supported') return [200, facilitator().getSupported()];
    self.asked.push(operation);
    const { paymentPayload, paymentRequirements } = asked;
    if (operation === 'verify') {
      return [200, await facilitator().verify(paymentPayload, paymentRequirements)];
    }
    const { fault } = self;
    const unsettled = UNSETTLED[fault];
    if (unsettled !== undefined) return unsettled;
    if (fault === 'late') await sleep(LATE_MS);
    const settled = await facilitator().settle(paymentPayload, paymentRequirements);
    if (fault === 'drop') return [200, 'dropped'];
    return [200, fault === 'deny' ? DENIED : settled];
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the package checks what it is given
type Asked = Readonly<Record<string, any>>;
type Answer = readonly [status: number, body: object | 'dropped' | 'none'];

const NETWORK = `eip155:${foundry.id}`;
const DENIED = {
  success: false,
  errorReason: 'unexpected_error',
  transaction: '',
  network: NETWORK,
};
const LIE = { success: true, transaction: `0x${'ab'.repeat(32)}`, network: NETWORK };
/** Answers without a settlement. */
const UNSETTLED: Partial<Record<FacilitatorFault, Answer>> = {
  hang: [200, 'none'],
  error: [500, { error: 'out of order' }],
  lie: [200, LIE],
};
