import type { Sealer } from '../../../domain/common/sealer.ts';
import { DAY_MS } from '../../../domain/common/time.ts';
import type { ResolvedEnv } from '../../../domain/hosting/env-vars.ts';
import type { FailureReason, Service } from '../../../domain/hosting/records.ts';
import type { ServiceHost } from '../../../domain/hosting/service-host.ts';
import type { ServiceContext } from '../../../machines/hosting/service/context.ts';
import type { EffectContext } from '../../../runtime/engine/types.ts';
import { type ReferencedDatabases, resolveEnv, unsealEnv } from '../service-env.ts';

/** Journals grow for years, so old rows are trimmed. */
export const KEEP = { rows: 500, ageMs: 30 * DAY_MS } as const;
/** Host work resumes after a daemon restart, so a restart must not count as a failed attempt. */
export const ATTEMPTS = 1_000_000;
/** Longest watch of a program, in milliseconds. */
export const WATCH_MS = 400 * DAY_MS;
/** Maximum length of an error message in a failure reason. */
export const REASON_CHARS_MAX = 300;

/** Dependencies of the actors of services. */
export interface ServiceActorDeps {
  readonly host: ServiceHost;
  readonly sealer: Sealer;
  readonly databases: ReferencedDatabases;
  /** Returns the current context of a service. */
  readonly serviceOf: (serviceId: string) => Promise<ServiceContext>;
}

/** Opens the environment variables of a service and resolves their values. */
export function resolveSealedEnv(
  { sealer, databases }: ServiceActorDeps,
  { service, sealedEnv }: { readonly service: Service; readonly sealedEnv: string },
): Promise<ResolvedEnv> {
  return resolveEnv(databases, service, unsealEnv(sealer, service.id, sealedEnv));
}

/**
 * Adds the end time to a result. Turns an error into a failed result, unless the work was aborted.
 */
export async function runTimed<Outcome extends { readonly ok: boolean }>(
  { now, signal }: EffectContext,
  run: () => Promise<Outcome | FailedOutcome>,
): Promise<(Outcome | FailedOutcome) & { readonly at: number }> {
  try {
    return { ...(await run()), at: now() };
  } catch (thrown) {
    signal.throwIfAborted();
    const message = thrown instanceof Error ? thrown.message : 'unknown error';
    return { ok: false, at: now(), reason: { evicted: message.slice(0, REASON_CHARS_MAX) } };
  }
}

interface FailedOutcome {
  readonly ok: false;
  readonly reason: FailureReason;
}
