import { sha256Hex } from '../../../domain/common/hash.ts';
import type {
  Deploy,
  DeployTrigger,
  FailureReason,
  Service,
} from '../../../domain/hosting/records.ts';

/** Source of a deploy: the newest commit of the branch, one commit, or a stored build. */
export type DeploySource =
  | { readonly kind: 'branch' }
  | { readonly kind: 'commit'; readonly commitId: string }
  | { readonly kind: 'release'; readonly releaseId: string; readonly commit: Deploy['commit'] }
  /** The build that serves when the turn comes, or the branch if none does. */
  | { readonly kind: 'same' };

/** Input of a deploy actor. */
export interface DeployInput {
  readonly deployId: string;
  readonly trigger: DeployTrigger;
  readonly clearCache: boolean;
  /** Record of the service at the time of the request. */
  readonly service: Service;
  /** Encrypted environment variables. */
  readonly sealedEnv: string;
  readonly source: DeploySource;
  /** True if another deploy of the service is active and this one must wait. */
  readonly mustWait: boolean;
  /** Milliseconds. */
  readonly at: number;
}

/** Input of every deploy effect. */
export interface DeployEffectInput {
  readonly deployId: string;
  readonly service: Service;
  readonly sealedEnv: string;
  readonly clearCache: boolean;
  readonly source: DeploySource;
  /** Name of the build folder. */
  readonly releaseId: string;
  readonly commit: Deploy['commit'];
  /** Instances that serve after the cut-over; empty for static sites and cron jobs. */
  readonly instanceIds: readonly string[];
}

/** Output of a deploy effect. `at`: milliseconds. */
export type DeployEffectOutput =
  | { readonly ok: true; readonly at: number; readonly commit?: NonNullable<Deploy['commit']> }
  | { readonly ok: false; readonly at: number; readonly reason: FailureReason };

/** An instance as tracked by its deploy. */
export interface DeployInstance {
  readonly instanceId: string;
  readonly isHealthy: boolean;
}

/** Context of a deploy actor. */
export interface DeployContext {
  readonly input: DeployInput;
  readonly source: DeploySource;
  readonly commit: Deploy['commit'];
  readonly reason: FailureReason | null;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  /** Number of instance rounds; a restart creates a new round beside the old one. */
  readonly round: number;
  /** Instances of the round that is starting or serving. */
  readonly instances: readonly DeployInstance[];
  /** Instances of the previous round, which serve until the new ones are ready. */
  readonly former: readonly string[];
}

/** Events that a deploy accepts. Times in milliseconds. */
export type DeployEvent =
  | { readonly type: 'TURN.COME'; readonly source: DeploySource; readonly at: number }
  /** `by`: the newer deploy that replaces it; absent for a manual cancellation. */
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
      readonly output: DeployEffectOutput;
    }
  | { readonly type: `xstate.error.actor.${string}`; readonly error: unknown };

/** Creates the initial context of a deploy. */
export function createDeployContext({ input }: { readonly input: DeployInput }): DeployContext {
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

/** Returns the release id: the deploy's own build, or the stored build that is served again. */
export function releaseIdOf({ input, source }: DeployContext): string {
  return source.kind === 'release' ? source.releaseId : input.deployId;
}

/** Returns the build id used in history events. */
export function buildIdOf({ input }: DeployContext): string {
  return input.deployId.replace(/^dep-/, 'bld-');
}

/** Returns the number of instances for the service type. */
export function requiredInstances({ input }: DeployContext): number {
  const { service } = input;
  return service.type === 'web_service' ? service.serviceDetails.numInstances : 0;
}

/** Returns the instance ids of a round, such as `srv-…-4f1c2a90bd`. */
export function instanceIdsOfRound(context: DeployContext, round: number): readonly string[] {
  const { deployId, service } = context.input;
  return Array.from({ length: requiredInstances(context) }, (_, at) => {
    return `${service.id}-${sha256Hex(`${deployId}/${round}/${at}`).slice(0, 10)}`;
  });
}

/** Creates the input of the deploy effects. */
export function createDeployInput({
  context,
}: {
  readonly context: DeployContext;
}): DeployEffectInput {
  const { deployId, service, sealedEnv, clearCache } = context.input;
  return {
    deployId,
    service,
    sealedEnv,
    clearCache,
    source: context.source,
    releaseId: releaseIdOf(context),
    commit: context.commit,
    instanceIds: context.instances.map(({ instanceId }) => instanceId),
  };
}

/** Returns the output of a deploy effect in an event, if any. */
export function effectOutputOf(event: DeployEvent): DeployEffectOutput | undefined {
  return 'output' in event ? event.output : undefined;
}

/** Returns the failure reason in an event, or `null`. */
export function deployFailureReasonOf(event: DeployEvent): FailureReason | null {
  if (event.type === 'CANCEL') {
    return event.by === undefined ? null : { evicted: `${event.by} took its place` };
  }
  if (event.type === 'INSTANCE.FAILED') return event.reason;
  const end = effectOutputOf(event);
  if (end !== undefined) return end.ok ? null : end.reason;
  return 'error' in event ? { evicted: 'the machine could not go on with it' } : null;
}

/** Returns the time of an event, or `null`. */
export function deployEventTime(event: DeployEvent): number | null {
  return 'at' in event ? event.at : (effectOutputOf(event)?.at ?? null);
}
