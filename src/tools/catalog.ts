import type { ReadDeps } from '../actors/panels/panel-state.ts';
import type { AuditRequest } from '../domain/audit/request.ts';
import type { Jobs } from '../domain/job.ts';
import type { Clock } from '../domain/ports/clock.ts';
import type { MarketBooks, MarketCandles } from '../domain/ports/markets.ts';
import type { OwnRecords } from '../domain/ports/own-records.ts';
import type { Tool } from '../domain/tool.ts';
import { prehireCheckTool } from './commerce/agent_prehire-check.ts';
import { trustBadgeTool } from './commerce/agent_trust-badge.ts';
import {
  type ArbitrationToolDeps,
  arbitrationTool,
} from './commerce/arbitration_dispute-settlement.ts';
import { type SealToolDeps, sealTool } from './commerce/attestation_single-use-seal.ts';
import { type VideoToolDeps, youtubeResearchTool } from './commerce/content_youtube-research.ts';
import { investmentPlaysTool } from './commerce/crypto_investment-plays.ts';
import { marketAnalyzerTool } from './commerce/crypto_market-analyzer.ts';
import { businessRegistryTool, type RegistryToolDeps } from './commerce/data_business-registry.ts';
import { edgarFilingTool, type FilingsToolDeps } from './commerce/data_sec-edgar-filing.ts';
import { type ExtractToolDeps, webExtractTool } from './commerce/data_web-extract.ts';
import { type DebateToolDeps, debateTool } from './commerce/deliberation_multi-agent-debate.ts';
import { type SpendToolDeps, tokenSpendTool } from './commerce/finops_token-spend-audit.ts';
import { type GetResultDeps, getResultTool } from './commerce/get_result.ts';
import { dueDiligenceTool } from './commerce/ops_due-diligence-scan.ts';
import { type LinkIntegrityDeps, linkIntegrityTool } from './commerce/ops_link-integrity.ts';
import { type AlertToolDeps, alertTool } from './commerce/oracle_alert-generator.ts';
import { comprehensiveTool } from './commerce/oracle_comprehensive-report.ts';
import { type CrossChainDeps, crossChainTool } from './commerce/oracle_cross-chain-prices.ts';
import { historyTool } from './commerce/oracle_historical-analysis.ts';
import { type ArbitrageToolDeps, marketArbitrageTool } from './commerce/oracle_market-arbitrage.ts';
import { type PriceToolDeps, priceFeedTool } from './commerce/oracle_price-feed.ts';
import { oracleSentimentTool } from './commerce/oracle_sentiment-analysis.ts';
import { type VolatilityToolDeps, volatilityTool } from './commerce/oracle_volatility-monitor.ts';
import { type PredictionDeps, predictionTool } from './commerce/prediction_platform.ts';
import { councilTool } from './commerce/procurement_council.ts';
import { trustLayerTool } from './commerce/procurement_trust-layer.ts';
import { type VettingDataDeps, vendorVettingTool } from './commerce/procurement_vendor-vetting.ts';
import { reputationLookupTool } from './commerce/reputation_lookup.ts';
import {
  deepResearcherTool,
  type ResearchToolDeps,
} from './commerce/research_topic-deep-researcher.ts';
import { type NewsToolDeps, newsScannerTool } from './commerce/research_topic-news-scanner.ts';
import { topicSentimentTool } from './commerce/research_topic-sentiment-analyzer.ts';
import { auditAttestationTool } from './commerce/security_audit-attestation.ts';
import { enterpriseAuditTool } from './commerce/security_enterprise-audit.ts';
import { frameworkAuditTool } from './commerce/security_framework-audit.ts';
import { frameworkConformanceTool } from './commerce/security_framework-conformance.ts';
import { identityCardTool } from './commerce/security_identity-card-verify.ts';
import { injectionResilienceTool } from './commerce/security_injection-resilience.ts';
import { processAttestationTool } from './commerce/security_process-attestation.ts';
import {
  type IntroductionDeps,
  introductionTool,
} from './commerce/social_verified_introduction.ts';
import { type TranslationToolDeps, translationTool } from './commerce/translation_zh-en.ts';
import { defineTool } from './define-tool.ts';
import { joinJobs } from './jobs.ts';
import { ALERT_RESOURCE, readAlertResource } from './parts/alert-resource.ts';
import { auditJobs } from './parts/audit-jobs.ts';
import type { AuditToolDeps } from './parts/audit-tool.ts';
import { type BoardReads, boardResources } from './parts/board-resources.ts';
import type { EvidenceDeps } from './parts/check-evidence.ts';
import type { DiligenceDataDeps } from './parts/diligence-ports.ts';
import { panelJobs } from './parts/panel-jobs.ts';
import { PANEL_RESOURCE, readPanelResource } from './parts/panel-resource.ts';
import { reportJobs } from './parts/report-jobs.ts';
import type { ReportToolDeps } from './parts/report-tool.ts';
import type { SentimentToolDeps } from './parts/sentiment-answer.ts';
import type { TrustToolDeps } from './parts/trust-subject.ts';
import type { ResourceReader } from './service.ts';

