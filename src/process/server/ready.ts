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
