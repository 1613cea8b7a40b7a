import { afterAll, expect, test } from 'vitest';
import { proves } from '../support/proves.ts';
import { cleanUp, freshDataDir, startRealServer } from '../support/real-server.ts';
import { openWire } from '../support/wire-session.ts';

afterAll(cleanUp);

/** The names of the commerce specification, section 4.3, in its order. */
const NAMES = `
get_result agent_prehire-check agent_trust-badge arbitration_dispute-settlement
attestation_single-use-seal content_youtube-research crypto_investment-plays crypto_market-analyzer
data_business-registry data_sec-edgar-filing data_web-extract deliberation_multi-agent-debate
finops_token-spend-audit ops_due-diligence-scan ops_link-integrity oracle_alert-generator
oracle_comprehensive-report oracle_cross-chain-prices oracle_historical-analysis
oracle_market-arbitrage oracle_price-feed oracle_sentiment-analysis oracle_volatility-monitor
prediction_platform procurement_council procurement_trust-layer procurement_vendor-vetting
reputation_lookup research_topic-deep-researcher research_topic-news-scanner
research_topic-sentiment-analyzer security_audit-attestation security_identity-card-verify
security_enterprise-audit security_injection-resilience security_framework-audit
security_framework-conformance security_process-attestation social_verified_introduction
translation_zh-en
`
  .trim()
  .split(/\s+/);

interface Listed {
  readonly name: string;
  readonly _meta?: { readonly price?: { readonly amount: string } };
}

test('a started server offers the forty tools, and most of the priced ones cost less than a dollar', {
  timeout: 120_000,
}, async () => {
  proves('C1.i6.c1', 'C8.t9', 'C9.i2.c1', 'C1.i2.c4');
  const server = await startRealServer(freshDataDir());
  const { message } = await (await openWire(server.ready.mcp)).ask('tools/list');
  const { tools } = message.result as unknown as { readonly tools: readonly Listed[] };
  expect(tools.map(({ name }) => name)).toEqual(NAMES);
  expect(NAMES).toHaveLength(40);
  const prices = tools.flatMap(({ _meta }) => _meta?.price?.amount ?? []).map(Number);
  const cheap = prices.filter((price) => price < 1);
  expect([prices.length, cheap.length]).toEqual([38, 33]);
  expect(cheap.length).toBeGreaterThan(prices.length / 2);
  expect(await server.stop()).toBe(0);
});
