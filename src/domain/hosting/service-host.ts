import type { FeatureAvailability } from './hosting.ts';
import type { Deploy, EnvVar, FailureReason, Service } from './records.ts';
import type { Runtime } from './value-sets.ts';

/** A version of a service, with the environment of its programs. */
export interface HostedVersion {
  readonly service: Service;
  /** Names the build folder. */
  readonly releaseId: string;
  /** `null` until the source is fetched. */
  readonly commitId: string | null;
  readonly env: readonly EnvVar[];
}

/** Outcome of a host operation. A failure has a reason that the owner can read. */
export type HostOutcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: FailureReason };

/** Outcome of a source fetch. */
export type FetchOutcome =
  | { readonly ok: true; readonly commit: NonNullable<Deploy['commit']> }
  | { readonly ok: false; readonly reason: FailureReason };

/** One start of an instance. Each start has its own process. */
export interface HostedInstance {
  readonly instanceId: string;
  /** Counts from 1. */
  readonly start: number;
}

/**
 * A machine that builds and runs services. Processes outlive the calling program. Every operation
 * is named: repeating it under the same name resumes it and never duplicates it. Aborting the
 * signal ends a build or run and all of its processes.
 */
export interface ServiceHost {
  /** Returns which runtimes are installed. */
  runtimes(): Promise<Readonly<Record<Runtime, FeatureAvailability>>>;
  /**
   * Checks that this host can run a service.
   *
   * @throws {AppError} `HOST_CAPACITY` names what fits; `NOT_CONFIGURED` names what is missing;
   * `INPUT_INVALID` for a repository address that is not allowed.
   */
  admit(service: Service): Promise<void>;
  /** Creates the push address of a service that has no repository. */
  pushUrl(serviceId: string): Promise<string>;
  /**
   * Returns the default branch of a repository; `null` if it has none or does not answer within
   * seconds.
   */
  defaultBranch(service: Pick<Service, 'id' | 'repo' | 'ownerId'>): Promise<string | null>;
  /** Returns the newest commit of the branch; `null` if the branch does not exist. */
  newestCommit(service: Service): Promise<string | null>;
  /** Fetches one commit, or the newest of the branch. */
  fetch(version: HostedVersion, signal: AbortSignal): Promise<FetchOutcome>;
  build(
    version: HostedVersion,
    o: { readonly clearCache: boolean; readonly signal: AbortSignal },
  ): Promise<HostOutcome>;
  /** Runs the pre-deploy command, once per deploy. */
  preDeploy(
    version: HostedVersion,
    o: { readonly deployId: string; readonly signal: AbortSignal },
  ): Promise<HostOutcome>;
  /** Starts an instance and waits until it is healthy. */
  start(
    version: HostedVersion,
    instance: HostedInstance,
    signal: AbortSignal,
  ): Promise<HostOutcome>;
  /** Waits until an instance is gone and returns the reason. */
  watch(
    instance: HostedInstance,
    signal: AbortSignal,
  ): Promise<{ readonly reason: FailureReason; readonly isHostRestart: boolean }>;
  /** Stops an instance and all of its processes: SIGTERM first, then SIGKILL. */
  stop(instance: HostedInstance & { readonly graceMs: number }): Promise<void>;
  /** Switches traffic to a version atomically. */
  cutOver(version: HostedVersion, instanceIds: readonly string[]): Promise<HostOutcome>;
  removeRoutes(serviceId: string): Promise<void>;
  /** Runs the command of a cron job to its end. A `null` reason means success. */
  run(
    version: HostedVersion,
    o: { readonly runId: string; readonly signal: AbortSignal },
  ): Promise<{ readonly reason: FailureReason | null }>;
  stopRun(runId: string): Promise<void>;
  /** Deletes all data of a service that no longer runs. */
  remove(serviceId: string): Promise<void>;
}
