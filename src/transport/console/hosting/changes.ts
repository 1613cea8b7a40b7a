import type { HostingProvider } from '../../../domain/hosting/hosting.ts';
import { kindOfId } from '../../../domain/hosting/ids.ts';
import type { HostingChanged } from '../../../domain/inspect/hosting.ts';
import { INPUT_CHARS_MAX } from '../../../tools/hosting/inputs.ts';
import {
  AllowListBody,
  DeployBody,
  EnvBody,
  NoBody,
  readChange,
  SettingsBody,
} from './change-bodies.ts';
import { noSuchAddress } from './resources.ts';

/** A completed change, with the operator's log text, which never contains values. */
export interface Change extends HostingChanged {
  readonly told: string;
}

/**
 * Performs a change.
 *
 * @param parts - The decoded segments of the path after `/inspect/hosting/`.
 * @throws {AppError} `INPUT_INVALID`, `RESOURCE_UNKNOWN`, and the errors of the provider.
 */
export function hostingChange(
  provider: HostingProvider,
  parts: readonly string[],
  body: Buffer,
): Promise<Change> {
  const [place, id = '', what, deployId, move] = parts;
  if (id === '' || parts.some((part) => part.length > INPUT_CHARS_MAX.id)) {
    throw noSuchAddress(parts);
  }
  if (place === 'services' && parts.length === 3) return ofService(provider, id, parts, body);
  if (place === 'databases' && what === 'allow-list' && parts.length === 3) {
    return setAllowList(provider, id, body);
  }
  if (place === 'services' && what === 'deploys' && deployId !== undefined && parts.length === 5) {
    readChange(NoBody, body, false);
    if (move === 'cancel') return cancel(provider, id, deployId);
    if (move === 'rollback') return rollBack(provider, id, deployId);
  }
  throw noSuchAddress(parts);
}

async function ofService(
  { services, deploys }: HostingProvider,
  id: string,
  parts: readonly string[],
  body: Buffer,
): Promise<Change> {
  const what = parts[2] ?? '';
  switch (what) {
    case 'settings': {
      const patch = readChange(SettingsBody, body, false);
      const { deployId } = await services.update(id, patch);
      return change(`changed ${Object.keys(patch).join(', ')} of ${id}`, deployId);
    }
    case 'env': {
      const { envVars } = readChange(EnvBody, body, true);
      const { deployId } = await services.replaceEnvVars(id, envVars);
      return change(`replaced the variables of ${id} (now ${envVars.length})`, deployId);
    }
    case 'deploy': {
      const { clearCache } = readChange(DeployBody, body, false);
      const deploy = await deploys.trigger(id, { clearCache, trigger: 'manual' });
      return change(`deployed ${id}`, deploy.id);
    }
    case 'restart':
      readChange(NoBody, body, false);
      await services.restart(id);
      return change(`restarted ${id}`, undefined);
    default:
      throw noSuchAddress(parts);
  }
}

async function cancel({ deploys }: HostingProvider, id: string, deployId: string): Promise<Change> {
  await deploys.cancel(id, deployId);
  return change(`canceled ${deployId} of ${id}`, undefined);
}

async function rollBack(
  { deploys }: HostingProvider,
  id: string,
  deployId: string,
): Promise<Change> {
  const deploy = await deploys.rollback(id, deployId);
  return change(`rolled ${id} back to ${deployId}`, deploy.id);
}

async function setAllowList(
  { postgres, keyValue }: HostingProvider,
  id: string,
  body: Buffer,
): Promise<Change> {
  const { ranges } = readChange(AllowListBody, body, false);
  const store = kindOfId(id) === 'key_value' ? keyValue : postgres;
  await store.setAllowList(id, ranges);
  return change(`replaced the allowlist of ${id} (now ${ranges.length} ranges)`, undefined);
}

function change(told: string, deployId: string | undefined): Change {
  return { told, deployId: deployId ?? null };
}
