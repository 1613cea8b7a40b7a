import type { Tool } from '../../domain/tool/tool.ts';
import { createKeyValueTool } from '../hosting/database/create_key_value.ts';
import { createPostgresTool } from '../hosting/database/create_postgres.ts';
import { getKeyValueTool } from '../hosting/database/get_key_value.ts';
import { getPostgresTool } from '../hosting/database/get_postgres.ts';
import { listKeyValueTool } from '../hosting/database/list_key_value.ts';
import { listPostgresInstancesTool } from '../hosting/database/list_postgres_instances.ts';
import { queryHostedPostgresTool } from '../hosting/database/query_hosted_postgres.ts';
import type { HostingToolDeps } from '../hosting/hosting-tool.ts';
import { createCronJobTool } from '../hosting/service/create_cron_job.ts';
import { createStaticSiteTool } from '../hosting/service/create_static_site.ts';
import { createWebServiceTool } from '../hosting/service/create_web_service.ts';
import { getDeployTool } from '../hosting/service/get_deploy.ts';
import { getServiceTool } from '../hosting/service/get_service.ts';
import { listDeploysTool } from '../hosting/service/list_deploys.ts';
import { listServicesTool } from '../hosting/service/list_services.ts';
import { triggerDeployTool } from '../hosting/service/trigger_deploy.ts';
import { updateCronJobTool } from '../hosting/service/update_cron_job.ts';
import { updateEnvironmentVariablesTool } from '../hosting/service/update_environment_variables.ts';
import { updateStaticSiteTool } from '../hosting/service/update_static_site.ts';
import { updateWebServiceTool } from '../hosting/service/update_web_service.ts';
import { getMetricsTool } from '../hosting/telemetry/get_metrics.ts';
import { listEventsTool } from '../hosting/telemetry/list_events.ts';
import { listLogLabelValuesTool } from '../hosting/telemetry/list_log_label_values.ts';
import { listLogsTool } from '../hosting/telemetry/list_logs.ts';
import { getSelectedWorkspaceTool } from '../hosting/workspace/get_selected_workspace.ts';
import { listWorkspacesTool } from '../hosting/workspace/list_workspaces.ts';
import { selectWorkspaceTool } from '../hosting/workspace/select_workspace.ts';

/** A tool of the hosting server. */
export interface HostingEntry {
  /** Group by which tokens and sessions select it. */
  readonly group: string;
  make(deps: HostingToolDeps): Tool;
}

/**
 * All hosting tools by wire name: those of the specification in its order, then further ones. A new
 * tool is its file, a line here, and its test.
 */
export const HOSTING_TOOLS: Readonly<Record<string, HostingEntry>> = {
  list_workspaces: { group: 'workspaces', make: listWorkspacesTool },
  select_workspace: { group: 'workspaces', make: selectWorkspaceTool },
  get_selected_workspace: { group: 'workspaces', make: getSelectedWorkspaceTool },
  list_services: { group: 'services', make: listServicesTool },
  get_service: { group: 'services', make: getServiceTool },
  create_web_service: { group: 'services', make: createWebServiceTool },
  create_static_site: { group: 'services', make: createStaticSiteTool },
  create_cron_job: { group: 'services', make: createCronJobTool },
  update_environment_variables: { group: 'services', make: updateEnvironmentVariablesTool },
  update_web_service: { group: 'services', make: updateWebServiceTool },
  update_static_site: { group: 'services', make: updateStaticSiteTool },
  update_cron_job: { group: 'services', make: updateCronJobTool },
  list_deploys: { group: 'deploys', make: listDeploysTool },
  get_deploy: { group: 'deploys', make: getDeployTool },
  trigger_deploy: { group: 'deploys', make: triggerDeployTool },
  list_events: { group: 'events', make: listEventsTool },
  list_logs: { group: 'logs', make: listLogsTool },
  list_log_label_values: { group: 'logs', make: listLogLabelValuesTool },
  get_metrics: { group: 'metrics', make: getMetricsTool },
  query_hosted_postgres: { group: 'postgres', make: queryHostedPostgresTool },
  list_postgres_instances: { group: 'postgres', make: listPostgresInstancesTool },
  get_postgres: { group: 'postgres', make: getPostgresTool },
  create_postgres: { group: 'postgres', make: createPostgresTool },
  list_key_value: { group: 'key_value', make: listKeyValueTool },
  get_key_value: { group: 'key_value', make: getKeyValueTool },
  create_key_value: { group: 'key_value', make: createKeyValueTool },
};
