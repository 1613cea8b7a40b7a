import { dueDiligence } from '../actors/diligence/diligence-kind.ts';
import type { ReportKind } from '../actors/reports/report-kind.ts';
import { deepResearch } from '../actors/research/research-kind.ts';
import { vendorVetting } from '../actors/vetting/vetting-kind.ts';
import type { OwnRecords } from '../domain/ports/own-records.ts';
import type { DataDeps } from '../tools/catalog.ts';
import { diligencePorts } from '../tools/parts/diligence-ports.ts';

/** Every kind of report that is sold here. */
export function reportKinds(data: DataDeps, own: OwnRecords): readonly ReportKind[] {
  return [
    vendorVetting({ ...data, ...own }),
    dueDiligence(diligencePorts(data, own)),
    deepResearch(data),
  ];
}
