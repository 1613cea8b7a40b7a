import { context, proven, type Row } from './rows.ts';

/** Sections 0 to 6 of the commerce specification, without the tool table. */
export const commerceRows: readonly Row[] = [
  ...context('says what the document is about; the sections repeat each point exactly', {
    'C0.s1 14ee6678d6bc7b14':
      'The document is about a tool server for trade between agents that can be checked.',
    'C0.s2 abc946fdfcd77ad4':
      'MCP over streamable HTTP is how one talks to it, beside some plain reads.',
    'C0.s3.c1 725500146c5b6e29': 'Hosting is the subject of the other document.',
    'C0.s3.c2 81c20952b7f5abe0': 'Hosting is left out here.',
    'C0.s4 451565011dea2686':
      'Brand and vendor names in identifiers were replaced by neutral words.',
    'C3.s3 e675bc8b76db95f0': 'Leads in the table of job moves.',
    'C5.s1 977d26f096053f6f': 'Leads in the table of environment variables.',
    'C1.i2.c5 4625f14a8ddd1bf4': 'A legal statement: buyer and seller deal directly. Nothing runs.',
  }),
  ...proven('test/transport/routes/proof-routes.test.ts', {
    'C2.t7.c1 4cd3b816d6e1ef15': 'A settlement proof is found by its reference.',
    'C2.t7.c2 f9a630aab1f62909':
      'A settlement proof shows rail, tier, and its anchor if it has one.',
    'C4.2.t2 82c597db0a1449f9':
      'GET settlement proof by reference: free, keyless; rail, tier, anchor.',
    'C2.t8.c1 c0da3883dd8ff935': 'A proof record is of one of 15 kinds.',
  }),
  ...proven('test/e2e/proofs.long.test.ts', {
    'C1.i3.c1 000328dcb774adc5': 'The proof log only grows and knows 15 kinds, 30014 among them.',
  }),
  ...proven('test/store/proof/proof-log.test.ts', {
    'C1.i3.c2 7511c7d94c70846d': 'Proofs are HMAC-SHA256 and can be read for 18 months or longer.',
  }),
  ...proven('test/transport/routes/controls.test.ts', {
    'C2.t13 ae7bc0e8c4da400d':
      'The manifest lists live services for machines, counterparty_risk included.',
    'C4.2.t4 eba8f20994728bb9':
      'GET agent-services.json: free; services array and counterparty_risk.',
    'C4.2.t5 9b10ea5f3ad8a7d3': 'GET server-card.json: free; the public card of the tool server.',
    'C1.i5 07fe5d8e2d23b21d': 'Controls with a price stand before, within and after a trade.',
  }),
  ...proven('test/actors/alert/alerts.test.ts', {
    'C2.t11.c2 0b1dd205e07a71b8': 'An alert is armed, fired or stale.',
  }),
  ...proven(
    'test/process/alert/alerts.test.ts',
    {
      'C6.s1 9b158cc742a0c06f':
        'Alerts go out by mail and messenger; the alert tool tells trigger states.',
      'C6.s2 9f0feb70c6302ebc': 'Event kinds, payloads and webhooks are ours to choose.',
      'C5.t1 95e8cd94b2e9daee': 'A variable holds the mail address for alerts.',
      'C5.t2 bacf200d478e18f9':
        'A variable holds the WhatsApp channel for P0 alerts; unset by default.',
      'C5.t3 568957247ed1d8ca': 'A variable holds the From address of mail.',
    },
    'docs/decisions/events.md',
  ),
  ...proven('test/tools/alert/oracle_alert-generator.test.ts', {
    'C2.t11.c1 748ee9a07f3f0b87': 'An alert is defined through oracle_alert-generator.',
  }),
  ...proven('test/transport/a2a/real-board.long.test.ts', {
    'C4.2.t3 b5fec95a8a03dae7':
      'GET treasury balances: free; whether it is solvent on chain right now.',
    'C4.2.s1 6ebe939752947e22': 'Completing an escrow is an operation named /complete.',
    'C2.t5 c45c86a04bcd53cd':
      'A fulfilled job shows price, payee, chain, deadline and on_deadline.',
    'C3.t4.c2 b885c633fcd1ba56': 'on_deadline in the block says what holds after that.',
  }),
  ...proven('test/e2e/two-agents.long.test.ts', {
    'C1.s1 c5798083a6ccf064': 'Agents trade services and look into each other before they do.',
    'C2.t6.c3 b6a59d927f8964b8': 'The fee stands on challenge, release, payout and public receipt.',
  }),
  ...proven(
    'test/transport/a2a/real-board.long.test.ts',
    {
      'C4.2.s2 76acada7c47aaa5b': 'Its path and body are ours to choose.',
    },
    'docs/decisions/escrow.md',
  ),
  ...proven('test/e2e/evidence.long.test.ts', {
    'C3.s5 59563cb37ce32028': 'prediction_platform has been retired.',
    'C3.s6 5f78b25f118260fd': 'Its contract is deployed and holds no market.',
  }),
  ...proven('test/tools', {
    'C2.t2.c1 fabcd44ddd907cdb': 'A reputation answer has a score.',
    'C2.t2.c2 d33687e13ad644dc': 'A reputation answer has a badge.',
    'C2.t2.c3 20d8403aa53afbb9': 'No history is an ordinary answer: score 0, badge none.',
    'C2.t3 6b665faa0ea6729b': 'The badge can be asked for and follows verified settlements.',
    'C2.t4 326d47e59125e4cd':
      'The prehire report is one signed paper on settlements, disputes, revocations.',
  }),
  ...proven('test/domain/reputation', {
    'C2.t2.c4 4b2778a29b9b58ea':
      "History comes from settled jobs alone, never from the agent's word.",
  }),
  ...proven('test/actors/passport', {
    'C2.t1.c1 92a3a75ee05529dd': 'A passport is an ERC-8004 identity.',
    'C2.t1.c2 5525130a4d6ed9de': 'A passport has an agent id that stands on the chain.',
    'C2.t1.c3 dfbae74251227ecc': 'A passport has an operator id.',
    'C2.t1.c4 ee303ba627f7d992': 'A passport has a class of agent.',
    'C2.t1.c5 04e5885ecbc3be79': 'A passport has the wallet that was registered.',
    'C2.t1.c6 97921f4be6a3dd54': 'A passport is found by name and by ERC-8004 id.',
    'C2.t8.c2 23ca624cfbea3a18': 'Kind 30014 proves a delegation.',
  }),
  ...proven('test/transport/passport/passport-routes.long.test.ts', {
    'C4.2.t1 1604e762296fafb5': 'GET passport by name: free; identity, class, wallet.',
    'C1.i1.c3 c8b154a907043603': 'Holding a passport stands in for rotating credentials.',
    'C5.i2.c1 066d986db3e00465': 'ERC-8004 passports are how agents are identified.',
  }),
  ...proven('test/e2e/passports.long.test.ts', {
    'C1.i1.c1 55ff0fbcd7b26c00':
      "Each agent's ERC-8004 passport ties its agent id to an operator id.",
    'C1.i1.c2 287fa5d319c5c467': 'A passport costs its owner nothing.',
    'C5.i2.c2 b98731c6fe8f0d96': 'A local server learns its passport id from the environment.',
    'C5.t4 6b3a3e2a5bef1a08':
      "A variable holds the operator's passport id; unset until one is minted.",
    'C5.i4 83a0dbca60b33e98':
      'List, passport, settlement proof, balances, manifests: no key, no payment.',
  }),
  ...proven('test/actors/escrow', {
    'C5.i5.c1 fbdf95bcbaa3e7ee':
      'Payer and registered wallet are compared; the outcome is kept on the row.',
    'C5.i5.c2 58ba13f06881ac57': 'A payer that differs is noted, not stopped.',
  }),
  ...proven('test/e2e/forty-tools.long.test.ts', {
    'C1.i2.c4 d7be7f1c822d4536': 'The larger part of the priced tools costs less than a dollar.',
    'C1.i6.c1 6bcc25e22dfdc0d2': 'Forty tools are offered, counted on 2026-09-12.',
  }),
  ...proven('test/tools/framework/security_framework-audit.test.ts', {
    'C1.i4.c1 2fc6ac3cd2dc694f': 'Agents audit together over all ten categories ASI01 to ASI10.',
  }),
  ...proven('test/transport/audit', {
    'C1.i4.c2 8da92b640bfb5d97': 'What audits find is public.',
  }),
  ...proven('test/e2e/audits.long.test.ts', {
    'C2.t9 d6d679ad0177df3c':
      'The enterprise audit leaves a signed report whose Merkle root is on chain.',
  }),
  ...proven('test/providers', {
    'C1.i2.c2 36a5766a946099e5':
      'Challenges are paid in a dollar stablecoin on an Ethereum-style chain.',
    'C5.i3.c2 b035f20c76eed6d3': 'The payment settles in that stablecoin.',
  }),
  ...proven('test/specification', {
    'C1.i2.c3 a84484dce3b73b92': 'A result is handed over only once its payment has settled.',
    'C1.i6.c2 4eaf17627a2eb640': 'Listing the tools costs nothing.',
    'C1.i7 82378ad93ec64f8d': 'The challenge offers the stablecoin and no other way to pay.',
    'C2.t6.c1 92d2cb791ba51d19': 'fee_bps is a whole number of basis points.',
    'C2.t6.c2 236e95866ad9d520': 'fee_bps is 2000, a fifth of a settled job.',
    'C4.1.i2.c2 8473d1e91c021fe9': 'Once the challenge is paid, the result comes.',
    'C5.i3.c3 d2254543ea57a14a': 'After settlement the result is delivered.',
    'C1.i2.c1 532f019303e405a3':
      'An unpaid call of a priced tool meets an x402 challenge with HTTP 402.',
    'C4.1.t1 b3457b66c5adfa40': '/v1/mcp speaks MCP over streamable HTTP: free listing, and calls.',
    'C4.1.i1.c1 cf7b8da2c6d562e9': 'A second remote address is /v2/.',
    'C4.1.i2.c1 82262ac7bb983cef': 'Priced tools meet the caller with HTTP 402 and x402.',
    'C4.1.i4.c1 fd8c5df7de99e0cf': '?src= on the address is accepted as attribution.',
    'C5.i1 75757df4cc75a941': 'No API key is asked for.',
    'C5.i3.c1 a2126e7066e2e341': 'Without payment a priced call gets HTTP 402.',
    'C2.t10 7ba1c0025a946be5': 'A bought job runs in the background and is polled by its job_id.',
    'C4.1.i3 deafea2dfb0e44a6': 'get_result gives the result of a job bought before, by job_id.',
    'C2.t12 c67e0f69c9ce90a4': 'A control is LIVE, SHADOW (observes only) or OFF (built, not on).',
    'C3.s1 1c05ea9a8c096ddb': "LIVE, SHADOW and OFF are a control's states.",
    'C3.t1 bb8a28876b307fef': 'Making a budgeted request puts it into escrow with the funds held.',
    'C3.t2 a8a547fc1c9b500d': 'Completion of an escrowed job releases it and pays the provider.',
    'C3.t3 a73ed660c438e21f': 'When 72 h have passed, an escrowed job releases by itself and pays.',
    'C3.t4.c1 ac109225e449e581':
      'Fulfilled, deadline passed, not released: expired_unreleased, closed.',
  }),
  ...proven(
    'test/specification',
    {
      'C2.s1 cc01b9fbec1e7eec': 'Input and output fields that are not named are ours to choose.',
    },
    'docs/decisions/api.md',
  ),
  ...proven(
    'test/specification',
    {
      'C4.1.i4.c2 62bcb9ffc6a4e8cf':
        'What the src tag does is open: it is recorded and changes nothing.',
    },
    'docs/decisions/api.md',
  ),
  ...proven(
    'test/specification',
    {
      'C4.1.i1.c2 db9d2e6381a4ab4b':
        'How the two addresses relate is open: one service, two ways to speak.',
    },
    'docs/decisions/api.md',
  ),
  ...proven(
    'test/specification',
    {
      'C5.i6 f320dc0788bb8c69': 'How a payment is carried is open: x402 v2 header or _meta.',
    },
    'docs/decisions/payments.md',
  ),
  ...proven(
    'test/specification',
    {
      'C1.i8 632867897dd11dc5':
        'The server also runs locally over stdio, set up by the environment.',
    },
    'docs/decisions/transport.md',
  ),
  ...proven(
    'test/specification',
    {
      'C3.s2 90c4dd166ac0f356': 'How a control changes is open: by the operator, with a reason.',
      'C3.s4 ff9fddb0f527762c': 'Further job states and moves are open: named by us.',
    },
    'docs/decisions/escrow.md',
  ),
  ...proven('test/tidy.test.ts', {
    'C5.s2 fa11731f43f5caba': 'No secret stands in the code.',
  }),
  ...context('a heading', {
    'C0.h1 6fd532db24b019cc': 'Heading.',
    'C1.h1 19e0085e18aa8db2': 'Heading.',
    'C2.h1 32d40484f61c1ec9': 'Heading.',
    'C3.h1 e5318a2672f18868': 'Heading.',
    'C4.h1 c8baf1caf29e8f69': 'Heading.',
    'C4.1.h1 bc6758209a284b02': 'Heading.',
    'C4.2.h1 ee089cba8f56798d': 'Heading.',
    'C5.h1 966065586edbc5d8': 'Heading.',
    'C6.h1 304ef605d7ddec5a': 'Heading.',
  }),
  ...context('the column names of a table', {
    'C2.th1 1022b13ffd055a8c': 'Column names.',
    'C3.th1 af938a84706a2624': 'Column names.',
    'C4.1.th1 bdf83d6f1d4136d2': 'Column names.',
    'C4.2.th1 ef3a28e98fad3864': 'Column names.',
    'C5.th1 35ed27a1f47d1d23': 'Column names.',
  }),
];
