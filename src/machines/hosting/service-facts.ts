import type { DiskUsage } from '../../domain/hosting/disk-level.ts';
import { diskTurn } from '../../domain/hosting/disk-level.ts';
import type { Deploy, DeployTrigger, Service } from '../../domain/hosting/records.ts';
import { isSuspendedByCrashes } from '../../domain/hosting/suspension.ts';
import type { ActorCreate, ActorSend } from '../common/messages.ts';
import type { DeployInput, DeploySource } from './deploy-facts.ts';

/** A deploy that is asked for. */
export interface DeployAsk {
  readonly deployId: string;
  readonly trigger: DeployTrigger;
  readonly clearCache: boolean;
  readonly source: DeploySource;
}

/** What a service actor is created with. */
export interface ServiceInput {
  readonly service: Service;
  /** Its variables, encrypted. */
  readonly sealedEnv: string;
  /** The deploy that it begins with; none where nothing was pushed yet. */
  readonly first: DeployAsk | null;
  /** Hash of what was ordered: the same order again is known by it. */
  readonly orderHash: string;
  /** Milliseconds. */
  readonly at: number;
}

/** The version that serves. */
export interface LiveDeploy {
  readonly deployId: string;
  readonly releaseId: string;
  readonly commit: Deploy['commit'];
}

/** Memory of a service. */
export interface ServiceContext {
  readonly service: Service;
  readonly sealedEnv: string;
  readonly first: DeployAsk | null;
  readonly orderHash: string;
  /** The deploy that is at work. */
  readonly current: string | null;
  /** What it was asked to do; `null` where nothing is at work, or a former version began it. */
  readonly currentAsk: DeployAsk | null;
  /** Whether it was asked to end, so that the one that waits takes its place. */
  readonly isYielding: boolean;
  /** The one that comes next: the newest that was asked for meanwhile. */
  readonly waiting: DeployAsk | null;
  /** The version that serves, or served last. */
  readonly live: LiveDeploy | null;
  /** False while the service is suspended, and before its first version is live. */
  readonly isServing: boolean;
  /** The newest commit of the branch that was acted upon, or passed over. */
  readonly seenCommit: string | null;
  /** Whether its history says that its disk is nearly full. */
  readonly isDiskHigh: boolean;
  /** Milliseconds. */
  readonly at: number;
}

/** Everything that a service takes. Times in milliseconds. */
export type ServiceInbox =
  | ({ readonly type: 'DEPLOY.ASKED'; readonly at: number } & DeployAsk)
  | { readonly type: 'DEPLOY.CANCELED'; readonly deployId: string; readonly at: number }
  | ({ readonly type: 'DEPLOY.LIVE'; readonly at: number } & LiveDeploy)
  | {
      readonly type: 'DEPLOY.ENDED';
      readonly deployId: string;
      /** `null` when the source was not fetched. */
      readonly commit: Deploy['commit'];
      readonly at: number;
    }
  | {
      readonly type: 'SERVICE.CHANGED';
      /** The whole record, as it is from now on. */
      readonly service: Service;
      /** The deploy that brings the change to what serves; none where it needs none. */
      readonly ask: DeployAsk | null;
      readonly at: number;
    }
  | {
      readonly type: 'ENV.REPLACED';
      readonly sealedEnv: string;
      readonly ask: DeployAsk;
      readonly at: number;
    }
  | {
      readonly type: 'BRANCH.MOVED';
      readonly commitId: string;
      /** Its author asked in the message that it be passed over. */
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

/** A service on its first day. */
export function newService({ input }: { readonly input: ServiceInput }): ServiceContext {
  const { service, sealedEnv, first, orderHash, at } = input;
  return {
    ...{ service, sealedEnv, first, orderHash, at },
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

/** Whether the disk turned high, or recovered, with this event. */
export function diskTurnIn(
  { isDiskHigh }: ServiceContext,
  event: ServiceInbox,
): ReturnType<typeof diskTurn> {
  return event.type === 'DISK.MEASURED' ? diskTurn(isDiskHigh, event) : undefined;
}

/** The deploy that an event asks for. */
export function askIn(context: ServiceContext, event: ServiceInbox): DeployAsk | null {
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
 * What a newer deploy has to do instead of the one that it pushes out of the waiting place: a
 * commit that waited is not forgotten over a change of settings, nor is a cleared cache.
 */
export function joined(newer: DeployAsk, older: DeployAsk | null): DeployAsk {
  if (older === null) return newer;
  const source = newer.source.kind === 'same' ? older.source : newer.source;
  return { ...newer, source, clearCache: newer.clearCache || older.clearCache };
}

/**
 * Whether an event takes the place of the deploy that is at work: an order does, as nothing else
 * ends a build or a start that never ends. A push waits, or frequent ones would let none through.
 */
export function takesPlace(event: ServiceInbox): boolean {
  return event.type !== 'BRANCH.MOVED';
}

/** Whether its program ended too often, and nobody else suspended it. */
export function isCrashed({ service }: Pick<ServiceContext, 'service'>): boolean {
  return isSuspendedByCrashes(service);
}

/** Whether instances of a service run, or a deploy is about to start some. */
export function holdsRoom(context: Pick<ServiceContext, 'isServing' | 'current'>): boolean {
  return context.isServing || context.current !== null;
}

/** What `same` stands for now. */
export function resolved({ live }: ServiceContext, source: DeploySource): DeploySource {
  if (source.kind !== 'same') return source;
  if (live === null) return { kind: 'branch' };
  const { releaseId, commit } = live;
  return { kind: 'release', releaseId, commit };
}

/** The message that makes a deploy. */
export function deployOrder(
  context: ServiceContext,
  ask: DeployAsk,
  { mustWait, at }: { readonly mustWait: boolean; readonly at: number },
): ActorCreate {
  const { service, sealedEnv } = context;
  const { deployId, trigger, clearCache } = ask;
  const source = mustWait ? ask.source : resolved(context, ask.source);
  const input: DeployInput = {
    ...{ deployId, trigger, clearCache, service, sealedEnv, source, mustWait, at },
  };
  return { type: 'actor.create', to: deployId, kind: 'deploy', input };
}

/** A message to a deploy. */
export function toDeploy(to: string, event: ActorSend['event']): ActorSend {
  return { type: 'actor.send', to, event };
}
