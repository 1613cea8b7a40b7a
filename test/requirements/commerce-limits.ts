import { context, proven, type Row } from './rows.ts';

/** Sections 7 to 9 of the commerce specification. */
export const commerceLimitRows: readonly Row[] = [
  ...proven('test/specification', {
    'C9.i1.c1 d7ab09c2447cfd3a': 'The first version of the address is /v1/mcp.',
    'C9.i1.c2 ccd6e0fba56e5442': 'The other version of the address is /v2/.',
    'C7.t1 adb66a2fbca7ca99': 'Unpaid priced call: HTTP 402, the challenge states price and fee.',
    'C8.t1 293257d490c132c8': 'The service keeps 20 % of a settled job: fee_bps 2000.',
    'C7.t3 795e33ae19c7c2d8': 'A job that misses its deadline closes as expired_unreleased.',
    'C8.t2 cd16f746920da16b': 'The release window lasts 72 hours.',
  }),
  ...proven(
    'test/pins',
    {
      'C9.i3 758d81284b6e1041':
        'Rules of versioning are open: names and codes only grow within v1.',
    },
    'docs/decisions/api.md',
  ),
  ...proven('test/transport/routes/proof-routes.test.ts', {
    'C8.t6 43a051edcb6aa4ea': 'There are 15 kinds of proof.',
    'C8.s1.c12 7c184cb387258233': 'Control settlement proof read: LIVE, free.',
  }),
  ...proven('test/store/proof/proof-log.test.ts', {
    'C8.t7 3598992a2e0e0570': 'Proofs can be asked for over 18 months or more.',
  }),
  ...proven('test/specification/controls.test.ts', {
    'C8.s1.c3 9d22d2b779a46d62': 'Control passport read: LIVE, free.',
    'C8.s1.c6 96ef947e9303a0b2': 'Control escrow-funded requests: LIVE.',
    'C8.s1.c7 b9b1f2c6a723f76d': 'Control release window of 72 h: LIVE.',
    'C8.s1.c8 5413b49bd94df8d4': 'Control payer binding: LIVE, only stamps.',
    'C8.s1.c9 413a01cc56e7d6eb': 'Control fee disclosure: LIVE.',
    'C8.s1.c11 e13df24bb881fb8a': 'Control sealed bids: SHADOW.',
    'C8.t3.c2 5895e7e84f9c4c77': 'Sealed bids are in SHADOW.',
    'C8.s1.c15 237605b6f8b0e859': 'Control witness scoring at release: LIVE, priced elsewhere.',
    'C8.s1.c17 7966c260d3ac0396':
      'Control evidence bundle: SHADOW, tier logged each time, not run by itself.',
    'C8.s2 545cd1cc1bfbbcf1': 'What is in SHADOW or OFF is never shown as protection.',
    'C8.s3 11051d8d9bf8e738':
      'Controls enforce no terms, give no lever, and the operator sees all.',
  }),
  ...proven('test/actors/control', {
    'C8.s1.c10 3d2d4dbff181937a':
      'Control two-leg escrow: OFF, in no product, never to be offered.',
  }),
  ...proven('test/e2e/evidence.long.test.ts', {
    'C8.s1.c13 b28316f6b064c54c': 'Control process attestation: LIVE, 0.25.',
    'C8.s1.c14 5e4bf125e549ad21': 'Control single-use seal: LIVE, 0.05.',
  }),
  ...proven('test/tools', {
    'C8.t5 d069860d7dd41151': 'Debates and councils seat 5 to 11.',
    'C7.t2 841f3c956997a60f':
      'Reputation without history answers score 0 and badge none, no error.',
    'C8.t4 833e98e7584acaf7': 'A prehire check is advised above about 100 dollars.',
    'C8.s1.c1 176f211e4461a26d': 'Control reputation_lookup: LIVE, 0.01.',
    'C8.s1.c2 c7b8c8d08aaf6714': 'Control agent_trust-badge: LIVE, 0.01.',
    'C8.s1.c4 7af4370d014489ec': 'Control agent_prehire-check: LIVE, 0.25.',
  }),
  ...proven('test/actors/escrow', {
    'C8.t3.c1 f887c5dd8e80f0f2':
      'Sealed bids: from 25 dollars on, with counterparties from outside.',
    'C8.t3.c3 4942705284801fe9':
      'Sealed bids: hidden from counterparty and chain, not from the operator.',
  }),
  ...proven('test/e2e/arbitration.long.test.ts', {
    'C8.s1.c16 e06db3f31d80fc57': 'Control arbitration: LIVE, 5.00.',
  }),
  ...proven('test/tools/news/research_topic-news-scanner.test.ts', {
    'C8.t8 02fdab36b203d450': 'The news scan covers 44 curated domains or more.',
  }),
  ...proven('test/tools/injection/security_injection-resilience.test.ts', {
    'C8.s1.c5 f9647dfc118467eb': 'Control injection resilience: LIVE, 0.50.',
  }),
  ...proven('test/e2e/forty-tools.long.test.ts', {
    'C8.t9 7a0e7f98020b31a8': 'The number of tools is 40.',
    'C9.i2.c1 f80abd7ed4b57680': 'The number of tools holds for 2026-09-12.',
  }),
  ...proven(
    'test/transport/mcp/rates.test.ts',
    { 'C8.s4 1e4dff23bfca9ed4': 'Rate limits are ours to choose.' },
    'docs/decisions/transport.md',
  ),
  ...context('says what the document is about; the sections repeat each point exactly', {
    'C9.i2.c2 649a564152b40db1': 'The date of the controls list in the document.',
  }),
  ...proven(
    'test/pins',
    {
      'C7.s1 2e71d0638e927a2d': 'Error bodies and further codes are open: one table, one shape.',
    },
    'docs/decisions/api.md',
  ),
  ...context('a heading', {
    'C7.h1 e4bbcc2beb7613ec': 'Heading.',
    'C8.h1 e729f2c35b1f094f': 'Heading.',
    'C9.h1 cce0fbfb9d212f50': 'Heading.',
  }),
  ...context('the column names of a table', {
    'C7.th1 b5086270c7bc55cb': 'Column names.',
    'C8.th1 e21bfef12940ba4f': 'Column names.',
  }),
];
