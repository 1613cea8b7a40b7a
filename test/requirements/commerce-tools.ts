import { context, proven, type Row } from './rows.ts';

/** The tool table of the commerce specification. */
export const commerceToolRows: readonly Row[] = [
  ...proven(
    'test/specification',
    {
      'C4.3.s1 0bd59bc77bd624d5': 'A price is in dollars for one call.',
      'C4.3.s2 0346cb26cea24da9': 'Where a dash stands, the price is open: set by us or free.',
      'C4.3.t12 98932b8dde8097bb':
        'Debate: 5 to 11 agents, up to 11 models, votes, always a decision.',
    },
    'docs/decisions/payments.md',
  ),
  ...proven(
    'test/tools',
    {
      'C4.3.t25 a4aa53cc2d2de0c0': 'Council: 5 to 11 agents as CFO, CIO, CISO, procurement lead.',
    },
    'docs/decisions/panels.md',
  ),
  ...proven(
    'test/specification',
    {
      'C4.3.s3 19b25c9da2a7fd74': 'What tools take and give is open: published as JSON Schema.',
    },
    'docs/decisions/api.md',
  ),
  ...proven('test/specification', {
    'C4.3.t1 a76edc218bc4ca64': 'get_result: polls a bought job by job_id.',
    'C4.3.t15.c1 1791b46e83a8e540': 'ops_link-integrity: HEAD or GET of each URL in a task.',
    'C4.3.t15.c2 2bbebeb297b13545':
      'ops_link-integrity: PASS or FAIL, with a status code for each URL.',
  }),
  ...proven(
    'test/tools/alert/oracle_alert-generator.test.ts',
    {
      'C4.3.t16 a5a0f488b93f5db2': 'Alert generator: price or event; armed, fired, stale.',
    },
    'docs/decisions/market-data.md',
  ),
  ...proven('test/e2e/evidence.long.test.ts', {
    'C4.3.t5 98f0b6208b44dc2c': 'Seal: one deliverable, one producer, one time; 0.05.',
    'C4.3.t24 40b649efc23aa222': 'prediction_platform: retired.',
    'C4.3.t32.c1 6cc7f9dd727f8bbd': 'Audit attestation: notarises the result of an AI audit.',
    'C4.3.t32.c2 13133ce9428bacb8': 'Audit attestation: the service vouches, it does not audit.',
    'C4.3.t38 f256971c854ac549': 'Process attestation: signed word that a process was kept; 0.25.',
  }),
  ...proven('test/tools/passport/social_verified_introduction.test.ts', {
    'C4.3.t39 4643737a4f2b2c43':
      'Introduction: after both identities and delegations were checked.',
  }),
  ...proven('test/tools', {
    'C4.3.t2 f408f0ce9f815b05': 'Prehire check: one signed report before spend authority; 0.25.',
    'C4.3.t3 e5eb1389176b1e2a': 'Trust badge from verified settlements; 0.01.',
    'C4.3.t26 ff75fc07d145f920': 'Trust layer: signed evidence from the ledger on a subject agent.',
    'C4.3.t28 44088eb5e3fd4b0e': 'Reputation lookup: settled jobs of a counterparty; 0.01.',
  }),
  ...proven('test/transport/manifest', {
    'C4.3.s4 00e7426ed8c3819e':
      'Settlement record and badge together for 0.02, without signup or key.',
  }),
  ...proven('test/e2e/audits.long.test.ts', {
    'C4.3.t34 05de423a0e6b77fa': 'Enterprise audit: 13 agents, a signed report anchored on chain.',
  }),
  ...proven('test/tools/framework/security_framework-audit.test.ts', {
    'C4.3.t36 23a7f055b90bb39f':
      'Framework audit: agents audit an agent or server over ASI01 to ASI10.',
  }),
  ...proven('test/e2e/arbitration.long.test.ts', {
    'C4.3.t4.c1 f68425d90f063672': 'Arbitration: both sides hand in evidence.',
    'C4.3.t4.c2 cbee1076c4013919': 'Arbitration: the verdict is signed, upheld or overturned.',
    'C4.3.t4.c3 44a7619e8fd4d0a1': "Arbitration: the operator's panel judges; 5.00.",
  }),
  ...proven('test/tools/passport/security_identity-card-verify.test.ts', {
    'C4.3.t33 4e9e2b83b507ff40':
      'Identity card: integrity and badge checked with the issuing registry.',
  }),
  ...proven('test/tools/injection/security_injection-resilience.test.ts', {
    'C4.3.t35 d3b18c8315875ca3': "Injection resilience of a counterparty's input handling; 0.50.",
  }),
  ...proven('test/tools/framework/security_framework-conformance.test.ts', {
    'C4.3.t37 742dd4e8ed6a65ed':
      'Conformance: stated posture held against the governance framework.',
  }),
  ...proven(
    'test/tools',
    {
      'C4.3.t11 6fc67c7547b16f0c':
        "Web extract: main content of the buyer's URL, with trust evidence.",
      'C4.3.t21 66accafb3b488f84': 'Price feed: pair and venue, every read names its source.',
      'C4.3.t13 6b208cfdd1db1275': 'Token spend of an agent against budget and task.',
      'C4.3.t40 5efaba8faae03521': 'Translation: Simplified Chinese and English, both ways.',
    },
    'docs/decisions/data-tools.md',
  ),
  ...proven(
    'test/tools/filing/data_sec-edgar-filing.test.ts',
    {
      'C4.3.t10 244d2f7676c11720': 'Filings 10-K, 10-Q, 8-K by ticker or CIK, tampering shows.',
    },
    'docs/decisions/companies.md',
  ),
  ...proven(
    'test/tools',
    {
      'C4.3.t30 38102daf5280022d': 'News scan: real time, 44 curated domains or more.',
    },
    'docs/decisions/data-tools.md',
  ),
  ...proven(
    'test/tools',
    {
      'C4.3.t18 a7926b39a1c9c7de': 'Cross-chain prices: over chains, DEX and CEX.',
    },
    'docs/decisions/market-data.md',
  ),
  ...proven(
    'test/tools',
    {
      'C4.3.t19 bfcf33aa31a1baca': 'Historical analysis: trends and patterns.',
      'C4.3.t20 737a1c1287947c40': 'Market arbitrage: live spreads between venues, entry and exit.',
      'C4.3.t23 7db697125ac45df3': 'Volatility of a pair, with thresholds to set.',
    },
    'docs/decisions/market-data.md',
  ),
  ...proven(
    'test/tools/company/data_business-registry.test.ts',
    {
      'C4.3.t9 82c2690d6e50f600': 'Business registries: securities regulator, states, national.',
    },
    'docs/decisions/companies.md',
  ),
  ...proven(
    'test/tools/vetting/procurement_vendor-vetting.test.ts',
    {
      'C4.3.t27 4f2481e0a947f94c':
        'Vendor vetting: finances, security posture, two lenses left open.',
    },
    'docs/decisions/companies.md',
  ),
  ...proven(
    'test/tools/sentiment/oracle_sentiment-analysis.test.ts',
    {
      'C4.3.t22 8136be5120a7b56d': 'Sentiment of an asset or topic from social media and news.',
      'C4.3.t31 a79d4c3227b7fedc': 'Sentiment on a topic, channel by channel.',
    },
    'docs/decisions/data-tools.md',
  ),
  ...proven(
    'test/tools/video/content_youtube-research.test.ts',
    {
      'C4.3.t6 7b44d45806dbc757': 'YouTube research: a report from transcripts, citing times.',
    },
    'docs/decisions/data-tools.md',
  ),
  ...proven(
    'test/tools/market/crypto_investment-plays.test.ts',
    {
      'C4.3.t7 6fd4b989a5a1d903': 'Investment plays: scored for risk, with entry and exit.',
    },
    'docs/decisions/market-data.md',
  ),
  ...proven(
    'test/tools/market/crypto_market-analyzer.test.ts',
    {
      'C4.3.t8 6acf6a1c0a2f16ac': 'Market analyser: data, indicators and sentiment of a ticker.',
    },
    'docs/decisions/market-data.md',
  ),
  ...proven(
    'test/tools/market/oracle_comprehensive-report.test.ts',
    {
      'C4.3.t17 3568b6dc986141f7': 'Comprehensive report: price, volatility, sentiment, arbitrage.',
    },
    'docs/decisions/market-data.md',
  ),
  ...proven(
    'test/tools/company/ops_due-diligence-scan.long.test.ts',
    {
      'C4.3.t14 4064db3dbb0bfc51':
        'Due diligence: finances, litigation, people, IP, media, red flags.',
    },
    'docs/decisions/companies.md',
  ),
  ...proven(
    'test/tools/research/research_topic-deep-researcher.long.test.ts',
    {
      'C4.3.t29 c117c28ed6af9bce':
        'Deep research: summary, mechanisms, alternatives, risks, citations.',
    },
    'docs/decisions/data-tools.md',
  ),
  ...context('a heading', {
    'C4.3.h1 8179b2a49ad6318d': 'Heading.',
  }),
  ...context('the column names of a table', {
    'C4.3.th1 abb1ad5542d4472f': 'Column names.',
  }),
];
