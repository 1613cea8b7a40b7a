import { context, proven, type Row } from './rows.ts';

/** The tools of the hosting specification. */
export const hostingToolRows: readonly Row[] = [
  ...proven('test/tools/hosting', {
    'H4.s1 6b64e80d8e282715': 'Tools, called by tools/call over stdio or streamable HTTP.',
    'H4.s3 273829476b22ef60': 'Parameters come by name in one JSON object.',
    'H4.s4 6f661b07dabe48d4': 'Types are string, boolean, number, array.',
    'H4.s5 981a985e26cb8748': 'Every resource tool takes an optional workspaceId.',
    'H4.s6 1c3f0dea580295a3':
      'A confirmed workspaceId goes along on every call that belongs to it.',
    'H4.s7.c1 e2874a917ee81e13': "Without it the session's workspace counts.",
    'H4.s7.c2 e701357671cf079b': 'That fallback will be removed.',
    'H4.workspaces.t1 7432f23335d0e169': 'list_workspaces: no parameters.',
    'H4.workspaces.t2 39c617e175c9f2bf': 'select_workspace, deprecated: ownerID is required.',
    'H4.workspaces.t3 4788b546dc30f053': 'get_selected_workspace: no parameters.',
    'H4.services.t1 f55d2e42976ec74d': 'list_services: includePreviews, false by default.',
    'H4.services.t2 2034970cd15fcec4': 'get_service: serviceId.',
    'H4.services.t3.c1 c0e619d0a61711d8': 'Web service: name, required and unique.',
    'H4.services.t3.c2 50c509b113269312': 'Web service: runtime, required, of the set.',
    'H4.services.t3.c3 0f25b9da5b14ab30': 'Web service: buildCommand, required but for docker.',
    'H4.services.t3.c4 7a2ce2f001587ecb': 'Web service: startCommand, required but for docker.',
    'H4.services.t3.c5 943bd5792414c0b1':
      'Web service: dockerfilePath, ./Dockerfile by default, docker only.',
    'H4.services.t3.c6 8d87fb293bd857b7': 'Web service: dockerContext, . by default, docker only.',
    'H4.services.t3.c7 06464b3a25b45572':
      "Web service: dockerCommand, docker only; empty keeps the image's own.",
    'H4.services.t3.c8 d6cec61651a93176': 'Web service: repo, optional.',
    'H4.services.t3.c9 ed7f488e2f89be41': 'Web service: branch, optional.',
    'H4.services.t3.c10 d94cda44af6b3cdb': 'Web service: plan, optional, of the service plans.',
    'H4.services.t3.c11 e4078f9307c17a25': 'Web service: autoDeploy, yes by default.',
    'H4.services.t3.c12 d757a2464394022e': 'Web service: region, oregon by default.',
    'H4.services.t3.c13 2fe32ed1b775c594': 'Web service: envVars, optional array.',
    'H4.services.t4.c1 4845eca5733e4f94': 'Static site: name, required and unique.',
    'H4.services.t4.c2 f6d250e59e8c8a25': 'Static site: buildCommand, required.',
    'H4.services.t4.c3 b72a6edb7ad5b725': 'Static site: repo, optional.',
    'H4.services.t4.c4 198f92b120945562': 'Static site: branch, optional.',
    'H4.services.t4.c5 5db360fb411667ca': 'Static site: autoDeploy, yes by default.',
    'H4.services.t4.c6 336fa3a7b957a5e0': 'Static site: publishPath, where the built files are.',
    'H4.services.t4.c7 0f902eca2a9dabaa': 'Static site: envVars, optional array.',
    'H4.services.t5.c1 4031b01fa557a82a': 'Cron job: name, required and unique.',
    'H4.services.t5.c2 2ed75d1b197e4c60':
      'Cron job: schedule, five fields with their ranges, Sunday is 0.',
    'H4.services.t5.c3 53912356478dcc49': 'Cron job: runtime, required.',
    'H4.services.t5.c4 ba80f383d0cc693c':
      'Cron job: build and start command, required but for docker.',
    'H4.services.t5.c5 b2eb153c9cef47ee': 'Cron job: the docker parameters of web services.',
    'H4.services.t5.c6 b6e886ccbcae6fee':
      'Cron job: the remaining parameters and defaults of web services.',
    'H4.services.t6.c1 f00acf5f90af515a': 'update_environment_variables: serviceId.',
    'H4.services.t6.c2 1d2364e85e913e83':
      'update_environment_variables: the whole list; it replaces what was.',
    'H4.services.t7.c1 2096cb49849906f3': 'The three update tools: serviceId.',
    'H4.services.t7.c2 561a514d2a3a5d2b': 'The three update tools change nothing themselves.',
    'H4.services.t7.c3 a250e18d068db571':
      'The three update tools link to the settings in the dashboard.',
    'H4.deployments.t1 262e15feeb1301a2': 'list_deploys: serviceId.',
    'H4.deployments.t2.c1 e5863d86f4c29e82': 'get_deploy: serviceId.',
    'H4.deployments.t2.c2 053f82c972f418a8': 'get_deploy: deployId.',
    'H4.deployments.t3.c1 baab64d6b224645a': 'trigger_deploy: serviceId.',
    'H4.deployments.t3.c2 3ff06c7d8c8a8be7': 'trigger_deploy: clearCache, false by default.',
    'H4.deployments.t3.c3 36bc48b82daf40de': 'trigger_deploy: for what a push does not deploy.',
    'H4.events.t1.c1 16007ab2025e53b7': 'list_events: serviceId.',
    'H4.events.t1.c2 8ba520e330ca963c': 'list_events: eventTypes, all when left out.',
    'H4.events.t1.c3 e1b3b47a988192dd': 'list_events: startTime, seven days ago on the first page.',
    'H4.events.t1.c4 d79577cc2f3881d1': 'list_events: endTime, now by default.',
    'H4.events.t1.c5 c23f9cb56203af67': 'list_events: limit 1 to 100, 20 by default, newest first.',
    'H4.events.t1.c6 eb34f67b6c10ccc9':
      'list_events: cursor, empty on the first page, results after it.',
    'H4.events.s1 2397bb4eb437c770': 'The seven days hold for the first page alone.',
    'H4.events.s2 948ee3855377fc21': 'Older events are reached with the cursor of the call before.',
    'H4.events.s3 28b74181f4c9b851': 'An empty first page has no cursor: startTime has to go back.',
    'H4.logs.t1.c1 3e8eec6220b6ce18': 'list_logs: resource, array, required.',
    'H4.logs.t1.c2 83dc276e64813bc7':
      'list_logs: eight optional filters, four of them for requests.',
    'H4.logs.t1.c3 3c965266af8a6a8f': 'list_logs: startTime and endTime, optional.',
    'H4.logs.t1.c4 a43cdb3918a97dfe': 'list_logs: direction, optional.',
    'H4.logs.t1.c5 ed1d2ee832a4e7da': 'list_logs: limit, optional.',
    'H4.logs.t2.c1 175ccc37bbdf3700': 'list_log_label_values: label, required.',
    'H4.logs.t2.c2 7d3387d372184a41': 'list_log_label_values: resource, required.',
    'H4.logs.t2.c3 d66aba08cd72f84c': 'list_log_label_values: the filters of list_logs, no limit.',
    'H4.metrics.t1.c1 4b4b5e7d97893f43': 'get_metrics: resourceId of a service or a store.',
    'H4.metrics.t1.c2 a12e3522a455fcb1': 'get_metrics: metricTypes, required.',
    'H4.metrics.t1.c3 453ad8143118932b':
      'get_metrics: startTime, an hour ago, at most 30 days back.',
    'H4.metrics.t1.c4 51e0715d62ccb27e': 'get_metrics: endTime, now, at most 30 days back.',
    'H4.metrics.t1.c5 0fcd88a98078f0c5': 'get_metrics: resolution in seconds, 60, at least 30.',
    'H4.metrics.t1.c6 bdc4a996c0d25a11':
      'get_metrics: processor use by AVG, MAX or MIN; AVG by default.',
    'H4.metrics.t1.c7 aadb530ae4b6a977':
      'get_metrics: request counts by host or status; else in total.',
    'H4.metrics.t1.c8 dfce84becb5f36c9':
      'get_metrics: latency quantile 0 to 1, 0.95, for http_latency.',
    'H4.metrics.t1.c9 7ecc2a2d677a2aa2':
      'get_metrics: httpHost for request metrics, all by default.',
    'H4.metrics.t1.c10 dfc8e52717468660': 'get_metrics: httpPath in the same way.',
    'H4.metrics.s1.c1 96a99ecf83637902': 'Seven metric types hold for every resource.',
    'H4.metrics.s1.c2 5f42af0fc0e2912b': 'Three metric types hold for services.',
    'H4.metrics.s1.c3 051a6f58d4803ce4':
      'active_connections holds for databases and key-value stores.',
    'H4.metrics.s2 c989474f6aae2288': 'A metric that does not fit the resource is empty, no error.',
    'H4.postgres.t1.c1 7c5d08329f1343b4': 'query_hosted_postgres: postgresId.',
    'H4.postgres.t1.c2 2c69f7cea7a2ac69': 'query_hosted_postgres: sql.',
    'H4.postgres.t2 b77462610a540d66': 'list_postgres_instances: no parameters.',
    'H4.postgres.t3 c4ee4d9f8bcb6450': 'get_postgres: postgresId.',
    'H4.postgres.t4.c1 33f5fb59ab7ac36c': 'create_postgres: name, required.',
    'H4.postgres.t4.c2 5c0dc518bbe84fa9': 'create_postgres: plan, required, of the Postgres plans.',
    'H4.postgres.t4.c3 0d8fa90502a02cc4': 'create_postgres: region, optional.',
    'H4.postgres.t4.c4 c02a067c6185a80b':
      'create_postgres: version, a number such as 15, optional.',
    'H4.postgres.t4.c5 9aeab6dfeda26bd6': 'create_postgres: diskSizeGb, optional.',
    'H4.key-value.t1 f51ae796abf24071': 'list_key_value: no parameters.',
    'H4.key-value.t2 1fbf83d26aeb46ec': 'get_key_value: keyValueId.',
    'H4.key-value.t3.c1 3fc2fa232602e175': 'create_key_value: name, required.',
    'H4.key-value.t3.c2 6c4ed82420c1cde4':
      'create_key_value: plan, required, of the key-value plans.',
    'H4.key-value.t3.c3 65fd35cd8e62ea17': 'create_key_value: region, optional.',
    'H4.key-value.t3.c4 90fb94ad55592589': 'create_key_value: maxmemoryPolicy, optional.',
    'H4.key-value.t3.c5 717c1011a267acd2': 'create_key_value: persistenceMode, optional.',
  }),
  ...proven(
    'test/tools/hosting',
    {
      'H4.services.s1 ae49584ba9569634': 'The shape of an envVars item is ours to choose.',
      'H4.logs.s1 205842a14a8e5279':
        'Values of level, type, direction and label are ours to choose.',
      'H4.key-value.s1 442f1dfe9af451d6': 'What the tools return is ours to choose.',
    },
    'docs/decisions/hosting.md',
  ),
  ...proven(
    'test/transport/hosting/hosting.long.test.ts',
    { 'H4.s2 dec018af94a665de': 'REST paths beside the tools are ours to choose.' },
    'docs/decisions/hosting.md',
  ),
  ...proven('test/providers/hosting/local/postgres/attacks-short.long.test.ts', {
    'H4.postgres.t1.c3 bd9f6f8284738a07': 'query_hosted_postgres: it only reads.',
  }),
  ...proven('test/providers/hosting/local/postgres/server.long.test.ts', {
    'H4.postgres.s1 c3f4091b329c5e1d': 'Queries go by the external URL, so the allowlist counts.',
  }),
  ...proven('test/tools/hosting', {
    'H4.postgres.s2.c1 cba8bbd6f9505f1a': 'A hosted server has no address of its own to allow.',
    'H4.postgres.s2.c2 e820509419040523':
      'For a restricted database, run it locally and allow that address.',
  }),
  ...context('a heading', {
    'H4.h1 c8baf1caf29e8f69': 'Heading.',
    'H4.workspaces.h1 1377264ba3b0a717': 'Heading.',
    'H4.services.h1 604dce445e326d95': 'Heading.',
    'H4.deployments.h1 842a4697fd0dddaa': 'Heading.',
    'H4.events.h1 8d14f6e72de8f18a': 'Heading.',
    'H4.logs.h1 ea2100dc89ae9fe2': 'Heading.',
    'H4.metrics.h1 a58da793c7250f1b': 'Heading.',
    'H4.postgres.h1 44368adad746bc27': 'Heading.',
    'H4.key-value.h1 671af60798a39d38': 'Heading.',
  }),
  ...context('the column names of a table', {
    'H4.workspaces.th1 ef227b5fa5d82350': 'Column names.',
    'H4.services.th1 ef227b5fa5d82350': 'Column names.',
    'H4.deployments.th1 ef227b5fa5d82350': 'Column names.',
    'H4.events.th1 ef227b5fa5d82350': 'Column names.',
    'H4.logs.th1 ef227b5fa5d82350': 'Column names.',
    'H4.metrics.th1 ef227b5fa5d82350': 'Column names.',
    'H4.postgres.th1 ef227b5fa5d82350': 'Column names.',
    'H4.key-value.th1 ef227b5fa5d82350': 'Column names.',
  }),
];
