import type { DataSources, Services } from '../../actors/common/services.ts';
import type { AuditRequest } from '../../domain/audit/request.ts';
import type { ProofKind } from '../../domain/proof/kinds.ts';
import type { Tool } from '../../domain/tool/tool.ts';
import type { readAlertResource } from '../alert/alert-resource.ts';
import { type AlertToolDeps, alertTool } from '../alert/oracle_alert-generator.ts';
import {
  type ArbitrationServices,
  arbitrationTool,
} from '../arbitration/arbitration_dispute-settlement.ts';
import { sealTool } from '../attestation/attestation_single-use-seal.ts';
import { auditAttestationTool } from '../attestation/security_audit-attestation.ts';
import { processAttestationTool } from '../attestation/security_process-attestation.ts';
import type { AuditToolDeps } from '../audit/audit-tool.ts';
import { enterpriseAuditTool } from '../audit/security_enterprise-audit.ts';
import { businessRegistryTool } from '../company/data_business-registry.ts';
import { dueDiligenceTool } from '../company/ops_due-diligence-scan.ts';
import { councilTool } from '../council/procurement_council.ts';
import { debateTool } from '../debate/deliberation_multi-agent-debate.ts';
import { predictionTool } from '../escrow/prediction_platform.ts';
import { edgarFilingTool } from '../filing/data_sec-edgar-filing.ts';
import { frameworkAuditTool } from '../framework/security_framework-audit.ts';
import { frameworkConformanceTool } from '../framework/security_framework-conformance.ts';
import { injectionResilienceTool } from '../injection/security_injection-resilience.ts';
import { type GetResultDeps, getResultTool } from '../job/get_result.ts';
import { linkIntegrityTool } from '../link/ops_link-integrity.ts';
import { investmentPlaysTool } from '../market/crypto_investment-plays.ts';
import { marketAnalyzerTool } from '../market/crypto_market-analyzer.ts';
import { comprehensiveTool } from '../market/oracle_comprehensive-report.ts';
import { crossChainTool } from '../market/oracle_cross-chain-prices.ts';
import { historyTool } from '../market/oracle_historical-analysis.ts';
import { marketArbitrageTool } from '../market/oracle_market-arbitrage.ts';
import { priceFeedTool } from '../market/oracle_price-feed.ts';
import { volatilityTool } from '../market/oracle_volatility-monitor.ts';
import { newsScannerTool } from '../news/research_topic-news-scanner.ts';
import { webExtractTool } from '../page/data_web-extract.ts';
import { identityCardTool } from '../passport/security_identity-card-verify.ts';
import { introductionTool } from '../passport/social_verified_introduction.ts';
import type { ReportToolDeps } from '../report/report-tool.ts';
import { prehireCheckTool } from '../reputation/agent_prehire-check.ts';
import { trustBadgeTool } from '../reputation/agent_trust-badge.ts';
import type { EvidenceServices } from '../reputation/check-evidence.ts';
import { trustLayerTool } from '../reputation/procurement_trust-layer.ts';
import { reputationLookupTool } from '../reputation/reputation_lookup.ts';
import type { TrustServices } from '../reputation/trust-subject.ts';
import { deepResearcherTool } from '../research/research_topic-deep-researcher.ts';
import { oracleSentimentTool } from '../sentiment/oracle_sentiment-analysis.ts';
import { topicSentimentTool } from '../sentiment/research_topic-sentiment-analyzer.ts';
import { tokenSpendTool } from '../spend/finops_token-spend-audit.ts';
import { translationTool } from '../translation/translation_zh-en.ts';
import { vendorVettingTool } from '../vetting/procurement_vendor-vetting.ts';
import { youtubeResearchTool } from '../video/content_youtube-research.ts';

/** Kind of the proof of a signed answer about an agent. */
const REPUTATION_PROOF = 30017;
/** Kind of the proof of a signed answer of a data tool. */
const RESEARCH_PROOF = 30022;

/** The services of all attestation tools. */
export type AttestationServices = Parameters<typeof sealTool>[0] &
  Parameters<typeof introductionTool>[0] &
  Pick<Services, 'chain' | 'trust'>;

/** The services of the alert tool and the alert resource. */
export interface AlertServices extends AlertToolDeps {
  readonly alerts: AlertToolDeps['alerts'] & Parameters<typeof readAlertResource>[0];
}

/** The services of all data and report tools. */
export type DataServices = DataSources &
  Pick<Services, 'audits' | 'clock' | 'llm' | 'reputationOf' | 'trust'>;

/**
 * The services of all commerce tools. The catalog has a tool only if its services are present;
 * tests leave out those that they do not need.
 */
export interface CommerceServices
  extends GetResultDeps,
    Pick<Services, 'clock' | 'egress' | 'engine' | 'llm' | 'random' | 'trust'> {
  readonly attestation?: AttestationServices;
  readonly alerting?: AlertServices;
  readonly data?: DataServices;
  /** For the trust tools. */
  readonly evidence?: TrustServices;
  readonly reporting?: ReportToolDeps;
  readonly auditing?: AuditToolDeps;
  /** For the conformance tool. */
  readonly conforming?: EvidenceServices;
  readonly arbitrating?: Pick<
    ArbitrationServices,
    'arbitrations' | 'delegations' | 'index' | 'wallets'
  >;
}

