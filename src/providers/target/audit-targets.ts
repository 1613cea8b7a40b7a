import type { AuditTargets } from '../../domain/audit/audit-target.ts';
import { type Resolve, resolveWithSystem } from '../net/http-client.ts';
import type { AllowedCommand } from './audit-settings.ts';
import { startCanaryListener } from './canary-listener.ts';
import { openHttpTarget } from './http-target.ts';
import { removeLeftovers } from './process-environment.ts';
import { createTargetSandbox, requireSandbox, type TargetSandbox } from './stdio-sandbox.ts';
import { findCommand, openStdioTarget } from './stdio-target.ts';

/** Options for the access to audit targets. */
export interface AuditTargetsOptions {
  /**
   * Which loopback and internal addresses may be audited, for the operator and tests: all of them,
   * or exact `host:port` pairs.
   */
  readonly allowInternal: boolean | readonly string[];
  /** Programs that may be audited, by name. */
  readonly commands: readonly AllowedCommand[];
  /** Hosts that are never audited: our own public host, the chain's and the language models'. */
  readonly denyHosts?: readonly string[];
  readonly resolve?: Resolve;
  /** Replaces the sandbox of this machine. */
  readonly sandbox?: TargetSandbox;
  /**
   * Owner of the processes, such as the data folder. Leftovers of an earlier run are stopped at
   * once, before the first program starts.
   */
  readonly owner?: string;
}

/**
 * Creates the only access to audit targets: streamable HTTP and agent cards at checked and pinned
 * addresses, and programs that the operator allows.
 *
 * @example
 * const targets = createAuditTargets({ allowInternal: false, commands: [] });
 */
export function createAuditTargets(options: AuditTargetsOptions): AuditTargets {
  const { allowInternal, commands, denyHosts, resolve = resolveWithSystem, owner } = options;
  const { sandbox = createTargetSandbox(owner) } = options;
  const sweep = owner === undefined ? undefined : removeLeftovers(owner);
  const stdioDeps = { commands, sandbox, ...(owner === undefined ? {} : { owner }) };
  const rules = { allowInternal, resolve, ...(denyHosts === undefined ? {} : { denyHosts }) };
  return {
    open: async (address, how) => {
      if (address.kind !== 'mcp_stdio') return await openHttpTarget(address, how, rules);
      await sweep;
      return await openStdioTarget(address, how, stdioDeps);
    },
    requireOpenable: (address) => {
      if (address.kind !== 'mcp_stdio') return;
      requireSandbox(findCommand(address, commands), sandbox);
    },
    listen: async ({ kind }) =>
      kind === 'mcp_stdio' || allowInternal === true ? await startCanaryListener() : undefined,
  };
}
