import type { PanelReadDeps } from '../../actors/panel/panel-state.ts';
import type { AuditRequest } from '../../domain/audit/request.ts';
import type { Clock } from '../../domain/common/clock.ts';
import type { Jobs } from '../../domain/job/job.ts';
import type { MarketBooks, MarketCandles } from '../../domain/market/markets.ts';
import type { LocalRecords } from '../../domain/report/own-records.ts';
import type { Tool } from '../../domain/tool/tool.ts';
import { ALERT_RESOURCE, readAlertResource } from '../alert/alert-resource.ts';
import { type AlertToolDeps, alertTool } from '../alert/oracle_alert-generator.ts';
import {
  type ArbitrationToolDeps,
  arbitrationTool,
} from '../arbitration/arbitration_dispute-settlement.ts';
import { type SealToolDeps, sealTool } from '../attestation/attestation_single-use-seal.ts';
import { auditAttestationTool } from '../attestation/security_audit-attestation.ts';
import { processAttestationTool } from '../attestation/security_process-attestation.ts';
import { auditJobs } from '../audit/audit-jobs.ts';
import type { AuditToolDeps } from '../audit/audit-tool.ts';
import { enterpriseAuditTool } from '../audit/security_enterprise-audit.ts';
import { businessRegistryTool, type RegistryToolDeps } from '../company/data_business-registry.ts';
import type { DiligenceDataDeps } from '../company/diligence-ports.ts';
import { dueDiligenceTool } from '../company/ops_due-diligence-scan.ts';
import { councilTool } from '../council/procurement_council.ts';
import { type DebateToolDeps, debateTool } from '../debate/deliberation_multi-agent-debate.ts';
import { type BoardReader, boardResources } from '../escrow/board-resources.ts';
import { type PredictionDeps, predictionTool } from '../escrow/prediction_platform.ts';
import { edgarFilingTool, type FilingsToolDeps } from '../filing/data_sec-edgar-filing.ts';
import { frameworkAuditTool } from '../framework/security_framework-audit.ts';
import { frameworkConformanceTool } from '../framework/security_framework-conformance.ts';
import { injectionResilienceTool } from '../injection/security_injection-resilience.ts';
import { type GetResultDeps, getResultTool } from '../job/get_result.ts';
import { combineJobs } from '../job/jobs.ts';
import { type LinkIntegrityDeps, linkIntegrityTool } from '../link/ops_link-integrity.ts';
import { investmentPlaysTool } from '../market/crypto_investment-plays.ts';
import { marketAnalyzerTool } from '../market/crypto_market-analyzer.ts';
import { comprehensiveTool } from '../market/oracle_comprehensive-report.ts';
import { type CrossChainDeps, crossChainTool } from '../market/oracle_cross-chain-prices.ts';
import { historyTool } from '../market/oracle_historical-analysis.ts';
import { type ArbitrageToolDeps, marketArbitrageTool } from '../market/oracle_market-arbitrage.ts';
import { type PriceToolDeps, priceFeedTool } from '../market/oracle_price-feed.ts';
import { type VolatilityToolDeps, volatilityTool } from '../market/oracle_volatility-monitor.ts';
import { type NewsToolDeps, newsScannerTool } from '../news/research_topic-news-scanner.ts';
import { type ExtractToolDeps, webExtractTool } from '../page/data_web-extract.ts';
import { panelJobs } from '../panel/panel-jobs.ts';
import { PANEL_RESOURCE, readPanelResource } from '../panel/panel-resource.ts';
import { identityCardTool } from '../passport/security_identity-card-verify.ts';
import {
  type IntroductionDeps,
  introductionTool,
} from '../passport/social_verified_introduction.ts';
import { reportJobs } from '../report/report-jobs.ts';
import type { ReportToolDeps } from '../report/report-tool.ts';
import { prehireCheckTool } from '../reputation/agent_prehire-check.ts';
import { trustBadgeTool } from '../reputation/agent_trust-badge.ts';
import type { EvidenceDeps } from '../reputation/check-evidence.ts';
import { trustLayerTool } from '../reputation/procurement_trust-layer.ts';
import { reputationLookupTool } from '../reputation/reputation_lookup.ts';
import type { TrustToolDeps } from '../reputation/trust-subject.ts';
import {
  deepResearcherTool,
  type ResearchToolDeps,
} from '../research/research_topic-deep-researcher.ts';
import { oracleSentimentTool } from '../sentiment/oracle_sentiment-analysis.ts';
import { topicSentimentTool } from '../sentiment/research_topic-sentiment-analyzer.ts';
import type { SentimentToolDeps } from '../sentiment/sentiment-answer.ts';
import { type SpendToolDeps, tokenSpendTool } from '../spend/finops_token-spend-audit.ts';
import { type TranslationToolDeps, translationTool } from '../translation/translation_zh-en.ts';
import { type VettingDataDeps, vendorVettingTool } from '../vetting/procurement_vendor-vetting.ts';
import { type VideoToolDeps, youtubeResearchTool } from '../video/content_youtube-research.ts';
import { defineTool } from './define-tool.ts';
import type { ResourceReader } from './service.ts';

/** Dependencies of all attestation tools. */
export interface AttestationDeps extends SealToolDeps, IntroductionDeps, PredictionDeps {
  readonly trust: IntroductionDeps['trust'] & PredictionDeps['trust'];
}

/** Dependencies of the alert tool and the alert resource. */
export interface AlertingDeps extends AlertToolDeps {
  readonly alerts: AlertToolDeps['alerts'] & Parameters<typeof readAlertResource>[0];
}

