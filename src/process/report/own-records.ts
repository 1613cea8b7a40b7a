import type { OwnRecords } from '../../domain/report/own-records.ts';

/** Records that become available once trust is open. Earlier calls wait. */
export interface LateRecords extends OwnRecords {
  /** Provides the records to all waiting calls. */
  begin(records: OwnRecords): void;
}

/**
 * Creates late records: reports are prepared before the engine and may run before trust is open.
 */
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
