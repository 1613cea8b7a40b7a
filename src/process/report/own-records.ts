import type { OwnRecords } from '../../domain/report/own-records.ts';

/** Records that are there once trust is open; who asks before that waits. */
export interface LateRecords extends OwnRecords {
  /** Hands the records on to all who wait. */
  begin(records: OwnRecords): void;
}

/** Reports are prepared before the engine, and may run before trust is open. */
export function lateRecords(): LateRecords {
  let begin: (records: OwnRecords) => void = () => undefined;
  const opened = new Promise<OwnRecords>((resolve) => {
    begin = resolve;
  });
  return {
    audits: {
      list: async (o) => (await opened).audits.list(o),
      read: async (auditId) => (await opened).audits.read(auditId),
    },
    reputationOf: async (wallet) => (await opened).reputationOf(wallet),
    begin: (records) => begin(records),
  };
}
