import type { Clock } from '../../domain/common/clock.ts';
import type { Registry } from '../../domain/company/registries.ts';
import type { MatchedRecord } from '../../domain/company/report.ts';
import type { Filings, ReadLimits } from '../../domain/filing/filings.ts';
import type { OwnRecords } from '../../domain/report/own-records.ts';
import type { Screening } from '../../domain/screening/screening.ts';
import type { LensResult } from '../../domain/vetting/lens.ts';

/** Whom a vetting is about. What is not given is not looked for. */
export interface VettingSubject {
  readonly name: string;
  readonly jurisdiction?: string | undefined;
  readonly ticker?: string | undefined;
  /** Origin of its tool server or agent. */
  readonly origin?: string | undefined;
  /** Wallet that it is paid at, in lower case. */
  readonly wallet?: string | undefined;
  /** Its web site: an address, or the name of its host. */
  readonly website?: string | undefined;
  /** Records that lenses before have taken to be it. */
  readonly records?: readonly MatchedRecord[] | undefined;
}

/** What lenses look through. */
export interface VettingPorts extends OwnRecords {
  readonly filings: Filings;
  readonly registries: readonly Registry[];
  /** Lists that are searched, each by itself. */
  readonly screenings: readonly Screening[];
  readonly clock: Clock;
}

/** One way of looking at a company. Throws nothing for what an upstream does. */
export type Lens<Ports = VettingPorts> = (
  subject: VettingSubject,
  ports: Ports,
  limits: ReadLimits,
) => Promise<LensResult>;

/** A lens that has nothing to say yet. */
export function emptyResult(
  status: LensResult['status'],
  note: string | null,
  more: Partial<LensResult> = {},
): LensResult {
  const nothing = { findings: [], figures: [], searched: [], sources: [], faults: [] };
  return { ...nothing, status, note, ...more };
}
