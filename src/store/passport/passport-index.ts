import type {
  DelegationRow,
  PassportIndex,
  PassportRow,
} from '../../domain/passport/passport-index.ts';
import type { TrustStore } from '../chain/trust-store.ts';
import type { JsonTable } from '../common/json-table.ts';

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
  const readRange = (key: IndexKey, limit: number, after?: string) =>
    rows.list({
      start: [...key, ...(after === undefined ? [] : [after])],
      end: [...key, END],
      limit,
    });
  let agents: number | undefined;
  let delegations: number | undefined;

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
      if (isNew && agents !== undefined) agents += 1;
    },
    byName: (name) => rows.get(['name', name]) as PassportRow | undefined,
    byAgentId: (agentId) => rows.get(['id', agentId]) as string | undefined,
    byWallet: (wallet, limit) =>
      readRange(['wallet', wallet], limit).map(({ row }) => row as string),
    list: (after, limit) =>
      readRange(['name'], limit + 1, after)
        .map(({ row }) => row as PassportRow)
        .filter(({ name }) => name !== after)
        .slice(0, limit),
    count: () => {
      agents ??= countNames(readRange);
      return agents;
    },
    countRequestedSince: (at, limit) =>
      rows.list({ start: ['asked', at], end: ['asked', Number.MAX_SAFE_INTEGER], limit }).length,
    putDelegation: async (row) => {
      const { delegationId, delegator } = row;
      if (rows.get(['granted', delegator, delegationId]) !== undefined) return;
      await environment.commit(delegationKeys(row).map((key) => rows.change(key, delegationId)));
      if (delegations !== undefined) delegations += 1;
    },
    delegationsOf: (wallet, limit) =>
      readRange(['party', wallet], limit).map(({ row }) => row as string),
    remove: async ({ name, applicant, agentId, askedAt }) => {
      const isThere = rows.get(['name', name]) !== undefined;
      await rows.remove([
        ['name', name],
        ['asked', askedAt, name],
        ['wallet', applicant, name],
        ...(agentId === null ? [] : [['id', agentId]]),
      ]);
      if (isThere && agents !== undefined) agents -= 1;
    },
    removeDelegation: async (row) => {
      const isThere = rows.get(['granted', row.delegator, row.delegationId]) !== undefined;
      await rows.remove(delegationKeys(row));
      if (isThere && delegations !== undefined) delegations -= 1;
    },
    listGrantedBy: (wallet, limit) =>
      readRange(['granted', wallet], limit).map(({ row }) => row as string),
    delegationCount: () => {
      delegations ??= countDelegations(rows);
      return delegations;
    },
  };
}

type RangeReader = (
  key: IndexKey,
  limit: number,
  after?: string,
) => readonly { readonly row: IndexRow }[];

function countNames(within: RangeReader): number {
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
function delegationKeys({
  delegationId,
  delegator,
  delegate,
  grantedAt,
}: DelegationRow): IndexKey[] {
  return [
    ['party', delegator, -grantedAt, delegationId],
    ['party', delegate, -grantedAt, delegationId],
    ['granted', delegator, delegationId],
  ];
}

function countDelegations(rows: JsonTable<IndexKey, IndexRow>): number {
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
