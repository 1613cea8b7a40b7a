import { SECOND_MS } from '../../domain/common/time.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { RpcAnswer } from '../upstream/http-session.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { Payees } from '../wallet/payees.ts';
import type { SigningWallet } from '../wallet/wallet.ts';
import type { Question } from './approval.ts';
import type { Catalog } from './catalog.ts';
import type { Setting, WantedCaps } from './setting.ts';

/** Dependencies of a paying caller. */
export interface CallerDeps {
  readonly upstream: Upstream;
  readonly catalog: Catalog;
  readonly wallet: SigningWallet;
  readonly ledger: Ledger;
  readonly payees: Payees;
  /** Origin of the server; payees are stored by origin. */
  readonly server: string;
  readonly wanted: WantedCaps;
  /** The payee named on the command line. */
  readonly payee?: string;
  /** Returns the current chain settings; `undefined` while no chain is known. */
  setting(): Setting | undefined;
  readonly now: () => number;
  readonly patience: Patience;
}

/** How long a request waits for an unreachable server, in milliseconds. */
export interface Patience {
  readonly listMs: number;
  readonly callMs: number;
}

/** Default wait times: long enough for a server to start or restart. */
export const PATIENCE: Patience = { listMs: 20 * SECOND_MS, callMs: 60 * SECOND_MS };

/** A tool call of the MCP client. */
export interface ClientCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  /** Receives the server's progress parameters unchanged. */
  readonly onProgress?: (params: Readonly<Record<string, unknown>>) => void;
  /** Sends a progress line from the wallet. */
  readonly say: (line: string) => void;
  /** Runs `act` once the answer was delivered, or once it was sent to a client that still reads. */
  readonly whenDelivered: (act: () => void) => void;
  /** The question that a person accepted. */
  readonly accepted?: Question;
}

/** Sends a tool call to the server with the given `_meta`. */
export function sendCall(
  { upstream, patience }: CallerDeps,
  { name, args, signal, onProgress }: ClientCall,
  { meta, isRepeatable }: { meta: Readonly<Record<string, unknown>>; isRepeatable: boolean },
): Promise<RpcAnswer> {
  return upstream.ask({
    method: 'tools/call',
    params: { name, arguments: args, _meta: meta },
    signal,
    isRepeatable,
    patienceMs: patience.callMs,
    ...(onProgress === undefined ? {} : { onProgress }),
  });
}
