/** What finds a passport's actor. The chain and the actor are the truth; this only points. */
export interface PassportRow {
  readonly name: string;
  /** The wallet that it was minted for. */
  readonly applicant: string;
  /** Milliseconds: when it was asked for. */
  readonly askedAt: number;
  /** `null` while it is not minted. */
  readonly agentId: string | null;
}

/** Finds passports and delegations. Every write may be repeated. */
export interface PassportIndex {
  /** Puts a passport, found by name, id, applicant and by these wallets too. */
  put(row: PassportRow, wallets?: readonly string[]): Promise<void>;
  byName(name: string): PassportRow | undefined;
  /** @returns The name. */
  byAgentId(agentId: string): string | undefined;
  /** Names that a wallet had to do with, in their order. */
  byWallet(wallet: string, limit: number): readonly string[];
  /** Passports whose names come after one, in their order. */
  list(after: string | undefined, limit: number): readonly PassportRow[];
  /** How many there are. */
  count(): number;
  /** How many were asked for since a moment, counted up to `limit`. */
  askedSince(at: number, limit: number): number;
  /** Puts a delegation, found by both of its wallets. */
  putDelegation(row: DelegationRow): Promise<void>;
  /** Ids of delegations from or to a wallet, the newest first. */
  delegationsOf(wallet: string, limit: number): readonly string[];
  /** Removes a passport, or a delegation. */
  remove(row: PassportRow): Promise<void>;
  removeDelegation(row: DelegationRow): Promise<void>;
  /** Ids of delegations that a wallet has given, in no order that says anything. */
  delegatedBy(wallet: string, limit: number): readonly string[];
  /** How many delegations there are. */
  delegationCount(): number;
}

/** What finds a delegation. */
export interface DelegationRow {
  readonly delegationId: string;
  readonly delegator: string;
  readonly delegate: string;
  /** Milliseconds. */
  readonly grantedAt: number;
}
