import type { Tool } from '../domain/tool.ts';
import { defineTool } from './define-tool.ts';
import { createCronJobTool } from './hosting/create_cron_job.ts';
import { createKeyValueTool } from './hosting/create_key_value.ts';
import { createPostgresTool } from './hosting/create_postgres.ts';
import { createStaticSiteTool } from './hosting/create_static_site.ts';
import { createWebServiceTool } from './hosting/create_web_service.ts';
import { getDeployTool } from './hosting/get_deploy.ts';
import { getKeyValueTool } from './hosting/get_key_value.ts';
import { getMetricsTool } from './hosting/get_metrics.ts';
import { getPostgresTool } from './hosting/get_postgres.ts';
import { getSelectedWorkspaceTool } from './hosting/get_selected_workspace.ts';
import { getServiceTool } from './hosting/get_service.ts';
import { listDeploysTool } from './hosting/list_deploys.ts';
import { listEventsTool } from './hosting/list_events.ts';
import { listKeyValueTool } from './hosting/list_key_value.ts';
import { listLogLabelValuesTool } from './hosting/list_log_label_values.ts';
import { listLogsTool } from './hosting/list_logs.ts';
import { listPostgresInstancesTool } from './hosting/list_postgres_instances.ts';
import { listServicesTool } from './hosting/list_services.ts';
import { listWorkspacesTool } from './hosting/list_workspaces.ts';
import { queryHostedPostgresTool } from './hosting/query_hosted_postgres.ts';
import { selectWorkspaceTool } from './hosting/select_workspace.ts';
import { triggerDeployTool } from './hosting/trigger_deploy.ts';
import { updateCronJobTool } from './hosting/update_cron_job.ts';
import { updateEnvironmentVariablesTool } from './hosting/update_environment_variables.ts';
import { updateStaticSiteTool } from './hosting/update_static_site.ts';
import { updateWebServiceTool } from './hosting/update_web_service.ts';
import type { HostingToolDeps } from './parts/hosting/deps.ts';

/** The tools of the hosting server, in the order of its specification. */
export function hostingTools(deps: HostingToolDeps): readonly Tool[] {
  return [
    defineTool(listWorkspacesTool(deps)),
    defineTool(selectWorkspaceTool(deps)),
    defineTool(getSelectedWorkspaceTool()),
    defineTool(listServicesTool(deps)),
    defineTool(getServiceTool(deps)),
    defineTool(createWebServiceTool(deps)),
    defineTool(createStaticSiteTool(deps)),
    defineTool(createCronJobTool(deps)),
    defineTool(updateEnvironmentVariablesTool(deps)),
    defineTool(updateWebServiceTool(deps)),
    defineTool(updateStaticSiteTool(deps)),
    defineTool(updateCronJobTool(deps)),
    defineTool(listDeploysTool(deps)),
    defineTool(getDeployTool(deps)),
    defineTool(triggerDeployTool(deps)),
    defineTool(listEventsTool(deps)),
    defineTool(listLogsTool(deps)),
    defineTool(listLogLabelValuesTool(deps)),
    defineTool(getMetricsTool(deps)),
    defineTool(queryHostedPostgresTool(deps)),
    defineTool(listPostgresInstancesTool(deps)),
    defineTool(getPostgresTool(deps)),
    defineTool(createPostgresTool(deps)),
    defineTool(listKeyValueTool(deps)),
    defineTool(getKeyValueTool(deps)),
    defineTool(createKeyValueTool(deps)),
  ];
}
