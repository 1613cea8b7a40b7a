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

/** A workspace: the owner of resources. */
export interface Workspace {
  /** `tea-` and 20 characters. */
  readonly id: string;
  readonly name: string;
  /** Empty where nobody stated one. */
  readonly email: string;
  readonly type: 'user' | 'team';
}

/** A range of addresses that may connect from outside. */
export interface AllowedRange {
  readonly cidrBlock: string;
  readonly description: string;
}

/** How a service is built and started: with commands, or from a Dockerfile. */
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
      /** Empty: the Dockerfile's own entry point and command. */
      readonly dockerCommand: string;
    };

/** What every service has. Times are RFC 3339 in UTC. */
interface ServiceBase {
  /** `srv-` or `crn-` and 20 characters. */
  readonly id: string;
  readonly name: string;
  /** The name in addresses; a suffix is added where it was taken. */
  readonly slug: string;
  readonly ownerId: string;
  /** Where the source comes from. */
  readonly repo: string;
  readonly branch: string;
  /** The address to push to, where the service was made without a repository. */
  readonly pushUrl?: string;
  readonly autoDeploy: AutoDeploy;
  readonly suspended: 'suspended' | 'not_suspended';
  /** Who suspended it, such as `user` or `stuck_crashlooping`. */
  readonly suspenders: readonly string[];
  /** The service's page in the console. */
  readonly dashboardUrl: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A program that answers HTTP. */
export interface WebService extends ServiceBase {
  readonly type: 'web_service';
  readonly serviceDetails: RunSpec & {
    readonly plan: ServicePlan;
    readonly region: Region;
    readonly numInstances: number;
    /** Empty: a listening port is enough. */
    readonly healthCheckPath: string;
    readonly url: string;
    /** Time between SIGTERM and SIGKILL, in seconds. */
    readonly maxShutdownDelaySeconds: number;
    /** Ran before each cut-over; empty for none. */
    readonly preDeployCommand: string;
  };
}

/** Files that the router serves. */
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

/** One variable. The value is kept encrypted and leaves the provider only for the program. */
export interface EnvVar {
  readonly key: string;
  readonly value: string;
}

/** States of a deploy (the vendor's public record; the specification names none). */
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
/** A state of a deploy. */
export type DeployStatus = (typeof DEPLOY_STATUSES)[number];

/** What caused a deploy. */
export const DEPLOY_TRIGGERS = [
  'api',
  'first_build',
  'manual',
  'new_commit',
  'rollback',
  'service_resumed',
  'service_updated',
] as const;
/** A cause of a deploy. */
export type DeployTrigger = (typeof DEPLOY_TRIGGERS)[number];

/** One try to bring a version of a service live. */
export interface Deploy {
  /** `dep-` and 20 characters. */
  readonly id: string;
  readonly serviceId: string;
  /** `null` until the source was fetched. */
  readonly commit: {
    readonly id: string;
    readonly message: string;
    readonly createdAt: string;
  } | null;
  readonly status: DeployStatus;
  readonly trigger: DeployTrigger;
  /** Why it failed; only on failed deploys. */
  readonly reason?: FailureReason;
  readonly createdAt: string;
  readonly startedAt?: string;
  readonly updatedAt: string;
  readonly finishedAt?: string;
}

/** Something that happened to a service. Written by transitions of the machines alone. */
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

/** Labels of a log line; those of requests only on lines of the router. */
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
  /** Resource, time and sequence; unique and in order. */
  readonly id: string;
  /** RFC 3339 with nine digits of a second: the last six tell lines of one millisecond apart. */
  readonly timestamp: string;
  readonly message: string;
  readonly labels: LogLabels;
}

/** One line of values over time. */
export interface TimeSeries {
  readonly labels: readonly { readonly field: string; readonly value: string }[];
  /** Oldest first. */
  readonly values: readonly { readonly timestamp: string; readonly value: number }[];
  /** Such as `cpu`, `bytes`, `ms`, `count`. */
  readonly unit: string;
}

/** States of a database (the vendor's public record, those that happen here). */
export const DATABASE_STATUSES = [
  'creating',
  'available',
  'unavailable',
  'config_restart',
  'suspended',
  'recovery_in_progress',
  'recovery_failed',
] as const;
/** A state of a database. */
export type DatabaseStatus = (typeof DATABASE_STATUSES)[number];

/** A Postgres server. Never carries a password or an address with one. */
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
  /** Why it is not available, where that is known. */
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

/** A Key Value instance. Never carries a password or an address with one. */
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
