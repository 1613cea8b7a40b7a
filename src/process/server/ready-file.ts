import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Listening } from '../../transport/front/front.ts';
import type { ServerServices } from './services.ts';

/** The state of a started server, without secrets. `--json` prints it as one line. */
export interface Ready {
  readonly ready: true;
  readonly base_url: string;
  /** The address for any client: every protocol version, challenges within results. */
  readonly mcp: string;
  /** Answers an unpaid call with HTTP 402, for clients whose `fetch` pays. */
  readonly mcp_v1: string;
  /** The same as `mcp`. */
  readonly mcp_v2: string;
  /** `null` while no hosting tools are served. */
  readonly hosting_mcp: string | null;
  /** `null` while no console is served. */
  readonly console: string | null;
  readonly token_file: string;
  readonly pid: number;
  readonly http_engine: 'uws' | 'node';
  readonly chain: {
    readonly id: number;
    readonly rpc_url: string;
    readonly token: string;
    /** `null` until this version includes the contract. */
    readonly escrow: string | null;
    readonly identity: string | null;
    readonly reputation: string | null;
    readonly anchor: string | null;
    /** The URL of the embedded chain's full log history. `null` on an external chain. */
    readonly history_url: string | null;
  };
}

/** Describes a server that listens. */
export function buildReady(
  { baseUrl, engine }: Listening,
  services: Pick<ServerServices, 'chain' | 'token'> & { readonly isHosting: boolean },
): Ready {
  const { facts, historyUrl, trust } = services.chain;
  const { escrow, identity, reputation, anchor } = trust.contracts;
  return {
    ready: true,
    base_url: baseUrl,
    mcp: `${baseUrl}/mcp`,
    mcp_v1: `${baseUrl}/v1/mcp`,
    mcp_v2: `${baseUrl}/v2/`,
    hosting_mcp: services.isHosting ? `${baseUrl}/hosting/mcp` : null,
    console: `${baseUrl}/console/`,
    token_file: services.token.path,
    pid: process.pid,
    http_engine: engine,
    chain: {
      id: facts.chainId,
      // The path and query of a third-party URL may contain an API key.
      rpc_url: facts.isLocal ? facts.rpcUrl : new URL(facts.rpcUrl).origin,
      token: facts.token,
      escrow,
      identity,
      reputation,
      anchor,
      history_url: historyUrl ?? null,
    },
  };
}

/** Writes the ready file in the data directory, for other commands. */
export function writeReady(dataDir: string, ready: Ready): void {
  writeFileSync(path(dataDir), `${JSON.stringify(ready)}\n`, { mode: 0o600 });
}

/** Reads the ready file of the last server, which may have crashed since. */
export function readReady(dataDir: string): Ready | undefined {
  try {
    return JSON.parse(readFileSync(path(dataDir), 'utf8')) as Ready;
  } catch {
    return undefined;
  }
}

/** Deletes the ready file when the server stops. */
export function removeReady(dataDir: string): void {
  rmSync(path(dataDir), { force: true });
}

function path(dataDir: string): string {
  return join(dataDir, 'ready.json');
}
