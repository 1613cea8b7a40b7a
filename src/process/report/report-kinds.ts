import { dueDiligence } from '../../actors/company/diligence-kind.ts';
import type { ReportKind } from '../../actors/report/report-kind.ts';
import { deepResearch } from '../../actors/research/research-kind.ts';
import { vendorVetting } from '../../actors/vetting/vetting-kind.ts';
import type { OwnRecords } from '../../domain/report/own-records.ts';
import { diligencePorts } from '../../tools/company/diligence-ports.ts';
import type { DataDeps } from '../../tools/service/catalog.ts';

/** Returns every kind of report that the server sells. */
export function reportKinds(data: DataDeps, own: OwnRecords): readonly ReportKind[] {
  return [
    vendorVetting({ ...data, ...own }),
    dueDiligence(diligencePorts(data, own)),
    deepResearch(data),
  ];
}
