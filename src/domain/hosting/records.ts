import type { JsonObject } from '../common/json.ts';
import type { EventType, FailureReason } from './event-types.ts';
import type { KeyValuePlan, PostgresPlan, ServicePlan } from './plans.ts';
import type {
  AutoDeploy,
  LogLevel,
  LogType,
  MaxmemoryPolicy,
  PersistenceMode,
  Region,
  Runtime,
} from './value-sets.ts';

/** A workspace, the owner of resources. */
export interface Workspace {
  /** `tea-` and 20 characters. */
  readonly id: string;
  readonly name: string;
  /** Empty if unknown. */
  readonly email: string;
  readonly type: 'user' | 'team';
}

/** An address range that may connect from outside. */
export interface AllowedRange {
  readonly cidrBlock: string;
  readonly description: string;
}

/** How a service is built and started: by commands or from a Dockerfile. */
export type RunSpec =
  | {
      readonly runtime: Exclude<Runtime, 'docker'>;
      readonly buildCommand: string;
      readonly startCommand: string;
    }
  | {
      readonly runtime: 'docker';
      readonly dockerfilePath: string;
      readonly dockerContext: string;
      /** If empty, the entry point and command of the Dockerfile apply. */
      readonly dockerCommand: string;
    };

/** Fields common to all services. Times are RFC 3339 in UTC. */
interface ServiceBase {
  /** `srv-` or `crn-` and 20 characters. */
  readonly id: string;
  readonly name: string;
  /** Name in addresses. It has a suffix if the plain name was taken. */
  readonly slug: string;
  readonly ownerId: string;
  /** Address of the source repository. */
  readonly repo: string;
  readonly branch: string;
  /** Address to push to, if the order named no repository. */
  readonly pushUrl?: string;
  readonly autoDeploy: AutoDeploy;
  readonly suspended: 'suspended' | 'not_suspended';
  /** Reasons for the suspension, such as `user` or `stuck_crashlooping`. */
  readonly suspenders: readonly string[];
  /** Console page of the service. */
  readonly dashboardUrl: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A program that serves HTTP. */
export interface WebService extends ServiceBase {
  readonly type: 'web_service';
  readonly serviceDetails: RunSpec & {
    readonly plan: ServicePlan;
    readonly region: Region;
    readonly numInstances: number;
    /** If empty, a listening port counts as healthy. */
    readonly healthCheckPath: string;
    readonly url: string;
    /** Time between SIGTERM and SIGKILL, in seconds. */
    readonly maxShutdownDelaySeconds: number;
    /** Runs before each cut-over; empty for none. */
    readonly preDeployCommand: string;
  };
}

/** A site of static files, served by the router. */
export interface StaticSite extends ServiceBase {
  readonly type: 'static_site';
  readonly serviceDetails: {
    readonly buildCommand: string;
    readonly publishPath: string;
    readonly url: string;
  };
}

/** A program that runs on a schedule. */
export interface CronJob extends ServiceBase {
  readonly type: 'cron_job';
  readonly serviceDetails: RunSpec & {
    readonly plan: ServicePlan;
    readonly region: Region;
    readonly schedule: string;
    readonly nextRunAt?: string;
    readonly lastSuccessfulRunAt?: string;
  };
}

/** A service of any type. */
export type Service = WebService | StaticSite | CronJob;

/**
 * An environment variable. Its value is stored encrypted and leaves the provider only for the
 * program.
 */
export interface EnvVar {
  readonly key: string;
  readonly value: string;
}

/** Deploy states from the vendor's public documentation; the specification lists none. */
export const DEPLOY_STATUSES = [
  'created',
  'queued',
  'build_in_progress',
  'build_failed',
  'pre_deploy_in_progress',
  'pre_deploy_failed',
  'update_in_progress',
  'update_failed',
  'live',
  'deactivated',
  'canceled',
] as const;
/** The state of a deploy. */
export type DeployStatus = (typeof DEPLOY_STATUSES)[number];

/** Causes of a deploy. */
export const DEPLOY_TRIGGERS = [
  'api',
  'first_build',
  'manual',
  'new_commit',
  'rollback',
  'service_resumed',
  'service_updated',
] as const;
/** The cause of a deploy. */
export type DeployTrigger = (typeof DEPLOY_TRIGGERS)[number];

/** An attempt to make a version of a service live. */
export interface Deploy {
  /** `dep-` and 20 characters. */
  readonly id: string;
  readonly serviceId: string;
  /** `null` until the source is fetched. */
  readonly commit: {
    readonly id: string;
    readonly message: string;
    readonly createdAt: string;
  } | null;
  readonly status: DeployStatus;
  readonly trigger: DeployTrigger;
  /** Failure reason; present only on failed deploys. */
  readonly reason?: FailureReason;
  readonly createdAt: string;
  readonly startedAt?: string;
  readonly updatedAt: string;
  readonly finishedAt?: string;
}

/** An event of a service. Only machine transitions write events. */
export interface ServiceEvent {
  /** `evt-` and 20 characters. */
  readonly id: string;
  readonly serviceId: string;
  readonly timestamp: string;
  readonly type: EventType;
  readonly details: JsonObject;
}

/** One run of a cron job. */
export interface CronRun {
  /** `crr-` and 20 characters. */
  readonly id: string;
  readonly serviceId: string;
  readonly status: 'pending' | 'successful' | 'unsuccessful' | 'canceled';
  readonly reason?: FailureReason;
  readonly startedAt: string;
  readonly finishedAt?: string;
}

/** Labels of a log line. Request labels appear only on lines of the router. */
export interface LogLabels {
  readonly resource: string;
  readonly type: LogType;
  readonly level: LogLevel;
  readonly instance?: string;
  readonly host?: string;
  readonly statusCode?: string;
  readonly method?: string;
  readonly path?: string;
}

/** A stored log line. */
export interface LogLine {
  /** Resource, time and sequence number; unique and ordered. */
  readonly id: string;
  /** RFC 3339 with nine fractional digits. The last six distinguish lines of one millisecond. */
  readonly timestamp: string;
  readonly message: string;
  readonly labels: LogLabels;
}

/** A series of values over time. */
export interface TimeSeries {
  readonly labels: readonly { readonly field: string; readonly value: string }[];
  /** Oldest first. */
  readonly values: readonly { readonly timestamp: string; readonly value: number }[];
  /** Such as `cpu`, `bytes`, `ms`, `count`. */
  readonly unit: string;
}

/** Database states used here, from the vendor's public documentation. */
export const DATABASE_STATUSES = [
  'creating',
  'available',
  'unavailable',
  'config_restart',
  'suspended',
  'recovery_in_progress',
  'recovery_failed',
] as const;
/** The state of a database. */
export type DatabaseStatus = (typeof DATABASE_STATUSES)[number];

/** A Postgres server. Contains no password and no address with one. */
export interface Postgres {
  /** `dpg-`, 20 characters, `-a`. */
  readonly id: string;
  readonly name: string;
  readonly ownerId: string;
  readonly plan: PostgresPlan;
  readonly region: Region;
  /** Major version. */
  readonly version: string;
  readonly status: DatabaseStatus;
  /** Why the server is not available, if known. */
  readonly reason?: string;
  readonly role: 'primary';
  readonly databaseName: string;
  readonly databaseUser: string;
  readonly diskSizeGB: number;
  readonly ipAllowList: readonly AllowedRange[];
  readonly suspended: 'suspended' | 'not_suspended';
  readonly dashboardUrl: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A Key Value instance. Contains no password and no address with one. */
export interface KeyValue {
  /** `red-` and 20 characters. */
  readonly id: string;
  readonly name: string;
  readonly ownerId: string;
  readonly plan: KeyValuePlan;
  readonly region: Region;
  readonly status: DatabaseStatus;
  readonly reason?: string;
  /** Name and version of the server program, such as `Redis 7.0.15`. */
  readonly version: string;
  readonly options: {
    readonly maxmemoryPolicy: MaxmemoryPolicy;
    readonly persistenceMode: PersistenceMode;
  };
  readonly ipAllowList: readonly AllowedRange[];
  readonly dashboardUrl: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}
