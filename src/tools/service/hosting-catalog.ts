import type { Tool } from '../../domain/tool/tool.ts';
import { createKeyValueTool } from '../hosting/database/create_key_value.ts';
import { createPostgresTool } from '../hosting/database/create_postgres.ts';
import { getKeyValueTool } from '../hosting/database/get_key_value.ts';
import { getPostgresTool } from '../hosting/database/get_postgres.ts';
import { listKeyValueTool } from '../hosting/database/list_key_value.ts';
import { listPostgresInstancesTool } from '../hosting/database/list_postgres_instances.ts';
import { queryHostedPostgresTool } from '../hosting/database/query_hosted_postgres.ts';
import type { HostingToolDeps } from '../hosting/deps.ts';
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
import { defineTool } from './define-tool.ts';

/** Returns the hosting tools in the order of the specification. */
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
