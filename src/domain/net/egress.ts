/** A request to a public host. */
export interface EgressRequest {
  readonly url: string;
  /** Redirects of a `POST` are not followed but returned. */
  readonly method: 'GET' | 'HEAD' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  /** Body of a `POST`. */
  readonly body?: Uint8Array;
  /** Maximum number of decoded bytes; default 5 MB. A longer body fails with `EGRESS_TOO_LARGE`. */
  readonly maxBytes?: number;
  /** Whether to stop at `maxBytes` and return the partial body instead of failing. */
  readonly truncate?: boolean;
  /** Total timeout in milliseconds; default 15 s. */
  readonly totalTimeoutMs?: number;
  /** Maximum number of redirects, each checked again; default 5. */
  readonly redirectsMax?: number;
  readonly signal?: AbortSignal;
}

/** The response of a host. */
export interface EgressResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly finalUrl: string;
  readonly redirects: readonly string[];
  readonly ms: number;
  /** Certificate of the final host; absent without encryption. */
  readonly certificate?: PeerCertificate;
}

/** Validity period of a certificate, in RFC 3339. */
export interface PeerCertificate {
  readonly validFrom: string;
  readonly validTo: string;
}

/**
 * The only way to reach hosts that a buyer names. Checks each address at the connecting socket.
 *
 * Throws `EGRESS_BLOCKED`, `EGRESS_FAILED` (data.kind: `dns` | `tls` | `connect` | `reset` |
 * `redirects` | `protocol` | `aborted`), `EGRESS_TIMEOUT`, `EGRESS_TOO_LARGE`, `OVERLOADED`.
 */
export interface EgressPort {
  fetch(request: EgressRequest): Promise<EgressResponse>;
}
