import type { HostingProvider } from '../../../domain/hosting/hosting.ts';
import { kindOfId } from '../../../domain/hosting/ids.ts';
import { INPUT_CHARS_MAX } from '../../../domain/hosting/input-text.ts';
import { ServicePatch } from '../../../domain/hosting/service-patch.ts';
import type { HostedConnection, HostingChangeResult } from '../../../domain/inspect/hosting.ts';
import {
  AllowListBody,
  DeployBody,
  EnvBody,
  NoBody,
  parseChange,
  RemovalBody,
  requireName,
  SuspensionBody,
} from './change-bodies.ts';
import { unknownPath } from './resources.ts';

/** A completed change. */
export interface Change {
  /** The operator's log text, which never contains values. */
  readonly summary: string;
  readonly answer: HostingChangeResult | HostedConnection;
}

/**
 * Performs a change.
 *
 * @param parts - The decoded segments of the path after `/inspect/hosting/`.
 * @throws {AppError} `INPUT_INVALID`, `RESOURCE_UNKNOWN`, and the errors of the provider.
 */
export function applyChange(
  provider: HostingProvider,
  parts: readonly string[],
  body: Buffer,
): Promise<Change> {
  const [collection, id = '', what, deployId, move] = parts;
  if (id === '' || parts.some((part) => part.length > INPUT_CHARS_MAX.id)) {
    throw unknownPath(parts);
  }
  if (collection === 'services' && parts.length === 3)
    return changeService(provider, id, parts, body);
  if (collection === 'databases' && parts.length === 3)
    return changeDatabase(provider, id, parts, body);
  if (
    collection === 'services' &&
    what === 'deploys' &&
    deployId !== undefined &&
    parts.length === 5
  ) {
    parseChange(NoBody, body, false);
    if (move === 'cancel') return cancel(provider, id, deployId);
    if (move === 'rollback') return rollBack(provider, id, deployId);
  }
  throw unknownPath(parts);
}

async function changeService(
  { services, deploys }: HostingProvider,
  id: string,
  parts: readonly string[],
  body: Buffer,
): Promise<Change> {
  const what = parts[2] ?? '';
  switch (what) {
    case 'settings': {
      const patch = parseChange(ServicePatch, body, false);
      const { deployId } = await services.update(id, patch);
      return toChange(`changed ${Object.keys(patch).join(', ')} of ${id}`, deployId);
    }
    case 'env': {
      const { envVars } = parseChange(EnvBody, body, true);
      const { deployId } = await services.replaceEnvVars(id, envVars);
      return toChange(`replaced the variables of ${id} (now ${envVars.length})`, deployId);
    }
    case 'deploy': {
      const { clearCache } = parseChange(DeployBody, body, false);
      const deploy = await deploys.trigger(id, { clearCache, trigger: 'manual' });
      return toChange(`deployed ${id}`, deploy.id);
    }
    case 'restart':
      parseChange(NoBody, body, false);
      await services.restart(id);
      return toChange(`restarted ${id}`);
    case 'remove': {
      const { name } = parseChange(RemovalBody, body, false);
      requireName(name, (await services.get(id)).name);
      await services.remove(id);
      return toChange(`deleted ${id}`);
    }
    default:
      throw unknownPath(parts);
  }
}

async function cancel({ deploys }: HostingProvider, id: string, deployId: string): Promise<Change> {
  await deploys.cancel(id, deployId);
  return toChange(`canceled ${deployId} of ${id}`);
}

async function rollBack(
  { deploys }: HostingProvider,
  id: string,
  deployId: string,
): Promise<Change> {
  const deploy = await deploys.rollback(id, deployId);
  return toChange(`rolled ${id} back to ${deployId}`, deploy.id);
}

async function changeDatabase(
  { postgres, keyValue }: HostingProvider,
  id: string,
  parts: readonly string[],
  body: Buffer,
): Promise<Change> {
  const store = kindOfId(id) === 'key_value' ? keyValue : postgres;
  const what = parts[2] ?? '';
  switch (what) {
    case 'allow-list': {
      const { ranges } = parseChange(AllowListBody, body, false);
      await store.setAllowList(id, ranges);
      return toChange(`replaced the allowlist of ${id} (now ${ranges.length} ranges)`);
    }
    case 'settings': {
      const { suspended } = parseChange(SuspensionBody, body, false);
      await store.setSuspended(id, suspended);
      return toChange(`${suspended ? 'suspended' : 'resumed'} ${id}`);
    }
    case 'connection': {
      parseChange(NoBody, body, false);
      const { internal, external } = await store.connection(id);
      return { summary: `showed the connection strings of ${id}`, answer: { internal, external } };
    }
    case 'remove': {
      const { name } = parseChange(RemovalBody, body, false);
      requireName(name, (await store.get(id)).name);
      await store.remove(id);
      return toChange(`deleted ${id}`);
    }
    default:
      throw unknownPath(parts);
  }
}

function toChange(summary: string, deployId?: string): Change {
  return { summary, answer: { deployId: deployId ?? null } };
}