/** What the tools of attestation work with, together. */
export interface AttestationDeps extends SealToolDeps, IntroductionDeps, PredictionDeps {
  readonly trust: IntroductionDeps['trust'] & PredictionDeps['trust'];
}

/** What alerts are defined with, and read. */
export interface AlertingDeps extends AlertToolDeps {
  readonly alerts: AlertToolDeps['alerts'] & Parameters<typeof readAlertResource>[0];
}

/** What the data tools work with, together. */
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

/** What the tools of the commerce server work with, together. */
export interface CommerceDeps extends GetResultDeps, DebateToolDeps, LinkIntegrityDeps {
  /** Absent in tests that need none of them. */
  readonly attestation?: AttestationDeps;
  readonly alerting?: AlertingDeps;
  /** What data are read and answered with. */
  readonly data?: DataDeps;
  /** What is looked at of an agent. */
  readonly evidence?: TrustToolDeps;
  /** What reports are ordered and read with. */
  readonly reporting?: ReportToolDeps & { readonly ownRecords: OwnRecords };
  /** What audits are ordered and read with. */
  readonly auditing?: AuditToolDeps;
  /** What evidence of a posture is checked with. */
  readonly conforming?: EvidenceDeps;
  /** What arbitrations are filed and fed with. */
  readonly arbitrating?: Pick<
    ArbitrationToolDeps,
    'arbitrations' | 'delegations' | 'index' | 'wallets'
  >;
}

/** The tools of the commerce server that work, in the order of its specification. */
export function commerceTools(deps: CommerceDeps): readonly Tool[] {
  const { attestation, alerting, evidence, auditing, conforming, arbitrating, data } = deps;
  const attesting = <In>(make: (parts: AttestationDeps) => Tool<In>): readonly Tool<In>[] =>
    attestation === undefined ? [] : [defineTool(make(attestation))];
  const looking = <In>(make: (parts: TrustToolDeps) => Tool<In>): readonly Tool<In>[] =>
    evidence === undefined ? [] : [defineTool(make(evidence))];
  const reading = <In>(make: (parts: DataDeps) => Tool<In>): readonly Tool<In>[] =>
    data === undefined ? [] : [defineTool(make(data))];
  const audits = (
    make: (parts: AuditToolDeps) => Tool<AuditRequest>,
  ): readonly Tool<AuditRequest>[] => (auditing === undefined ? [] : [defineTool(make(auditing))]);
  const { reporting } = deps;
  const reported = <In>(
    make: (parts: Required<Pick<CommerceDeps, 'data' | 'reporting'>>) => Tool<In>,
  ): readonly Tool<In>[] =>
    data === undefined || reporting === undefined ? [] : [defineTool(make({ data, reporting }))];
  return [
    defineTool(getResultTool(deps)),
    ...looking(prehireCheckTool),
    ...looking(trustBadgeTool),
    ...(arbitrating === undefined
      ? []
      : [defineTool(arbitrationTool({ ...deps, ...arbitrating }))]),
    ...attesting(sealTool),
    ...reading(youtubeResearchTool),
    ...reading(investmentPlaysTool),
    ...reading(marketAnalyzerTool),
    ...reading(businessRegistryTool),
    ...reading(edgarFilingTool),
    ...reading(webExtractTool),
    defineTool(debateTool(deps)),
    ...reading(tokenSpendTool),
    ...reported(dueDiligenceTool),
    defineTool(linkIntegrityTool(deps)),
    ...(alerting === undefined ? [] : [defineTool(alertTool(alerting))]),
    ...reading(comprehensiveTool),
    ...reading(crossChainTool),
    ...reading(historyTool),
    ...reading(marketArbitrageTool),
    ...reading(priceFeedTool),
    ...reading(oracleSentimentTool),
    ...reading(volatilityTool),
    ...attesting(predictionTool),
    defineTool(councilTool(deps)),
    ...looking(trustLayerTool),
    ...reported(vendorVettingTool),
    ...looking(reputationLookupTool),
    ...reported(deepResearcherTool),
    ...reading(newsScannerTool),
    ...reading(topicSentimentTool),
    ...attesting(auditAttestationTool),
    ...looking(identityCardTool),
    ...audits(enterpriseAuditTool),
    ...audits(injectionResilienceTool),
    ...audits(frameworkAuditTool),
    ...(conforming === undefined ? [] : [defineTool(frameworkConformanceTool(conforming))]),
    ...attesting(processAttestationTool),
    ...attesting(introductionTool),
    ...reading(translationTool),
  ];
}

/** What can be read beside the tools: panels and alerts under their capability, and the board. */
export function commerceResources(
  deps: ReadDeps & Pick<CommerceDeps, 'alerting'> & { readonly board?: BoardReads },
): readonly ResourceReader[] {
  const { alerting, board } = deps;
  const ofAlerts: readonly ResourceReader[] =
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
    ...ofAlerts,
    ...(board === undefined ? [] : boardResources(board)),
  ];
}

/** The jobs that the tools of the commerce server order, of every kind. */
export function commerceJobs(deps: ReadDeps & { readonly clock: Clock }): Jobs {
  return joinJobs([panelJobs(deps), auditJobs(deps), reportJobs(deps)], deps.clock);
}
