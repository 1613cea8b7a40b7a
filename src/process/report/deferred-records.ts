import type { LocalRecords } from '../../domain/report/own-records.ts';

/** Records that become available once trust is open. Earlier calls wait. */
export interface DeferredRecords extends LocalRecords {
  /** Provides the records to all waiting calls. */
  resolve(records: LocalRecords): void;
}

/**
 * Creates late records: reports are prepared before the engine and may run before trust is open.
 */
export function createDeferredRecords(): DeferredRecords {
  let resolveRecords: (records: LocalRecords) => void = () => undefined;
  const whenOpen = new Promise<LocalRecords>((resolve) => {
    resolveRecords = resolve;
  });
  return {
    audits: {
      list: async (o) => (await whenOpen).audits.list(o),
      read: async (auditId) => (await whenOpen).audits.read(auditId),
    },
    reputationOf: async (wallet) => (await whenOpen).reputationOf(wallet),
    resolve: (records) => resolveRecords(records),
  };
}
