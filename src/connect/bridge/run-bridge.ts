import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { openUpstream } from '../upstream/upstream.ts';
import type { Payees } from '../wallet/payees.ts';
import type { SigningWallet } from '../wallet/wallet.ts';
import { Asker } from './asker.ts';
import { type BridgeDeps, makeBridgeServer } from './bridge-server.ts';
import { PATIENCE, type Patience } from './caller.ts';
import { Catalog } from './catalog.ts';
import type { Setting, WantedCaps } from './setting.ts';

/** Options of `stoa connect`. */
export interface BridgeOptions {
  /** URL of the upstream MCP endpoint. */
  readonly url: string;
  readonly version: string;
  /** Transport to the client: one message per line. */
  readonly transport: ClientTransport;
  readonly wallet: SigningWallet;
  readonly ledger: Ledger;
  readonly payees: Payees;
  readonly wanted: WantedCaps;
  readonly payee?: string;
  readonly setting: () => Setting | undefined;
  /** Time limit for a person's answer, in milliseconds. */
  readonly answerMsMax?: number;
  /** Default: {@link PATIENCE}. */
  readonly patience?: Patience;
  readonly notice: (line: string) => void;
}

/** A transport that knows whether its client may have disconnected. */
export interface ClientTransport extends Transport {
  /** True once the client has closed its output. */
  readonly hasInputEnded: boolean;
  /** Sends a message; resolves to true if it was written. */
  deliver(message: JSONRPCMessage): Promise<boolean>;
}

/** How long the first answer waits for the server's handshake, in milliseconds. */
const HELLO_MS = 2 * SECOND_MS;

/**
 * Serves one MCP client until it disconnects. The client needs no support for payments.
 */
export async function runBridge(options: BridgeOptions): Promise<void> {
  const { url, version, transport, answerMsMax, notice, patience = PATIENCE } = options;
  const upstream = openUpstream(url, { name: 'stoa-connect', version });
  const catalog = new Catalog(upstream, patience.listMs);
  const asker = new Asker(answerMsMax);
  const gone = new AbortController();
  const hello = catalog.refresh(gone.signal).catch(() => undefined);
  void fundOnce(options).catch(() => notice('faucet failed; it is asked again when needed'));
  const deps = {
    ...options,
    whenDelivered: followDeliveries(transport),
    server: new URL(url).origin,
    upstream,
    catalog,
    asker,
    patience,
    now: Date.now,
  };
  const handle = serveStdio(
    async () => {
      await Promise.race([hello, new Promise((done) => setTimeout(done, HELLO_MS).unref())]);
      return makeBridgeServer(deps);
    },
    { transport },
  );
  await new Promise<void>((resolve) => {
    // The SDK's own listener is already installed and must run first.
    const heard = transport.onclose;
    transport.onclose = () => {
      heard?.();
      resolve();
    };
  });
  gone.abort();
  await handle.close().catch(() => undefined);
  await upstream.close();
}

/**
 * Tracks the delivery of answers. A client that still sends is assumed to read. Once its input has
 * ended, only a successful write counts as delivery.
 */
function followDeliveries(transport: ClientTransport): BridgeDeps['whenDelivered'] {
  const acts = new Map<string | number, () => void>();
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    const id = 'method' in message ? undefined : message.id;
    const act = id === undefined ? undefined : acts.get(id);
    if (id === undefined || act === undefined) return send(message, options);
    acts.delete(id);
    if (await transport.deliver(message)) act();
  };
  return (id, act) => {
    if (transport.hasInputEnded) acts.set(id, act);
    else act();
  };
}

/** Funds an empty wallet on the local chain ahead of the first payment. */
async function fundOnce({ setting, wallet }: BridgeOptions): Promise<void> {
  const known = setting();
  if (known?.fund === undefined || known.look === undefined) return;
  const balance = await known.look.balanceOf(known.purse.asset, wallet.address);
  if (balance === 0n) await known.fund(wallet.address);
}
