import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a started server says of itself; printed as one line under `--json`. No secret in it. */
export interface Ready {
  readonly ready: true;
  readonly base_url: string;
  readonly mcp: string;
  readonly mcp_v2: string;
  /** `null` while no hosting tool is served. */
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
    /** `null` until the contract is part of this version. */
    readonly escrow: string | null;
    readonly identity: string | null;
    readonly anchor: string | null;
    /** Where the embedded chain tells all its logs; `null` on a chain of others. */
    readonly history_url: string | null;
  };
}

/** Leaves the ready line in the data directory for the other commands. */
export function writeReady(dataDir: string, ready: Ready): void {
  writeFileSync(path(dataDir), `${JSON.stringify(ready)}\n`, { mode: 0o600 });
}

/** Reads what the last server left; it may have died since. */
export function readReady(dataDir: string): Ready | undefined {
  try {
    return JSON.parse(readFileSync(path(dataDir), 'utf8')) as Ready;
  } catch {
    return undefined;
  }
}

/** Removes the ready line of a server that ends. */
export function removeReady(dataDir: string): void {
  rmSync(path(dataDir), { force: true });
}

function path(dataDir: string): string {
  return join(dataDir, 'ready.json');
}
