import { sha256Hex } from '../../domain/common/hash.ts';
import type { FailureReason } from '../../domain/hosting/event-types.ts';
import type { Deploy, DeployTrigger, Service } from '../../domain/hosting/records.ts';

/** What a deploy is made from: the newest commit of the branch, one commit, or a kept build. */
export type DeploySource =
  | { readonly kind: 'branch' }
  | { readonly kind: 'commit'; readonly commitId: string }
  | { readonly kind: 'release'; readonly releaseId: string; readonly commit: Deploy['commit'] }
  /** The build that serves when its turn comes; the branch where none does. */
  | { readonly kind: 'same' };

/** What a deploy actor is created with. */
export interface DeployInput {
  readonly deployId: string;
  readonly trigger: DeployTrigger;
  readonly clearCache: boolean;
  /** The service as it was when the deploy was asked for. */
  readonly service: Service;
  /** Its variables, encrypted. */
  readonly sealedEnv: string;
  readonly source: DeploySource;
  /** Another deploy of the service is at work: this one waits for its turn. */
  readonly mustWait: boolean;
  /** Milliseconds. */
  readonly at: number;
}

/** What every effect of a deploy is given. */
export interface DeployWork {
  readonly deployId: string;
  readonly service: Service;
  readonly sealedEnv: string;
  readonly clearCache: boolean;
  readonly source: DeploySource;
  /** Names the folder of the build. */
  readonly releaseId: string;
  readonly commit: Deploy['commit'];
  /** Instances that are to serve from the cut-over on; none of a site or a cron job. */
  readonly instanceIds: readonly string[];
}

/** How a piece of work ended. `at`: milliseconds. */
export type WorkEnd =
  | { readonly ok: true; readonly at: number; readonly commit?: NonNullable<Deploy['commit']> }
  | { readonly ok: false; readonly at: number; readonly reason: FailureReason };

/** An instance as its deploy knows it. */
export interface DeployInstance {
  readonly instanceId: string;
  readonly isHealthy: boolean;
}

/** Memory of a deploy. */
export interface DeployContext {
  readonly input: DeployInput;
  readonly source: DeploySource;
  readonly commit: Deploy['commit'];
  readonly reason: FailureReason | null;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  /** Counts the rounds of instances: a restart makes a new one beside the old one. */
  readonly round: number;
  /** Those of the round that is being started, or serves. */
  readonly instances: readonly DeployInstance[];
  /** Those of the round before, which serve until the new ones do. */
  readonly former: readonly string[];
}

/** Everything that a deploy takes. Times in milliseconds. */
export type DeployEvent =
  | { readonly type: 'TURN.COME'; readonly source: DeploySource; readonly at: number }
  /** `by`: the newer deploy that takes its place; absent where somebody cancels it. */
  | { readonly type: 'CANCEL'; readonly by?: string; readonly at: number }
  | { readonly type: 'DEPLOY.REPLACED'; readonly at: number }
  | { readonly type: 'RESTART'; readonly at: number }
  | { readonly type: 'INSTANCE.HEALTHY'; readonly instanceId: string; readonly at: number }
  | {
      readonly type: 'INSTANCE.FAILED';
      readonly instanceId: string;
      readonly reason: FailureReason;
      readonly at: number;
    }
  | {
      readonly type: `xstate.done.actor.${'fetch' | 'build' | 'preDeploy' | 'cutOver'}`;
      readonly output: WorkEnd;
    }
  | { readonly type: `xstate.error.actor.${string}`; readonly error: unknown };

/** A deploy on its first day. */
export function askedDeploy({ input }: { readonly input: DeployInput }): DeployContext {
  return {
    input,
    source: input.source,
    commit: input.source.kind === 'release' ? input.source.commit : null,
    reason: null,
    startedAt: null,
    finishedAt: null,
    round: 0,
    instances: [],
    former: [],
  };
}

/** Names the build of a deploy: its own, or the one that is served again. */
export function releaseOf({ input, source }: DeployContext): string {
  return source.kind === 'release' ? source.releaseId : input.deployId;
}

/** Names the build of a deploy in events. */
export function buildIdOf({ input }: DeployContext): string {
  return input.deployId.replace(/^dep-/, 'bld-');
}

/** How many instances a service of this kind has. */
export function instancesWanted({ input }: DeployContext): number {
  const { service } = input;
  return service.type === 'web_service' ? service.serviceDetails.numInstances : 0;
}

/** The names of a round's instances, such as `srv-…-4f1c2a90bd`. */
export function roundOf(context: DeployContext, round: number): readonly string[] {
  const { deployId, service } = context.input;
  return Array.from({ length: instancesWanted(context) }, (_, at) => {
    return `${service.id}-${sha256Hex(`${deployId}/${round}/${at}`).slice(0, 10)}`;
  });
}

/** What the effects of a deploy are given now. */
export function workOf({ context }: { readonly context: DeployContext }): DeployWork {
  const { deployId, service, sealedEnv, clearCache } = context.input;
  return {
    ...{ deployId, service, sealedEnv, clearCache },
    source: context.source,
    releaseId: releaseOf(context),
    commit: context.commit,
    instanceIds: context.instances.map(({ instanceId }) => instanceId),
  };
}

/** How the work went that an event tells the end of. */
export function endOf(event: DeployEvent): WorkEnd | undefined {
  return 'output' in event ? event.output : undefined;
}

/** Why it failed, from whatever told of it. */
export function reasonOf(event: DeployEvent): FailureReason | null {
  if (event.type === 'CANCEL') {
    return event.by === undefined ? null : { evicted: `${event.by} took its place` };
  }
  if (event.type === 'INSTANCE.FAILED') return event.reason;
  const end = endOf(event);
  if (end !== undefined) return end.ok ? null : end.reason;
  return 'error' in event ? { evicted: 'the machine could not go on with it' } : null;
}

/** When it happened, where the event says it. */
export function timeOf(event: DeployEvent): number | null {
  return 'at' in event ? event.at : (endOf(event)?.at ?? null);
}
