/**
 * Index entry of a passport. The chain and the actor are authoritative; this only points to them.
 */
export interface PassportRow {
  readonly name: string;
  /** The wallet that it was minted for. */
  readonly applicant: string;
  /** Time of the request, in milliseconds since 1970. */
  readonly askedAt: number;
  /** `null` until it is minted. */
  readonly agentId: string | null;
}

/** Index of passports and delegations. All writes are idempotent. */
export interface PassportIndex {
  /** Stores a passport under its name, id, applicant and the given wallets. */
  put(row: PassportRow, wallets?: readonly string[]): Promise<void>;
  byName(name: string): PassportRow | undefined;
  /** @returns The name. */
  byAgentId(agentId: string): string | undefined;
  /** Returns the names associated with a wallet, in order. */
  byWallet(wallet: string, limit: number): readonly string[];
  /** Returns passports whose names follow `after`, in order. */
  list(after: string | undefined, limit: number): readonly PassportRow[];
  count(): number;
  /** Returns the number of requests since a time, counted up to `limit`. */
  countRequestedSince(at: number, limit: number): number;
  /** Stores a delegation under both of its wallets. */
  putDelegation(row: DelegationRow): Promise<void>;
  /** Returns the ids of delegations from or to a wallet, newest first. */
  delegationsOf(wallet: string, limit: number): readonly string[];
  remove(row: PassportRow): Promise<void>;
  removeDelegation(row: DelegationRow): Promise<void>;
  /** Returns the ids of delegations that a wallet granted, in no particular order. */
  listGrantedBy(wallet: string, limit: number): readonly string[];
  delegationCount(): number;
}

/** Index entry of a delegation. */
export interface DelegationRow {
  readonly delegationId: string;
  readonly delegator: string;
  readonly delegate: string;
  /** Milliseconds since 1970. */
  readonly grantedAt: number;
}
