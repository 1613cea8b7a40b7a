import type { FailureReason } from './event-types.ts';
import type { Ability } from './hosting.ts';
import type { Deploy, EnvVar, Service } from './records.ts';
import type { Runtime } from './value-sets.ts';

/** A version of a service, with what its programs are run with. */
export interface HostedVersion {
  readonly service: Service;
  /** Names the folder of the build. */
  readonly releaseId: string;
  /** `null` until the source was fetched. */
  readonly commitId: string | null;
  readonly env: readonly EnvVar[];
}

/** How a piece of work ended: well, or for a reason that is told to the owner. */
export type HostEnd =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: FailureReason };

/** How fetching the source ended. */
export type FetchEnd =
  | { readonly ok: true; readonly commit: NonNullable<Deploy['commit']> }
  | { readonly ok: false; readonly reason: FailureReason };

/** One start of an instance: each has a process of its own. */
export interface HostedInstance {
  readonly instanceId: string;
  /** Counts from 1. */
  readonly start: number;
}

/**
 * A machine that builds and runs services. Its processes outlive the program that asks: all work is
 * named, and asked for again under the same name it is taken up where it stands, never done twice.
 * When a signal aborts, builds and runs end with everything that they started.
 */
export interface ServiceHost {
  /** Which runtimes have their programs here. */
  runtimes(): Promise<Readonly<Record<Runtime, Ability>>>;
  /**
   * Refuses what cannot be hosted here.
   *
   * @throws {AppError} `HOST_CAPACITY` naming what fits, `NOT_CONFIGURED` naming what is missing,
   *   `INPUT_INVALID` for an address that sources are not taken from.
   */
  admit(service: Service): Promise<void>;
  /** Makes the address to push to, of a service without a repository of its own. */
  pushUrl(serviceId: string): Promise<string>;
  /**
   * The branch that a repository names as its default; `null` where it names none or does not
   * answer within seconds.
   */
  defaultBranch(service: Pick<Service, 'id' | 'repo' | 'ownerId'>): Promise<string | null>;
  /** The newest commit of the branch; `null` when there is no such branch. */
  head(service: Service): Promise<string | null>;
  /** Fetches one commit, or the newest of the branch. */
  fetch(version: HostedVersion, signal: AbortSignal): Promise<FetchEnd>;
  build(
    version: HostedVersion,
    o: { readonly clearCache: boolean; readonly signal: AbortSignal },
  ): Promise<HostEnd>;
  /** Runs the command before the cut-over, once for each deploy. */
  preDeploy(
    version: HostedVersion,
    o: { readonly deployId: string; readonly signal: AbortSignal },
  ): Promise<HostEnd>;
  /** Starts an instance and waits until it is healthy. */
  start(version: HostedVersion, instance: HostedInstance, signal: AbortSignal): Promise<HostEnd>;
  /** Waits until an instance is not there any more, and says why. */
  watch(
    instance: HostedInstance,
    signal: AbortSignal,
  ): Promise<{ readonly reason: FailureReason; readonly isHostRestart: boolean }>;
  /** Ends an instance with everything that it started: asked first, then killed. */
  stop(instance: HostedInstance & { readonly graceMs: number }): Promise<void>;
  /** Makes a version the one that is served, in one step. */
  cutOver(version: HostedVersion, instanceIds: readonly string[]): Promise<HostEnd>;
  /** Takes a service out of what is served. */
  withdraw(serviceId: string): Promise<void>;
  /** Runs the command of a cron job to its end; no reason is success. */
  run(
    version: HostedVersion,
    o: { readonly runId: string; readonly signal: AbortSignal },
  ): Promise<{ readonly reason: FailureReason | null }>;
  stopRun(runId: string): Promise<void>;
  /** Removes everything of a service that does not run any more. */
  remove(serviceId: string): Promise<void>;
}