/** Dependencies of all data tools. */
export interface DataDeps
  extends SpendToolDeps,
    TranslationToolDeps,
    ExtractToolDeps,
    PriceToolDeps,
    NewsToolDeps,
    SentimentToolDeps,
    VideoToolDeps,
    FilingsToolDeps,
    CrossChainDeps,
    ArbitrageToolDeps,
    VolatilityToolDeps,
    RegistryToolDeps,
    VettingDataDeps,
    DiligenceDataDeps,
    Pick<ResearchToolDeps['data'], 'searches'> {
  readonly markets: MarketBooks & MarketCandles;
}

/**
 * Dependencies of all commerce tools. The catalog has a tool only if its dependencies are present;
 * tests leave out those that they do not need.
 */
export interface CommerceDeps extends GetResultDeps, DebateToolDeps, LinkIntegrityDeps {
  readonly attestation?: AttestationDeps;
  readonly alerting?: AlertingDeps;
  readonly data?: DataDeps;
  /** For the trust tools. */
  readonly evidence?: TrustToolDeps;
  readonly reporting?: ReportToolDeps & { readonly ownRecords: LocalRecords };
  readonly auditing?: AuditToolDeps;
  /** For the conformance tool. */
  readonly conforming?: EvidenceDeps;
  readonly arbitrating?: Pick<
    ArbitrationToolDeps,
    'arbitrations' | 'delegations' | 'index' | 'wallets'
  >;
}

/** Returns the available commerce tools in the order of the specification. */
export function commerceTools(deps: CommerceDeps): readonly Tool[] {
  const { attestation, alerting, evidence, auditing, conforming, arbitrating, data } = deps;
  const withAttestation = <In>(make: (parts: AttestationDeps) => Tool<In>): readonly Tool<In>[] =>
    attestation === undefined ? [] : [defineTool(make(attestation))];
  const withTrust = <In>(make: (parts: TrustToolDeps) => Tool<In>): readonly Tool<In>[] =>
    evidence === undefined ? [] : [defineTool(make(evidence))];
  const withData = <In>(make: (parts: DataDeps) => Tool<In>): readonly Tool<In>[] =>
    data === undefined ? [] : [defineTool(make(data))];
  const withAudits = (
    make: (parts: AuditToolDeps) => Tool<AuditRequest>,
  ): readonly Tool<AuditRequest>[] => (auditing === undefined ? [] : [defineTool(make(auditing))]);
  const { reporting } = deps;
  const withReports = <In>(
    make: (parts: Required<Pick<CommerceDeps, 'data' | 'reporting'>>) => Tool<In>,
  ): readonly Tool<In>[] =>
    data === undefined || reporting === undefined ? [] : [defineTool(make({ data, reporting }))];
  return [
    defineTool(getResultTool(deps)),
    ...withTrust(prehireCheckTool),
    ...withTrust(trustBadgeTool),
    ...(arbitrating === undefined
      ? []
      : [defineTool(arbitrationTool({ ...deps, ...arbitrating }))]),
    ...withAttestation(sealTool),
    ...withData(youtubeResearchTool),
    ...withData(investmentPlaysTool),
    ...withData(marketAnalyzerTool),
    ...withData(businessRegistryTool),
    ...withData(edgarFilingTool),
    ...withData(webExtractTool),
    defineTool(debateTool(deps)),
    ...withData(tokenSpendTool),
    ...withReports(dueDiligenceTool),
    defineTool(linkIntegrityTool(deps)),
    ...(alerting === undefined ? [] : [defineTool(alertTool(alerting))]),
    ...withData(comprehensiveTool),
    ...withData(crossChainTool),
    ...withData(historyTool),
    ...withData(marketArbitrageTool),
    ...withData(priceFeedTool),
    ...withData(oracleSentimentTool),
    ...withData(volatilityTool),
    ...withAttestation(predictionTool),
    defineTool(councilTool(deps)),
    ...withTrust(trustLayerTool),
    ...withReports(vendorVettingTool),
    ...withTrust(reputationLookupTool),
    ...withReports(deepResearcherTool),
    ...withData(newsScannerTool),
    ...withData(topicSentimentTool),
    ...withAttestation(auditAttestationTool),
    ...withTrust(identityCardTool),
    ...withAudits(enterpriseAuditTool),
    ...withAudits(injectionResilienceTool),
    ...withAudits(frameworkAuditTool),
    ...(conforming === undefined ? [] : [defineTool(frameworkConformanceTool(conforming))]),
    ...withAttestation(processAttestationTool),
    ...withAttestation(introductionTool),
    ...withData(translationTool),
  ];
}

/** Returns the commerce resources: panels and alerts by their capability, and the work board. */
export function commerceResources(
  deps: PanelReadDeps & Pick<CommerceDeps, 'alerting'> & { readonly board?: BoardReader },
): readonly ResourceReader[] {
  const { alerting, board } = deps;
  const alertResources: readonly ResourceReader[] =
    alerting === undefined
      ? []
      : [
          {
            template: ALERT_RESOURCE,
            read: (uri) => readAlertResource(alerting.alerts, uri),
          },
        ];
  return [
    { template: PANEL_RESOURCE, read: (uri) => readPanelResource(deps, uri) },
    ...alertResources,
    ...(board === undefined ? [] : boardResources(board)),
  ];
}

/** Returns the jobs of all kinds that commerce tools order. */
export function commerceJobs(deps: PanelReadDeps & { readonly clock: Clock }): Jobs {
  return combineJobs([panelJobs(deps), auditJobs(deps), reportJobs(deps)], deps.clock);
}
