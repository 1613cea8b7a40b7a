import { SECOND_MS } from '../../domain/common/time.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { RpcResponse } from '../upstream/http-session.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { Payees } from '../wallet/payees.ts';
import type { SigningWallet } from '../wallet/wallet.ts';
import type { ApprovalRequest } from './approval.ts';
import type { Catalog } from './catalog.ts';
import type { CapOverrides, ChainSettings } from './chain-settings.ts';

/** Dependencies of a paying caller. */
export interface CallerDeps {
  readonly upstream: Upstream;
  readonly catalog: Catalog;
  readonly wallet: SigningWallet;
  readonly ledger: Ledger;
  readonly payees: Payees;
  /** Origin of the server; payees are stored by origin. */
  readonly server: string;
  readonly capOverrides: CapOverrides;
  /** The payee named on the command line. */
  readonly payee?: string;
  /** Returns the current chain settings; `undefined` while no chain is known. */
  chainSettings(): ChainSettings | undefined;
  readonly now: () => number;
  readonly retryTimeouts: RetryTimeouts;
}

/** How long a request waits for an unreachable server, in milliseconds. */
export interface RetryTimeouts {
  readonly listMs: number;
  readonly callMs: number;
}

/** Default wait times: long enough for a server to start or restart. */
export const DEFAULT_RETRY_TIMEOUTS: RetryTimeouts = {
  listMs: 20 * SECOND_MS,
  callMs: 60 * SECOND_MS,
};

/** A tool call of the MCP client. */
export interface ClientCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  /** Receives the server's progress parameters unchanged. */
  readonly onProgress?: (params: Readonly<Record<string, unknown>>) => void;
  /** Sends a progress line from the wallet. */
  readonly report: (line: string) => void;
  /** Runs `act` once the answer was delivered, or once it was sent to a client that still reads. */
  readonly whenDelivered: (act: () => void) => void;
  /** The question that a person accepted. */
  readonly approved?: ApprovalRequest;
}

/** Sends a tool call to the server with the given `_meta`. */
export function sendCall(
  { upstream, retryTimeouts }: CallerDeps,
  { name, args, signal, onProgress }: ClientCall,
  { meta, isRepeatable }: { meta: Readonly<Record<string, unknown>>; isRepeatable: boolean },
): Promise<RpcResponse> {
  return upstream.request({
    method: 'tools/call',
    params: { name, arguments: args, _meta: meta },
    signal,
    isRepeatable,
    patienceMs: retryTimeouts.callMs,
    ...(onProgress === undefined ? {} : { onProgress }),
  });
}
