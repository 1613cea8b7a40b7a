import { createDueDiligenceKind } from '../../actors/company/diligence-kind.ts';
import type { ReportKind } from '../../actors/report/report-kind.ts';
import { createDeepResearchKind } from '../../actors/research/research-kind.ts';
import { createVendorVettingKind } from '../../actors/vetting/vetting-kind.ts';
import { createDiligencePorts } from '../../tools/company/diligence-ports.ts';
import type { DataServices } from '../../tools/service/commerce-tools.ts';

/** Returns every kind of report that the server sells. */
export function reportKinds(services: DataServices): readonly ReportKind[] {
  return [
    createVendorVettingKind(services),
    createDueDiligenceKind(createDiligencePorts(services)),
    createDeepResearchKind(services),
  ];
}
