import { AppError } from '../../domain/common/error.ts';
import type { HostingProvider } from '../../domain/hosting/hosting.ts';
import { kindOfId } from '../../domain/hosting/ids.ts';
import type { Grant } from '../../domain/tool/tool.ts';
import { parameterError } from '../../tools/hosting/parameter-error.ts';
import { requireGranted } from '../../tools/hosting/workspace/workspace.ts';
import { ALL_GROUPS, HOST_GROUP } from '../../tools/service/tool-groups.ts';

/**
 * The effect of an operation. `reads` changes nothing, and `changes` does what tools can also do.
 * `host` does what only a second host needs and no tool offers.
 */
export type ApiAct = 'reads' | 'changes' | 'host';

/** The toolset that every token includes. */
const ALWAYS_GRANTED = 'workspaces';

/** The requirements of an operation. */
interface GrantRequirement {
  readonly operation: string;
  readonly toolset: string;
  readonly act: ApiAct;
}

/**
 * Checks an operation against the caller's grant, with the same rules as tools. An operation that
 * no tool offers requires the toolset `host`, which a token must name explicitly.
 *
 * @throws {AppError} `FORBIDDEN`
 */
export function requireGrant(grant: Grant | undefined, needed: GrantRequirement): void {
  const { operation, toolset, act } = needed;
  if (grant === undefined) return;
  const { tokenId, toolsets = [ALL_GROUPS], isReadOnly = false } = grant;
  const isServed =
    toolset === ALWAYS_GRANTED || toolsets.includes(ALL_GROUPS) || toolsets.includes(toolset);
  const isHost = act !== 'host' || toolsets.includes(HOST_GROUP);
  if (isServed && isHost && (act === 'reads' || !isReadOnly)) return;
  const needs = act === 'host' ? `${toolset} and ${HOST_GROUP}` : toolset;
  const message =
    `The token ${tokenId} does not include ${operation} (toolset ${needs}). It includes: ` +
    `${toolsets.join(', ')}${isReadOnly ? ', read-only' : ''}.`;
  const data = { received: operation, allowed: { toolsets, read_only: isReadOnly } };
  throw new AppError('FORBIDDEN', { message, data });
}

/**
 * Checks which resources of a provider a caller may access. For a token of one workspace, resources
 * of other workspaces look the same as missing ones.
 */
export class ApiReach {
  readonly grant: Grant | undefined;
  readonly #provider: HostingProvider;

  constructor(provider: HostingProvider, grant: Grant | undefined) {
    this.#provider = provider;
    this.grant = grant;
  }

  /** @throws {AppError} `FORBIDDEN` for a workspace that the token does not include. */
  requireWorkspace(id: string, path = 'ownerId'): void {
    requireGranted(id, this.grant, path);
  }

  /** @throws {AppError} `RESOURCE_UNKNOWN` */
  async requireService(id: string): Promise<void> {
    await this.#requireOwner(id, 'serviceId', () => this.#provider.services.get(id));
  }

  /** @throws {AppError} `RESOURCE_UNKNOWN` */
  async requirePostgres(id: string): Promise<void> {
    await this.#requireOwner(id, 'postgresId', () => this.#provider.postgres.get(id));
  }

  /** @throws {AppError} `RESOURCE_UNKNOWN` */
  async requireKeyValue(id: string): Promise<void> {
    await this.#requireOwner(id, 'keyValueId', () => this.#provider.keyValue.get(id));
  }

  /**
   * Checks access to a resource of any kind, by the prefix of its id.
   *
   * @throws {AppError} `RESOURCE_UNKNOWN`
   */
  async requireResource(id: string, path: string): Promise<void> {
    await this.#requireOwner(id, path, () => this.findResource(id));
  }

  /** @throws {AppError} `RESOURCE_UNKNOWN` */
  async findResource(id: string): Promise<{ readonly ownerId: string }> {
    const { services, postgres, keyValue } = this.#provider;
    const kind = kindOfId(id);
    if (kind === 'postgres') return postgres.get(id);
    return kind === 'key_value' ? keyValue.get(id) : services.get(id);
  }

  async #requireOwner(id: string, path: string, find: () => Promise<{ readonly ownerId: string }>) {
    const own = this.grant?.workspaceId;
    // For an unrestricted caller, the provider itself reports an unknown id.
    if (own === undefined || (await find()).ownerId === own) return;
    const allowed = `a resource of ${own}`;
    throw parameterError({ path, received: id, allowed }, 'RESOURCE_UNKNOWN');
  }
}
