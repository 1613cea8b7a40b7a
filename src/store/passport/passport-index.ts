import type {
  DelegationRow,
  PassportIndex,
  PassportRow,
} from '../../domain/passport/passport-index.ts';
import type { TrustStore } from '../chain/trust-store.ts';
import type { Rows } from '../common/rows.ts';

/** Sorts after every text and number of a key. */
const END = '\uffff';
/** Rows read per batch. */
const BATCH = 1_000;

type IndexKey = (string | number)[];
type IndexRow = PassportRow | DelegationRow | string;

/** Opens the index of passports and delegations, in the trust environment. */
export function openPassportIndex(store: TrustStore): PassportIndex {
  const rows = store.table<IndexKey, IndexRow>('passports');
  const { environment } = store;
  const within = (key: IndexKey, limit: number, after?: string) =>
    rows.list({
      start: [...key, ...(after === undefined ? [] : [after])],
      end: [...key, END],
      limit,
    });
  let total: number | undefined;
  let given: number | undefined;

  return {
    put: async (row, wallets = []) => {
      const { name, applicant, agentId, askedAt } = row;
      const isNew = rows.get(['name', name]) === undefined;
      await environment.commit([
        rows.change(['name', name], row),
        rows.change(['asked', askedAt, name], name),
        ...[applicant, ...wallets].map((wallet) => rows.change(['wallet', wallet, name], name)),
        ...(agentId === null ? [] : [rows.change(['id', agentId], name)]),
      ]);
      if (isNew && total !== undefined) total += 1;
    },
    byName: (name) => rows.get(['name', name]) as PassportRow | undefined,
    byAgentId: (agentId) => rows.get(['id', agentId]) as string | undefined,
    byWallet: (wallet, limit) => within(['wallet', wallet], limit).map(({ row }) => row as string),
    list: (after, limit) =>
      within(['name'], limit + 1, after)
        .map(({ row }) => row as PassportRow)
        .filter(({ name }) => name !== after)
        .slice(0, limit),
    count: () => {
      total ??= countNames(within);
      return total;
    },
    askedSince: (at, limit) =>
      rows.list({ start: ['asked', at], end: ['asked', Number.MAX_SAFE_INTEGER], limit }).length,
    putDelegation: async (row) => {
      const { delegationId, delegator } = row;
      if (rows.get(['granted', delegator, delegationId]) !== undefined) return;
      await environment.commit(placesOf(row).map((key) => rows.change(key, delegationId)));
      if (given !== undefined) given += 1;
    },
    delegationsOf: (wallet, limit) =>
      within(['party', wallet], limit).map(({ row }) => row as string),
    remove: async ({ name, applicant, agentId, askedAt }) => {
      const isThere = rows.get(['name', name]) !== undefined;
      await rows.remove([
        ['name', name],
        ['asked', askedAt, name],
        ['wallet', applicant, name],
        ...(agentId === null ? [] : [['id', agentId]]),
      ]);
      if (isThere && total !== undefined) total -= 1;
    },
    removeDelegation: async (row) => {
      const isThere = rows.get(['granted', row.delegator, row.delegationId]) !== undefined;
      await rows.remove(placesOf(row));
      if (isThere && given !== undefined) given -= 1;
    },
    delegatedBy: (wallet, limit) =>
      within(['granted', wallet], limit).map(({ row }) => row as string),
    delegationCount: () => {
      given ??= countGiven(rows);
      return given;
    },
  };
}

type Within = (
  key: IndexKey,
  limit: number,
  after?: string,
) => readonly { readonly row: IndexRow }[];

function countNames(within: Within): number {
  let counted = 0;
  let after: string | undefined;
  for (;;) {
    const batch = within(['name'], BATCH, after);
    const names = batch.map(({ row }) => (row as PassportRow).name).filter((it) => it !== after);
    counted += names.length;
    if (batch.length < BATCH) return counted;
    after = names.at(-1);
  }
}

/** Returns the keys of a delegation; those of one wallet sort newest first. */
function placesOf({ delegationId, delegator, delegate, grantedAt }: DelegationRow): IndexKey[] {
  return [
    ['party', delegator, -grantedAt, delegationId],
    ['party', delegate, -grantedAt, delegationId],
    ['granted', delegator, delegationId],
  ];
}

function countGiven(rows: Rows<IndexKey, IndexRow>): number {
  let counted = 0;
  let start: IndexKey = ['granted'];
  for (;;) {
    const batch = rows.list({ start, end: ['granted', END], limit: BATCH });
    counted += batch.length;
    const last = batch.at(-1)?.key;
    if (last === undefined || batch.length < BATCH) return counted;
    // A range includes its first key, which was already counted.
    counted -= 1;
    start = last;
  }
}
