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

/** What `stoa connect` runs on. */
export interface BridgeOptions {
  /** Address of the MCP endpoint that is forwarded to. */
  readonly url: string;
  readonly version: string;
  /** The client's end; one message a line. */
  readonly transport: ClientTransport;
  readonly wallet: SigningWallet;
  readonly ledger: Ledger;
  readonly payees: Payees;
  readonly wanted: WantedCaps;
  readonly payee?: string;
  readonly setting: () => Setting | undefined;
  /** How long a person has to answer, in milliseconds. */
  readonly answerMsMax?: number;
  /** {@link PATIENCE} unless told otherwise. */
  readonly patience?: Patience;
  readonly notice: (line: string) => void;
}

/** A transport that knows whether its client may be gone. */
export interface ClientTransport extends Transport {
  /** Whether the client sends nothing more. */
  readonly hasInputEnded: boolean;
  /** Sends a message, and tells whether it could be written. */
  deliver(message: JSONRPCMessage): Promise<boolean>;
}

/** How long the first answer may wait for what the server says of itself, in milliseconds. */
const HELLO_MS = 2 * SECOND_MS;

/**
 * Serves one MCP client until it is gone. The client needs to know nothing of payments.
 *
 * @returns When the client has closed its end.
 */
export async function runBridge(options: BridgeOptions): Promise<void> {
  const { url, version, transport, answerMsMax, notice, patience = PATIENCE } = options;
  const upstream = openUpstream(url, { name: 'stoa-connect', version });
  const catalog = new Catalog(upstream, patience.listMs);
  const asker = new Asker(answerMsMax);
  const gone = new AbortController();
  const hello = catalog.refresh(gone.signal).catch(() => undefined);
  void fundOnce(options).catch(() => notice('the faucet gave nothing; it is asked again on need'));
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
    // The SDK has put its own listener there; it hears of the end first.
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
 * Tells when answers have been delivered. A client that still sends takes what it is sent; of one
 * whose input has ended, that must be seen.
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

/** On the local chain an empty wallet is filled before anybody waits for it. */
async function fundOnce({ setting, wallet }: BridgeOptions): Promise<void> {
  const known = setting();
  if (known?.fund === undefined || known.look === undefined) return;
  const balance = await known.look.balanceOf(known.purse.asset, wallet.address);
  if (balance === 0n) await known.fund(wallet.address);
}
