/** One request to a host on the public internet. */
export interface EgressRequest {
  readonly url: string;
  /** Redirects of a `POST` are not followed: they are the answer. */
  readonly method: 'GET' | 'HEAD' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  /** Of a `POST`. */
  readonly body?: Uint8Array;
  /** Decoded bytes to read at the most; default 5 MB. The rest is an `EGRESS_TOO_LARGE`. */
  readonly maxBytes?: number;
  /** Stop reading at `maxBytes` and answer with what is there instead of failing. */
  readonly truncate?: boolean;
  /** Everything together, in milliseconds; default 15 s. */
  readonly totalTimeoutMs?: number;
  /** Redirects to follow, each vetted anew; default 5. */
  readonly redirectsMax?: number;
  readonly signal?: AbortSignal;
}

/** What came back. */
export interface EgressResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly finalUrl: string;
  readonly redirects: readonly string[];
  readonly ms: number;
  /** Of the host that answered at last; not there without encryption. */
  readonly certificate?: PeerCertificate;
}

/** How long a certificate holds, in RFC 3339. */
export interface PeerCertificate {
  readonly validFrom: string;
  readonly validTo: string;
}

/**
 * The only way out to hosts that a buyer names. Checks the address where the socket connects.
 *
 * Throws `EGRESS_BLOCKED`, `EGRESS_FAILED` (data.kind: `dns` | `tls` | `connect` | `reset` |
 * `redirects` | `protocol` | `aborted`), `EGRESS_TIMEOUT`, `EGRESS_TOO_LARGE`, `OVERLOADED`.
 */
export interface EgressPort {
  fetch(request: EgressRequest): Promise<EgressResponse>;
}
