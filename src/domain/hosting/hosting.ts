import type { EventType } from './event-types.ts';
import type { GivenVar } from './given-env.ts';
import type { KeyValuePlan, PostgresPlan, ServicePlan } from './plans.ts';
import type {
  AllowedRange,
  CronJob,
  Deploy,
  DeployTrigger,
  KeyValue,
  LogLine,
  Postgres,
  RunSpec,
  Service,
  ServiceEvent,
  StaticSite,
  TimeSeries,
  WebService,
  Workspace,
} from './records.ts';
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

/** One page of a list. `cursor` is empty or left out for the first one. */
export interface PageQuery {
  /** 1 to 100. */
  readonly limit: number;
  readonly cursor?: string;
}

/** A page: each item with the cursor that goes on after it. */
export interface Paged<Item> {
  readonly items: readonly { readonly item: Item; readonly cursor: string }[];
  /** Whether there is more after the last item. */
  readonly hasMore: boolean;
}

/** What all new services state. */
interface NewServiceBase {
  readonly ownerId: string;
  readonly name: string;
  /** Left out: the service gets an address to push to. */
  readonly repo?: string;
  readonly branch?: string;
  readonly autoDeploy: AutoDeploy;
  readonly envVars: readonly GivenVar[];
}

/** An order for a service, complete with its defaults. */
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
      /** Strict syntax of five fields, in UTC. */
      readonly schedule: string;
    });

/** What of a service can be changed on its settings page. Left out: kept. */
export interface ServicePatch {
  readonly name?: string;
  readonly branch?: string;
  readonly autoDeploy?: AutoDeploy;
  readonly buildCommand?: string;
  readonly startCommand?: string;
  readonly preDeployCommand?: string;
  readonly dockerCommand?: string;
  readonly dockerfilePath?: string;
  readonly dockerContext?: string;
  readonly healthCheckPath?: string;
  readonly maxShutdownDelaySeconds?: number;
  readonly numInstances?: number;
  readonly plan?: ServicePlan;
  readonly publishPath?: string;
  readonly schedule?: string;
  readonly suspended?: boolean;
}

/** Which events of a service to read, newest first. */
export interface EventQuery extends PageQuery {
  readonly serviceId: string;
  /** All types where left out. */
  readonly types?: readonly EventType[];
  /** Milliseconds since 1970, inclusive. */
  readonly start?: number;
  readonly end?: number;
}

/** Which log lines to read. Filters of one label are alternatives; labels are joined by "and". */
export interface LogFilters {
  /** Ids of resources of one workspace, at least one. */
  readonly resource: readonly string[];
  readonly level?: readonly string[];
  readonly type?: readonly string[];
  readonly instance?: readonly string[];
  readonly host?: readonly string[];
  readonly statusCode?: readonly string[];
  readonly method?: readonly string[];
  readonly path?: readonly string[];
  /** Wildcards (`*`) or `/regular expressions/` in linear time. */
  readonly text?: readonly string[];
  /** RFC 3339, up to nine digits of a second, inclusive. */
  readonly startTime: string;
  /** RFC 3339, exclusive. */
  readonly endTime: string;
  readonly direction: 'forward' | 'backward';
}

/** A query for lines. */
export interface LogQuery extends LogFilters {
  readonly limit: number;
}

/** A page of lines; the two times, given back, go on without loss and without repeat. */
export interface LogPage {
  readonly logs: readonly LogLine[];
  readonly hasMore: boolean;
  readonly nextStartTime: string;
  readonly nextEndTime: string;
}

/** Which series to read. */
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

/** An order for a Postgres server, complete with its defaults. */
export interface NewPostgres {
  readonly ownerId: string;
  readonly name: string;
  readonly plan: PostgresPlan;
  readonly region: Region;
  /** Major, 13 to 18. */
  readonly version: number;
  readonly diskSizeGB: number;
}

/** An order for a Key Value instance, complete with its defaults. */
export interface NewKeyValue {
  readonly ownerId: string;
  readonly name: string;
  readonly plan: KeyValuePlan;
  readonly region: Region;
  readonly maxmemoryPolicy: MaxmemoryPolicy;
  readonly persistenceMode: PersistenceMode;
}

/** How to connect. Secret: given to programs and to the query guard, never to a tool's answer. */
export interface ConnectionInfo {
  /** For programs on the same host. */
  readonly internal: string;
  /** What the allowlist guards. */
  readonly external: string;
  readonly allowList: readonly AllowedRange[];
}

