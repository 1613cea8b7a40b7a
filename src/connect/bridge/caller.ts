import { SECOND_MS } from '../../domain/common/time.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { RpcAnswer } from '../upstream/http-session.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { Payees } from '../wallet/payees.ts';
import type { SigningWallet } from '../wallet/wallet.ts';
import type { Question } from './approval.ts';
import type { Catalog } from './catalog.ts';
import type { Setting, WantedCaps } from './setting.ts';

/** What a paying caller works with. */
export interface CallerDeps {
  readonly upstream: Upstream;
  readonly catalog: Catalog;
  readonly wallet: SigningWallet;
  readonly ledger: Ledger;
  readonly payees: Payees;
  /** Origin of the server: who is paid is remembered by it. */
  readonly server: string;
  readonly wanted: WantedCaps;
  /** A payee that a person named in advance. */
  readonly payee?: string;
  /** What is known of the chain now; `undefined` while nothing is. */
  setting(): Setting | undefined;
  readonly now: () => number;
  readonly patience: Patience;
}

/** How long the server may be away, in milliseconds. */
export interface Patience {
  readonly listMs: number;
  readonly callMs: number;
}

/** A server that is just starting, or starts again, is waited for. */
export const PATIENCE: Patience = { listMs: 20 * SECOND_MS, callMs: 60 * SECOND_MS };

/** A tool call of the MCP client. */
export interface ClientCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  /** Progress of the server, as it came. */
  readonly onProgress?: (params: Readonly<Record<string, unknown>>) => void;
  /** A line of the wallet's own. */
  readonly say: (line: string) => void;
  /** Does something when the client has the answer, or has had every chance to take it. */
  readonly whenDelivered: (act: () => void) => void;
  /** The question that a person said yes to. */
  readonly accepted?: Question;
}

/** Sends a call to the server, with what goes into its `_meta`. */
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
