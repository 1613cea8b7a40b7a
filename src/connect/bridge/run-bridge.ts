import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { openUpstream } from '../upstream/upstream.ts';
import type { Payees } from '../wallet/payees.ts';
import type { SigningWallet } from '../wallet/wallet.ts';
import { ApprovalPrompter } from './approval-prompter.ts';
import { type BridgeDeps, createBridgeServer } from './bridge-server.ts';
import { DEFAULT_RETRY_TIMEOUTS, type RetryTimeouts } from './caller.ts';
import { Catalog } from './catalog.ts';
import type { CapOverrides, ChainSettings } from './chain-settings.ts';

/** Options of `stoa connect`. */
export interface BridgeOptions {
  /** URL of the upstream MCP endpoint. */
  readonly url: string;
  /** Lists three tools, which find, describe and call the others. */
  readonly search?: boolean;
  readonly version: string;
  /** Transport to the client: one message per line. */
  readonly transport: ClientTransport;
  readonly wallet: SigningWallet;
  readonly ledger: Ledger;
  readonly payees: Payees;
  readonly capOverrides: CapOverrides;
  readonly payee?: string;
  readonly chainSettings: () => ChainSettings | undefined;
  /** Time limit for a person's answer, in milliseconds. */
  readonly answerTimeoutMs?: number;
  /** Default: {@link DEFAULT_RETRY_TIMEOUTS}. */
  readonly retryTimeouts?: RetryTimeouts;
  readonly log: (line: string) => void;
}

/** A transport that knows whether its client may have disconnected. */
export interface ClientTransport extends Transport {
  /** True once the client has closed its output. */
  readonly hasInputEnded: boolean;
  /** Sends a message; resolves to true if it was written. */
  deliver(message: JSONRPCMessage): Promise<boolean>;
}

/** How long the first answer waits for the server's handshake, in milliseconds. */
const HANDSHAKE_WAIT_MS = 2 * SECOND_MS;

/**
 * Serves one MCP client until it disconnects. The client needs no support for payments.
 */
export async function runBridge(options: BridgeOptions): Promise<void> {
  const {
    url,
    version,
    transport,
    answerTimeoutMs,
    log,
    retryTimeouts = DEFAULT_RETRY_TIMEOUTS,
  } = options;
  const upstream = openUpstream(url, { name: 'stoa-connect', version });
  const catalog = new Catalog(upstream, retryTimeouts.listMs);
  const search = options.search === true ? openSearch(options, retryTimeouts) : undefined;
  const asker = new ApprovalPrompter(answerTimeoutMs);
  const disconnected = new AbortController();
  const hello = (search?.catalog ?? catalog).refresh(disconnected.signal).catch(() => undefined);
  void fundEmptyWallet(options).catch(() => log('faucet failed; it is asked again when needed'));
  const { search: _wanted, ...others } = options;
  const deps = {
    ...others,
    ...(search === undefined ? {} : { search }),
    whenDelivered: trackDeliveries(transport),
    server: new URL(url).origin,
    upstream,
    catalog,
    asker,
    retryTimeouts,
    now: Date.now,
  };
  const handle = serveStdio(
    async () => {
      await Promise.race([
        hello,
        new Promise((done) => setTimeout(done, HANDSHAKE_WAIT_MS).unref()),
      ]);
      return createBridgeServer(deps);
    },
    { transport },
  );
  await new Promise<void>((resolve) => {
    // The SDK's own listener is already installed and must run first.
    const sdkListener = transport.onclose;
    transport.onclose = () => {
      sdkListener?.();
      resolve();
    };
  });
  disconnected.abort();
  await handle.close().catch(() => undefined);
  await Promise.all([upstream.close(), search?.upstream.close()]);
}

/** Opens a second session, in search mode. Calls stay in the first, which knows all prices. */
function openSearch({ url, version }: BridgeOptions, { listMs }: RetryTimeouts) {
  const address = new URL(url);
  address.searchParams.set('mode', 'search');
  const upstream = openUpstream(address.href, { name: 'stoa-connect', version });
  return { upstream, catalog: new Catalog(upstream, listMs) };
}

/**
 * Tracks the delivery of answers. A client that still sends is assumed to read. Once its input has
 * ended, only a successful write counts as delivery.
 */
function trackDeliveries(transport: ClientTransport): BridgeDeps['whenDelivered'] {
  const callbacks = new Map<string | number, () => void>();
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    const id = 'method' in message ? undefined : message.id;
    const act = id === undefined ? undefined : callbacks.get(id);
    if (id === undefined || act === undefined) return send(message, options);
    callbacks.delete(id);
    if (await transport.deliver(message)) act();
  };
  return (id, act) => {
    if (transport.hasInputEnded) callbacks.set(id, act);
    else act();
  };
}

/** Funds an empty wallet on the local chain ahead of the first payment. */
async function fundEmptyWallet({ chainSettings, wallet }: BridgeOptions): Promise<void> {
  const known = chainSettings();
  if (known?.fund === undefined || known.reader === undefined) return;
  const balance = await known.reader.balanceOf(known.asset.asset, wallet.address);
  if (balance === 0n) await known.fund(wallet.address);
}
