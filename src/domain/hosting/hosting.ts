import type { EnvVarOrder } from './env-vars.ts';
import type { EventType } from './event-types.ts';
import type { KeyValuePlan, PostgresPlan, ServicePlan } from './plans.ts';
import type {
  AllowedRange,
  CronJob,
  Deploy,
  DeployTrigger,
  KeyValue,
  LogLine,
  LogPage,
  Postgres,
  RunSpec,
  Service,
  ServiceEvent,
  SqlResult,
  StaticSite,
  TimeSeries,
  WebService,
  Workspace,
} from './records.ts';
import type { ServicePatch } from './service-patch.ts';
import type {
  AutoDeploy,
  CpuAggregation,
  LogLabel,
  MaxmemoryPolicy,
  MetricType,
  PersistenceMode,
  Region,
  RequestCountLabel,
  Runtime,
} from './value-sets.ts';

/** Selects one page of a list. `cursor` is empty or absent for the first page. */
export interface PageQuery {
  /** 1 to 100. */
  readonly limit: number;
  readonly cursor?: string;
}

/** A page of a list. Each item has the cursor that follows it. */
export interface Paged<Item> {
  readonly items: readonly { readonly item: Item; readonly cursor: string }[];
  /** Whether more items follow the last one. */
  readonly hasMore: boolean;
}

/** Fields common to all orders of services. */
interface NewServiceBase {
  readonly ownerId: string;
  readonly name: string;
  /** If absent, the service gets an address to push to. */
  readonly repo?: string;
  readonly branch?: string;
  readonly autoDeploy: AutoDeploy;
  readonly envVars: readonly EnvVarOrder[];
}

/** An order of a service, with defaults applied. */
export type NewService =
  | (NewServiceBase & {
      readonly type: WebService['type'];
      readonly run: RunSpec;
      readonly plan: ServicePlan;
      readonly region: Region;
    })
  | (NewServiceBase & {
      readonly type: StaticSite['type'];
      readonly buildCommand: string;
      readonly publishPath: string;
    })
  | (NewServiceBase & {
      readonly type: CronJob['type'];
      readonly run: RunSpec;
      readonly plan: ServicePlan;
      readonly region: Region;
      /** Strict five-field cron syntax, in UTC. */
      readonly schedule: string;
    });

/** Selects the events of a service, newest first. */
export interface EventQuery extends PageQuery {
  readonly serviceId: string;
  /** Defaults to all types. */
  readonly types?: readonly EventType[];
  /** Milliseconds since 1970, inclusive. */
  readonly start?: number;
  readonly end?: number;
}

/** Selects log lines. Filters of one label are combined with "or", different labels with "and". */
export interface LogFilters {
  /** Ids of one or more resources in one workspace. */
  readonly resource: readonly string[];
  readonly level?: readonly string[];
  readonly type?: readonly string[];
  readonly instance?: readonly string[];
  readonly host?: readonly string[];
  readonly statusCode?: readonly string[];
  readonly method?: readonly string[];
  readonly path?: readonly string[];
  /** Wildcards (`*`) or `/regular expressions/` that run in linear time. */
  readonly text?: readonly string[];
  /** RFC 3339 with up to nine fractional digits, inclusive. */
  readonly startTime: string;
  /** RFC 3339, exclusive. */
  readonly endTime: string;
  readonly direction: 'forward' | 'backward';
}

/** A query for log lines. */
export interface LogQuery extends LogFilters {
  readonly limit: number;
}

/** Selects time series of a metric. */
export interface MetricQuery {
  readonly resourceId: string;
  readonly type: MetricType;
  /** Milliseconds since 1970, inclusive. */
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  /** At least 30. */
  readonly resolutionSec: number;
  readonly cpuAggregation: CpuAggregation;
  readonly requestCountBy?: RequestCountLabel;
  /** 0 to 1. */
  readonly latencyQuantile: number;
  readonly host?: string;
  readonly path?: string;
}

/** An order of a Postgres server, with defaults applied. */
export interface NewPostgres {
  readonly ownerId: string;
  readonly name: string;
  readonly plan: PostgresPlan;
  readonly region: Region;
  /** Major version, 13 to 18. */
  readonly version: number;
  readonly diskSizeGB: number;
}

/** An order of a Key Value instance, with defaults applied. */
export interface NewKeyValue {
  readonly ownerId: string;
  readonly name: string;
  readonly plan: KeyValuePlan;
  readonly region: Region;
  readonly maxmemoryPolicy: MaxmemoryPolicy;
  readonly persistenceMode: PersistenceMode;
}

/** Connection details. Secret: given to programs and the query guard, never to a tool result. */
export interface ConnectionInfo {
  /** For programs on the same host. */
  readonly internal: string;
  /** Restricted by the allowlist. */
  readonly external: string;
  readonly allowList: readonly AllowedRange[];
}

/** Whether the host supports a feature, and if not, why. */
export type FeatureAvailability =
  | { readonly able: true; readonly version: string }
  | { readonly able: false; readonly why: string };