/** Rows of a read-only query. */
export interface SqlAnswer {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** In the order of the columns, so that equal names are kept. */
  readonly rows: readonly (readonly (string | number | boolean | null)[])[];
  /** A bound on rows, bytes or time cut the answer; which one. */
  readonly truncated?: 'rows' | 'bytes';
}

/** Whether something is possible here, and why not. */
export type Ability =
  | { readonly able: true; readonly version: string }
  | { readonly able: false; readonly why: string };

/** What a provider can do. Lists that the tools show; nothing listed fails for being missing. */
export interface HostingAbilities {
  readonly runtimes: Readonly<Record<Runtime, Ability>>;
  /** By major version. */
  readonly postgres: Readonly<Record<string, Ability>>;
  readonly keyValue: Ability;
  /** What stands behind a region's name, in one sentence. */
  readonly regions: string;
}

/**
 * Where services live. One provider per server; every one passes the same conformance suite.
 * Ids are opaque. Methods throw `AppError`: `RESOURCE_UNKNOWN`, `NAME_TAKEN`, `INPUT_INVALID`,
 * `HOST_CAPACITY` (names what fits), `NOT_CONFIGURED` (names what is missing), `FORBIDDEN`,
 * `UNAUTHORIZED`, `RATE_LIMITED`, `HOST_UNAVAILABLE`. What it cannot do is refused, never skipped.
 */
export interface HostingProvider {
  readonly id: 'memory' | 'local' | 'rest';
  abilities(): Promise<HostingAbilities>;
  readonly workspaces: {
    list(page: PageQuery): Promise<Paged<Workspace>>;
    get(id: string): Promise<Workspace>;
  };
  readonly services: {
    list(query: PageQuery & { readonly ownerId: string }): Promise<Paged<Service>>;
    get(id: string): Promise<Service>;
    /** @param key - The same key and order again give the same service and begin nothing. */
    create(order: NewService, key?: string): Promise<{ service: Service; deployId?: string }>;
    /** Changes settings; begins a deploy where the change needs one. */
    update(id: string, patch: ServicePatch): Promise<{ service: Service; deployId?: string }>;
    remove(id: string): Promise<void>;
    restart(id: string): Promise<void>;
    /** Replaces all variables, or with `isMerged` those that are given, and begins a deploy. */
    replaceEnvVars(
      id: string,
      vars: readonly GivenVar[],
      o?: { readonly isMerged?: boolean },
    ): Promise<{ deployId?: string }>;
    /** The names of the variables; the values stay inside. */
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
    /** Lines as they come, until the signal aborts. */
    tail(filters: Pick<LogFilters, 'resource'>, signal: AbortSignal): AsyncIterable<LogLine>;
  };
  readonly metrics: { series(query: MetricQuery): Promise<readonly TimeSeries[]> };
  readonly postgres: {
    list(query: PageQuery & { readonly ownerId: string }): Promise<Paged<Postgres>>;
    get(id: string): Promise<Postgres>;
    create(order: NewPostgres, key?: string): Promise<Postgres>;
    setAllowList(id: string, ranges: readonly AllowedRange[]): Promise<Postgres>;
    /**
     * Ends the server and keeps what it has on the disk, or starts it again. Safe to repeat.
     *
     * @throws {AppError} `HOST_UNAVAILABLE` while it is made or started, or ends.
     */
    setSuspended(id: string, isSuspended: boolean): Promise<Postgres>;
    remove(id: string): Promise<void>;
    /**
     * Runs one read-only statement over the external address.
     *
     * @throws {AppError} `SQL_REFUSED` with the server's own code and text, `SQL_TIMEOUT`,
     *   `SQL_BLOCKED` where the allowlist is empty or does not hold the caller.
     */
    query(id: string, sql: string, signal: AbortSignal): Promise<SqlAnswer>;
    connection(id: string): Promise<ConnectionInfo>;
  };
  readonly keyValue: {
    list(query: PageQuery & { readonly ownerId: string }): Promise<Paged<KeyValue>>;
    get(id: string): Promise<KeyValue>;
    create(order: NewKeyValue, key?: string): Promise<KeyValue>;
    setAllowList(id: string, ranges: readonly AllowedRange[]): Promise<KeyValue>;
    /**
     * Ends the server and keeps what it has on the disk, or starts it again. Safe to repeat.
     *
     * @throws {AppError} `HOST_UNAVAILABLE` while it is made or started, or ends.
     */
    setSuspended(id: string, isSuspended: boolean): Promise<KeyValue>;
    remove(id: string): Promise<void>;
    connection(id: string): Promise<ConnectionInfo>;
  };
  /** Lets go of what it holds; services go on. */
  close(): Promise<void>;
}
