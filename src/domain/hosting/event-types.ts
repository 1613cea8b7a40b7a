/**
 * Types of service events by group: those of section 6 of the hosting specification, then further
 * ones. Tools, addresses, documents and the console follow from this list.
 */
export const EVENT_GROUPS = {
  build_and_deploy: [
    'build_started',
    'build_ended',
    'deploy_started',
    'deploy_ended',
    'pre_deploy_started',
    'pre_deploy_ended',
    'initial_deploy_hook_started',
    'initial_deploy_hook_ended',
    'zero_downtime_redeploy_started',
    'zero_downtime_redeploy_ended',
    'commit_ignored',
    'branch_deleted',
    'image_pull_failed',
    'artifact_fetch_failed',
    'artifact_source_changed',
    'auto_deploy_enabled',
    'auto_deploy_disabled',
    'pipeline_minutes_exhausted',
  ],
  runtime_health: [
    'server_available',
    'server_failed',
    'server_hardware_failure',
    'server_restarted',
  ],
  scaling_and_plan: [
    'autoscaling_started',
    'autoscaling_ended',
    'autoscaling_config_changed',
    'instance_count_changed',
    'plan_changed',
  ],
  disk: [
    'disk_created',
    'disk_updated',
    'disk_deleted',
    'service_disk_usage_high',
    'service_disk_usage_recovered',
  ],
  lifecycle_and_maintenance: [
    'service_suspended',
    'service_resumed',
    'suspender_added',
    'suspender_removed',
    'maintenance_started',
    'maintenance_ended',
    'maintenance_mode_enabled',
    'maintenance_mode_uri_updated',
  ],
  job_runs: ['cron_job_run_started', 'cron_job_run_ended', 'job_run_ended'],
} as const;

/** One type of event. */
export type EventType = (typeof EVENT_GROUPS)[keyof typeof EVENT_GROUPS][number];

/** Every type of event, in the order of the specification. */
export const EVENT_TYPES: readonly EventType[] = Object.values(EVENT_GROUPS).flat();
