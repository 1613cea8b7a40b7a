import { context, proven, type Row } from './rows.ts';

/** The hosting specification without its tools. */
export const hostingRows: readonly Row[] = [
  ...context('says what the document is about; the sections repeat each point exactly', {
    'H0.s1 0b6bb5b523cc534f':
      'The document is about a tool server with which a model runs hosted things.',
    'H0.s2 d9b9e74d761db9ab': 'Commerce is the subject of the other document.',
    'H0.s3.c1 74caae303f092a92': "A vendor's name in one tool name was replaced.",
    'H0.s3.c2 79b63c681f874a98': 'That tool is query_hosted_postgres.',
    'H2.s1 cc77b64e1ce59c9c': 'Leads in the table of value sets.',
    'H3.s2 7a29a63ca1010a4b': 'Repeats that moves between states are open.',
    'H3.s3 e06dc72e3ee9b23e': 'Event types are occurrences, not states.',
    'H6.s3 afceb5cd4b5c16c3': 'Leads in the table of event types.',
  }),
  ...proven('test/specification', {
    'H9.i1 c3b9efe50bed5620':
      'HTTP and stdio speak 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05.',
    'H9.i2 0071e7c086577226': 'stdio speaks 2026-07-28 too, without sessions.',
    'H9.i3 22a3a4553bba2c9e': 'HTTP wants the handshake first, in one of those four.',
  }),
  ...proven('test/tools/hosting', {
    'H1.i2 544109053dfc227e': 'Deploys are listed and triggered.',
    'H1.i3 5bc9721ffa70449d': 'Events, logs and metrics are read.',
    'H1.i6 2c0ec2740e4f2c05': 'Images from a registry are not deployed.',
    'H2.t1 a51fcc3574e19fc8':
      'Workspace: workspaceId (ownerID in the old tool), by session or by call.',
    'H2.t2 29a889615045a040': 'Service: serviceId, made with the parameters of section 4.',
    'H2.t3 5624d7e13a63d36f': 'Deploy: deployId within a serviceId.',
    'H2.t4 98dd7eef28cb2ef7': 'Service event: a type of section 6, for services alone.',
    'H2.t5 63539e0d3b58f301': 'Log entry: nine filters.',
    'H2.t6 7297d225c45a329a': 'Metric series: for each resourceId.',
    'H2.t7 a35cab89aa775306': 'Postgres database: postgresId.',
    'H2.t8 8fb3b939747701b3': 'Key-value instance: keyValueId.',
    'H2.t9 1769ca55a808d8d9': 'runtime: seven values, docker the last.',
    'H2.t10 c0c58b251c6e1c36': 'Service plan: six values, starter to pro_ultra.',
    'H2.t11 fb145863fe8babc8': 'region: five values.',
    'H2.t12 fb0bac8e5d4e3dc2': 'autoDeploy: the strings yes and no.',
    'H2.t13 3206569817f13047':
      'Postgres plan: free, three basic, ten pro and nine accelerated sizes.',
    'H2.t14 2c55763f8e61243f': 'Key-value plan: five values.',
    'H2.t15 c80bc1edda5d82b9': 'maxmemoryPolicy: eight values.',
    'H2.t16 358865ddcb762dc3': 'persistenceMode: journal_snapshot, snapshot, off.',
    'H6.s1 04dc5e339905695c': 'Events are not pushed.',
    'H6.s2 d3e93df3ff541fb8': 'list_events reads their history.',
    'H6.t1 34896e39345333aa': 'Types of build and deploy: eighteen.',
    'H6.t2 8d8b3f882201a31a': 'Types of runtime health: four.',
    'H6.t3 8fa68df1cb0adb19': 'Types of scaling and plan: five.',
    'H6.t4 397b548a13726d8e': 'Types of disk: five.',
    'H6.t5 c779ca18dc3da70a': 'Types of lifecycle and maintenance: eight.',
    'H6.t6 b03b6e8e624a2636': 'Types of job runs: three.',
    'H6.s5 9222163c028739b5': 'Only services have events.',
    'H7.t1 315d2dfd7c6a7a90': 'An empty allowlist: the query tool says so and does not connect.',
    'H7.t2.c1 9c477ca15874fc60': 'The three update tools update nothing.',
    'H7.t2.c2 1217d0db42b17841': 'The three update tools give a dashboard link.',
    'H7.t3 8d5b6faa5832ac0d': 'A prebuilt image is refused as unsupported.',
    'H8.t1 84c4cf505127ffdb': 'list_events: limit 1 to 100, 20 by default.',
    'H8.t2 51e2e2f3f9416121': 'list_events: seven days back, on the first page.',
    'H8.t3 6bb840171dae1bec': 'get_metrics: from and to within the last 30 days.',
    'H8.t4 ced38accc017d5cb': 'get_metrics: resolution 60 s by default, 30 s at least.',
    'H8.t5 2341c6db1d94638f': 'get_metrics: the last hour by default.',
    'H8.t6 d7cc459dbc29d801': 'httpLatencyQuantile: 0 to 1, 0.95 by default.',
    'H9.i4 78540e8957459765': 'Workspace by session, and select_workspace, are on their way out.',
  }),
  ...proven(
    'test/tools/hosting',
    {
      'H2.s2 4d943e51a35bc497': 'Fields of returned records are ours to choose.',
      'H7.s1 414c17f676698b8f': 'Error codes and bodies are ours to choose.',
      'H8.s1 179ef5e17c72a472': 'Rate limits and the bounds of list_logs are ours to choose.',
    },
    'docs/decisions/hosting.md',
  ),
  ...proven('test/transport/hosting/hosting.long.test.ts', {
    'H1.i5.c1 cf40b084530b521e': 'It runs over stdio and over streamable HTTP.',
  }),
  ...proven(
    'test/transport/hosting/hosting.long.test.ts',
    {
      'H5.s1 f057262c7f85f08d': 'How callers and provider are authenticated is ours to choose.',
    },
    'docs/decisions/hosting.md',
  ),
  ...proven('test/e2e/examples.long.test.ts', {
    'H1.i1 04932ae1ec78b0d3':
      'Web services, static sites, cron jobs, databases, key-value: made and run.',
    'H1.i4 c5398fe5c6001ae1': 'SQL that only reads runs on a hosted Postgres.',
  }),
  ...proven(
    'test/machines/hosting-paths.test.ts',
    {
      'H3.s1 ca92bc4b81350cbb':
        'States and moves of services, deploys, databases are ours to choose.',
    },
    'docs/decisions/hosting.md',
  ),
  ...proven('test/tools/hosting', {
    'H1.i5.c2 487ae7fed94d781b': 'There is a local build and a hosted one.',
    'H6.s4.c1 1ff336b14a645faa':
      'A failure event tells why: out of memory, exit, health check, eviction.',
    'H6.s4.c2 61b5ddb742c1bcb7': 'The reason is not in the logs.',
  }),
  ...context('a heading', {
    'H0.h1 8e0ef1ffc960c101': 'Heading.',
    'H1.h1 19e0085e18aa8db2': 'Heading.',
    'H2.h1 32d40484f61c1ec9': 'Heading.',
    'H3.h1 e5318a2672f18868': 'Heading.',
    'H5.h1 966065586edbc5d8': 'Heading.',
    'H6.h1 304ef605d7ddec5a': 'Heading.',
    'H7.h1 e4bbcc2beb7613ec': 'Heading.',
    'H8.h1 e729f2c35b1f094f': 'Heading.',
    'H9.h1 cce0fbfb9d212f50': 'Heading.',
  }),
  ...context('the column names of a table', {
    'H2.th1 87bf627543875d56': 'Column names.',
    'H2.th2 b0ba614e74678514': 'Column names.',
    'H6.th1 c2293214fa48c2a1': 'Column names.',
    'H7.th1 b5086270c7bc55cb': 'Column names.',
    'H8.th1 e21bfef12940ba4f': 'Column names.',
  }),
];