/** A tool of the commerce server. */
export interface CommerceEntry {
  /** Creates the tool, or returns `undefined` if its dependencies are absent. */
  make(deps: CommerceServices): Tool | undefined;
  /** Kind of the proof that a paid and signed answer of the tool leaves. */
  readonly proof?: ProofKind;
}

/**
 * All commerce tools by wire name: those of the specification in its order, then further ones. A
 * new tool is its file, a line here, and its test.
 */
export const COMMERCE_TOOLS: Readonly<Record<string, CommerceEntry>> = {
  get_result: always(getResultTool),
  'agent_prehire-check': withTrust(prehireCheckTool),
  'agent_trust-badge': withTrust(trustBadgeTool),
  'arbitration_dispute-settlement': {
    make: ({ arbitrating, ...deps }) =>
      arbitrating === undefined ? undefined : arbitrationTool({ ...deps, ...arbitrating }),
  },
  'attestation_single-use-seal': withAttestation(sealTool, 30016),
  'content_youtube-research': withData(youtubeResearchTool),
  'crypto_investment-plays': withData(investmentPlaysTool),
  'crypto_market-analyzer': withData(marketAnalyzerTool),
  'data_business-registry': withData(businessRegistryTool),
  'data_sec-edgar-filing': withData(edgarFilingTool),
  'data_web-extract': withData(webExtractTool),
  'deliberation_multi-agent-debate': always(debateTool),
  'finops_token-spend-audit': withData(tokenSpendTool),
  'ops_due-diligence-scan': withReports(dueDiligenceTool),
  'ops_link-integrity': always(linkIntegrityTool, 30022),
  'oracle_alert-generator': {
    make: ({ alerting }) => (alerting === undefined ? undefined : alertTool(alerting)),
  },
  'oracle_comprehensive-report': withData(comprehensiveTool),
  'oracle_cross-chain-prices': withData(crossChainTool),
  'oracle_historical-analysis': withData(historyTool),
  'oracle_market-arbitrage': withData(marketArbitrageTool),
  'oracle_price-feed': withData(priceFeedTool),
  'oracle_sentiment-analysis': withData(oracleSentimentTool),
  'oracle_volatility-monitor': withData(volatilityTool),
  prediction_platform: withAttestation(predictionTool),
  procurement_council: always(councilTool),
  'procurement_trust-layer': withTrust(trustLayerTool),
  'procurement_vendor-vetting': withReports(vendorVettingTool),
  reputation_lookup: withTrust(reputationLookupTool),
  'research_topic-deep-researcher': withReports(deepResearcherTool),
  'research_topic-news-scanner': withData(newsScannerTool),
  'research_topic-sentiment-analyzer': withData(topicSentimentTool),
  'security_audit-attestation': withAttestation(auditAttestationTool, 30011),
  'security_identity-card-verify': withTrust(identityCardTool, 30011),
  'security_enterprise-audit': withAudits(enterpriseAuditTool),
  'security_injection-resilience': withAudits(injectionResilienceTool),
  'security_framework-audit': withAudits(frameworkAuditTool),
  'security_framework-conformance': {
    make: ({ conforming }) =>
      conforming === undefined ? undefined : frameworkConformanceTool(conforming),
    proof: 30011,
  },
  'security_process-attestation': withAttestation(processAttestationTool, 30011),
  social_verified_introduction: withAttestation(introductionTool, 30011),
  'translation_zh-en': withData(translationTool),
};

function always<In>(make: (deps: CommerceServices) => Tool<In>, proof?: ProofKind): CommerceEntry {
  return createEntry(make, proof);
}

function withAttestation<In>(
  make: (deps: AttestationServices) => Tool<In>,
  proof?: ProofKind,
): CommerceEntry {
  return createEntry((deps) => deps.attestation && make(deps.attestation), proof);
}

function withTrust<In>(
  make: (deps: TrustServices) => Tool<In>,
  proof: ProofKind = REPUTATION_PROOF,
): CommerceEntry {
  return createEntry((deps) => deps.evidence && make(deps.evidence), proof);
}

function withAudits(make: (deps: AuditToolDeps) => Tool<AuditRequest>): CommerceEntry {
  return createEntry((deps) => deps.auditing && make(deps.auditing));
}

function withData<In>(make: (deps: DataServices) => Tool<In>): CommerceEntry {
  return createEntry((deps) => deps.data && make(deps.data), RESEARCH_PROOF);
}

function withReports<In>(make: (deps: DataServices & ReportToolDeps) => Tool<In>): CommerceEntry {
  return createEntry(
    ({ data, reporting }) => data && reporting && make({ ...data, ...reporting }),
    RESEARCH_PROOF,
  );
}

function createEntry(
  make: (deps: CommerceServices) => Tool | undefined,
  proof?: ProofKind,
): CommerceEntry {
  return proof === undefined ? { make } : { make, proof };
}