/**
 * The capabilities of a provider. Tools list them, so that a missing one is known before a call.
 */
export interface HostingFeatures {
  readonly runtimes: Readonly<Record<Runtime, FeatureAvailability>>;
  /** By major version. */
  readonly postgres: Readonly<Record<string, FeatureAvailability>>;
  readonly keyValue: FeatureAvailability;
  /** The meaning of a region name on this host, in one sentence. */
  readonly regions: string;
}

/**
 * A host of services. A server has one provider; every provider passes the same conformance suite.
 * Ids are opaque. Methods throw `AppError`: `RESOURCE_UNKNOWN`, `NAME_TAKEN`, `INPUT_INVALID`,
 * `HOST_CAPACITY` (names what fits), `NOT_CONFIGURED` (names what is missing), `FORBIDDEN`,
 * `UNAUTHORIZED`, `RATE_LIMITED`, `HOST_UNAVAILABLE`. An unsupported request is rejected, never
 * ignored.
 */
export interface HostingProvider {
  readonly id: 'memory' | 'local';
  listFeatures(): Promise<HostingFeatures>;
  readonly workspaces: {
    list(page: PageQuery): Promise<Paged<Workspace>>;
    get(id: string): Promise<Workspace>;
  };
  readonly services: {
    list(query: PageQuery & { readonly ownerId: string }): Promise<Paged<Service>>;
    get(id: string): Promise<Service>;
    create(order: NewService): Promise<{ service: Service; deployId?: string }>;
    /** Changes settings and starts a deploy if the change requires one. */
    update(id: string, patch: ServicePatch): Promise<{ service: Service; deployId?: string }>;
    remove(id: string): Promise<void>;
    restart(id: string): Promise<void>;
    /** Replaces all variables, or with `isMerged` only the given ones, and starts a deploy. */
    replaceEnvVars(
      id: string,
      vars: readonly EnvVarOrder[],
      o?: { readonly isMerged?: boolean },
    ): Promise<{ deployId?: string }>;
    /** Returns the names of the variables. Values never leave the provider. */
    envVarNames(id: string): Promise<readonly string[]>;
    settingsUrl(id: string): string;
  };
  readonly deploys: {
    list(query: PageQuery & { readonly serviceId: string }): Promise<Paged<Deploy>>;
    get(serviceId: string, deployId: string): Promise<Deploy>;
    trigger(
      serviceId: string,
      order: { readonly clearCache: boolean; readonly trigger?: DeployTrigger },
    ): Promise<Deploy>;
    cancel(serviceId: string, deployId: string): Promise<Deploy>;
    rollback(serviceId: string, deployId: string): Promise<Deploy>;
  };
  readonly events: { list(query: EventQuery): Promise<Paged<ServiceEvent>> };
  readonly logs: {
    query(query: LogQuery): Promise<LogPage>;
    labelValues(query: LogFilters & { readonly label: LogLabel }): Promise<readonly string[]>;
    /** Streams new lines until the signal aborts. */
    tail(filters: Pick<LogFilters, 'resource'>, signal: AbortSignal): AsyncIterable<LogLine>;
  };
  readonly metrics: { series(query: MetricQuery): Promise<readonly TimeSeries[]> };
  readonly postgres: {
    list(query: PageQuery & { readonly ownerId: string }): Promise<Paged<Postgres>>;
    get(id: string): Promise<Postgres>;
    create(order: NewPostgres): Promise<Postgres>;
    setAllowList(id: string, ranges: readonly AllowedRange[]): Promise<Postgres>;
    /**
     * Stops the server and keeps its data, or starts it again. Idempotent.
     *
     * @throws {AppError} `HOST_UNAVAILABLE` while the server is being created, started or stopped.
     */
    setSuspended(id: string, isSuspended: boolean): Promise<Postgres>;
    remove(id: string): Promise<void>;
    /**
     * Runs one read-only statement over the external address.
     *
     * @throws {AppError} `SQL_REFUSED` with the code and text of the server; `SQL_TIMEOUT`;
     * `SQL_BLOCKED` if the allowlist is empty or excludes the caller.
     */
    query(id: string, sql: string, signal: AbortSignal): Promise<SqlResult>;
    connection(id: string): Promise<ConnectionInfo>;
  };
  readonly keyValue: {
    list(query: PageQuery & { readonly ownerId: string }): Promise<Paged<KeyValue>>;
    get(id: string): Promise<KeyValue>;
    create(order: NewKeyValue): Promise<KeyValue>;
    setAllowList(id: string, ranges: readonly AllowedRange[]): Promise<KeyValue>;
    /**
     * Stops the server and keeps its data, or starts it again. Idempotent.
     *
     * @throws {AppError} `HOST_UNAVAILABLE` while the server is being created, started or stopped.
     */
    setSuspended(id: string, isSuspended: boolean): Promise<KeyValue>;
    remove(id: string): Promise<void>;
    connection(id: string): Promise<ConnectionInfo>;
  };
  /** Releases the resources of the provider. Services keep running. */
  close(): Promise<void>;
}
