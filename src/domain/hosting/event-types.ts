/** Types of service events, by group (hosting specification, section 6). */
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

/** Why something failed. It stands in the event and in the deploy, never in the logs. */
export interface FailureReason {
  /** Ended by itself with code 0 where it had to go on. */
  readonly earlyExit?: true;
  readonly nonZeroExit?: number;
  /** Killed by the kernel at its memory limit. */
  readonly oomKilled?: { readonly memoryLimitMib: number };
  /** The health check's answer: status and the start of the body, or why there was none. */
  readonly unhealthy?: string;
  readonly timedOut?: { readonly seconds: number; readonly what: string };
  /** The machine took the instance away, such as for disk space. */
  readonly evicted?: string;
  /** The machine lacks what is needed: a toolchain, a program. Names it. */
  readonly missing?: string;
}
