import { createDueDiligenceKind } from '../../actors/company/diligence-kind.ts';
import type { ReportKind } from '../../actors/report/report-kind.ts';
import { createDeepResearchKind } from '../../actors/research/research-kind.ts';
import { createVendorVettingKind } from '../../actors/vetting/vetting-kind.ts';
import type { LocalRecords } from '../../domain/report/own-records.ts';
import { createDiligencePorts } from '../../tools/company/diligence-ports.ts';
import type { DataDeps } from '../../tools/service/commerce-tools.ts';

/** Returns every kind of report that the server sells. */
export function reportKinds(data: DataDeps, own: LocalRecords): readonly ReportKind[] {
  return [
    createVendorVettingKind({ ...data, ...own }),
    createDueDiligenceKind(createDiligencePorts(data, own)),
    createDeepResearchKind(data),
  ];
}
