import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Listening } from '../../transport/front/front.ts';
import type { Ready } from './ready.ts';
import type { ServerServices } from './services.ts';

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
