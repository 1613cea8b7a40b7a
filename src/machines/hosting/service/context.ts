import { type DiskUsage, detectDiskLevelChange } from '../../../domain/hosting/disk.ts';
import type { Deploy, DeployTrigger, Service } from '../../../domain/hosting/records.ts';
import type { ActorCreate, ActorSend } from '../../common/messages.ts';
import type { DeployInput, DeploySource } from '../deploy/context.ts';

/** A requested deploy. */
export interface DeployRequest {
  readonly deployId: string;
  readonly trigger: DeployTrigger;
  readonly clearCache: boolean;
  readonly source: DeploySource;
}

/** Input of a service actor. */
export interface ServiceInput {
  readonly service: Service;
  /** Encrypted environment variables. */
  readonly sealedEnv: string;
  /** First deploy; `null` if nothing was pushed yet. */
  readonly first: DeployRequest | null;
  /** Hash of the order. */
  readonly orderHash: string;
  /** Milliseconds. */
  readonly at: number;
}

/** The version that is serving. */
export interface LiveDeploy {
  readonly deployId: string;
  readonly releaseId: string;
  readonly commit: Deploy['commit'];
}

/** Context of a service actor. */
export interface ServiceContext {
  readonly service: Service;
  readonly sealedEnv: string;
  readonly first: DeployRequest | null;
  readonly orderHash: string;
  /** The active deploy. */
  readonly current: string | null;
  /**
   * Request of the active deploy; `null` if none is active, or an earlier machine version started
   * it.
   */
  readonly currentAsk: DeployRequest | null;
  /** True if the active deploy was told to end in favour of the waiting one. */
  readonly isYielding: boolean;
  /** The next deploy: the newest one requested in the meantime. */
  readonly waiting: DeployRequest | null;
  /** The version that is serving, or served last. */
  readonly live: LiveDeploy | null;
  /** False while the service is suspended and before its first version is live. */
  readonly isServing: boolean;
  /** Newest commit of the branch that was deployed or skipped. */
  readonly seenCommit: string | null;
  /** True if the history reports a nearly full disk. */
  readonly isDiskHigh: boolean;
  /** Milliseconds. */
  readonly at: number;
}

/** Events that a service accepts. Times in milliseconds. */
export type ServiceActorEvent =
  | ({ readonly type: 'DEPLOY.ASKED'; readonly at: number } & DeployRequest)
  | { readonly type: 'DEPLOY.CANCELED'; readonly deployId: string; readonly at: number }
  | ({ readonly type: 'DEPLOY.LIVE'; readonly at: number } & LiveDeploy)
  | {
      readonly type: 'DEPLOY.ENDED';
      readonly deployId: string;
      /** `null` if the source was not fetched. */
      readonly commit: Deploy['commit'];
      readonly at: number;
    }
  | {
      readonly type: 'SERVICE.CHANGED';
      /** The complete new record. */
      readonly service: Service;
      /** Deploy that applies the change; `null` if none is needed. */
      readonly ask: DeployRequest | null;
      readonly at: number;
    }
  | {
      readonly type: 'ENV.REPLACED';
      readonly sealedEnv: string;
      readonly ask: DeployRequest;
      readonly at: number;
    }
  | {
      readonly type: 'BRANCH.MOVED';
      readonly commitId: string;
      /** True if the commit message asks to skip it. */
      readonly isSkipped: boolean;
      readonly deployId: string;
      readonly at: number;
    }
  | { readonly type: 'BRANCH.GONE'; readonly at: number }
  | { readonly type: 'RUN.SUCCEEDED'; readonly at: number }
  | ({ readonly type: 'DISK.MEASURED'; readonly at: number } & DiskUsage)
  | { readonly type: 'RESTART'; readonly at: number }
  | { readonly type: 'SUSPEND'; readonly at: number }
  | { readonly type: 'RESUME'; readonly deployId: string; readonly at: number }
  | { readonly type: 'REMOVE'; readonly at: number }
  | {
      readonly type: 'INSTANCE.STUCK';
      readonly instanceId: string;
      readonly deployId: string;
      readonly at: number;
    };

/** Creates the initial context of a service. */
export function createServiceContext({ input }: { readonly input: ServiceInput }): ServiceContext {
  const { service, sealedEnv, first, orderHash, at } = input;
  return {
    service,
    sealedEnv,
    first,
    orderHash,
    at,
    current: null,
    currentAsk: null,
    isYielding: false,
    waiting: null,
    live: null,
    isServing: false,
    seenCommit: null,
    isDiskHigh: false,
  };
}

/** Returns whether an event marks the disk as high or recovered. */
export function diskTransitionOf(
  { isDiskHigh }: ServiceContext,
  event: ServiceActorEvent,
): ReturnType<typeof detectDiskLevelChange> {
  return event.type === 'DISK.MEASURED' ? detectDiskLevelChange(isDiskHigh, event) : undefined;
}

/** Returns the deploy that an event requests, if any. */
export function requestedDeploy(
  context: ServiceContext,
  event: ServiceActorEvent,
): DeployRequest | null {
  if (event.type === 'DEPLOY.ASKED') {
    const { deployId, trigger, clearCache, source } = event;
    return { deployId, trigger, clearCache, source };
  }
  if (event.type === 'SERVICE.CHANGED' || event.type === 'ENV.REPLACED') return event.ask;
  if (event.type === 'BRANCH.MOVED') {
    const { deployId, commitId } = event;
    const source = { kind: 'commit', commitId } as const;
    return { deployId, trigger: 'new_commit', clearCache: false, source };
  }
  if (event.type === 'RESUME') {
    const { deployId } = event;
    const source = { kind: 'same' } as const;
    return { deployId, trigger: 'service_resumed', clearCache: false, source };
  }
  return context.first;
}

/**
 * Merges a newer deploy request with the waiting one it replaces: a waiting commit survives a
 * change of settings, and so does a cleared cache.
 */
export function mergeRequests(newer: DeployRequest, older: DeployRequest | null): DeployRequest {
  if (older === null) return newer;
  const source = newer.source.kind === 'same' ? older.source : newer.source;
  return { ...newer, source, clearCache: newer.clearCache || older.clearCache };
}

/** Returns whether instances of the service run or are about to start. */
export function usesCapacity(context: Pick<ServiceContext, 'isServing' | 'current'>): boolean {
  return context.isServing || context.current !== null;
}

/** Resolves `same` to the current release or the branch. */
export function resolveSource({ live }: ServiceContext, source: DeploySource): DeploySource {
  if (source.kind !== 'same') return source;
  if (live === null) return { kind: 'branch' };
  const { releaseId, commit } = live;
  return { kind: 'release', releaseId, commit };
}

/** Creates the message that creates a deploy. */
export function createDeployMessage(
  context: ServiceContext,
  ask: DeployRequest,
  { mustWait, at }: { readonly mustWait: boolean; readonly at: number },
): ActorCreate {
  const { service, sealedEnv } = context;
  const { deployId, trigger, clearCache } = ask;
  const source = mustWait ? ask.source : resolveSource(context, ask.source);
  const input: DeployInput = {
    deployId,
    trigger,
    clearCache,
    service,
    sealedEnv,
    source,
    mustWait,
    at,
  };
  return { type: 'actor.create', to: deployId, kind: 'deploy', input };
}

/** Creates a message to a deploy. */
export function sendToDeploy(to: string, event: ActorSend['event']): ActorSend {
  return { type: 'actor.send', to, event };
}
