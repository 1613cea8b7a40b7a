import type { AuditTargets } from '../../domain/ports/audit-target.ts';
import { type Resolve, systemResolve } from '../net/connector.ts';
import { openHttpTarget } from './http-target.ts';
import { openListener } from './listener.ts';
import { type AllowedCommand, openStdioTarget } from './stdio-target.ts';

/** What the way to targets is made with. */
export interface AuditTargetsOptions {
  /** Loopback and internal addresses may be audited: the operator's own, and those of tests. */
  readonly allowInternal: boolean;
  /** Programs that may be audited, by name. */
  readonly commands: readonly AllowedCommand[];
  /** Hosts that are never audited: our own public one, the chain's, the language models'. */
  readonly denyHosts?: readonly string[];
  readonly resolve?: Resolve;
}

/**
 * Makes the one way to targets of audits: streamable HTTP and agent cards at addresses that are
 * vetted and pinned, and programs that the operator allows.
 *
 * @example
 * const targets = createAuditTargets({ allowInternal: false, commands: [] });
 */
export function createAuditTargets(options: AuditTargetsOptions): AuditTargets {
  const { allowInternal, commands, denyHosts, resolve = systemResolve } = options;
  const rules = { allowInternal, resolve, ...(denyHosts === undefined ? {} : { denyHosts }) };
  return {
    open: async (address, how) =>
      address.kind === 'mcp_stdio'
        ? await openStdioTarget(address, how, commands)
        : await openHttpTarget(address, how, rules),
    commands: () => commands.map(({ name }) => name),
    listen: async () => (allowInternal ? await openListener() : undefined),
  };
}
