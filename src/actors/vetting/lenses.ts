import type { Clock } from '../../domain/common/clock.ts';
import type { Registry } from '../../domain/company/registries.ts';
import type { MatchedRecord } from '../../domain/company/report.ts';
import type { Filings, ReadLimits } from '../../domain/filing/filings.ts';
import type { LocalRecords } from '../../domain/report/own-records.ts';
import type { Screening } from '../../domain/screening/screening.ts';
import type { LensResult } from '../../domain/vetting/lens.ts';

/** Subject of a vetting. Omitted fields are not checked. */
export interface VettingSubject {
  readonly name: string;
  readonly jurisdiction?: string | undefined;
  readonly ticker?: string | undefined;
  /** Origin of its tool server or agent. */
  readonly origin?: string | undefined;
  /** Wallet that receives its payments, in lower case. */
  readonly wallet?: string | undefined;
  /** Its website: a URL or a host name. */
  readonly website?: string | undefined;
  /** Registry records that earlier lenses matched to it. */
  readonly records?: readonly MatchedRecord[] | undefined;
}

/** Dependencies of lenses. */
export interface VettingPorts extends LocalRecords {
  readonly filings: Filings;
  readonly registries: readonly Registry[];
  /** Sanctions lists, searched separately. */
  readonly screenings: readonly Screening[];
  readonly clock: Clock;
}

/** One check of a company. Upstream failures are results, never exceptions. */
export type Lens<Ports = VettingPorts> = (
  subject: VettingSubject,
  ports: Ports,
  limits: ReadLimits,
) => Promise<LensResult>;

/** Creates a lens result without findings. */
export function emptyResult(
  status: LensResult['status'],
  note: string | null,
  more: Partial<LensResult> = {},
): LensResult {
  const nothing = { findings: [], figures: [], searched: [], sources: [], faults: [] };
  return { ...nothing, status, note, ...more };
}
