import { SECOND_MS } from '../../../../domain/common/time.ts';
import type { DatabaseOutcome } from '../../../../domain/hosting/database-host.ts';
import { isListening } from '../../../../system/ports.ts';
import type { Runner } from '../run/runner.ts';
import { runAdminCommand } from './admin.ts';
import type { InstanceData } from './instance-files.ts';
import { deriveUsers, type HostedKeyValue, isAllowedHere } from './settings.ts';

/** How long a server blocked by a tenant's script is retried, in milliseconds. */
const BUSY_MS = 30 * SECOND_MS;
/** Delay between retries at a busy server, in milliseconds. */
const RETRY_MS = 200;

/** The run of a server whose access is to be changed. */
export interface AccessRun {
  readonly runner: Runner;
  readonly name: string;
  readonly instanceData: InstanceData;
  readonly signal: AbortSignal;
}

/**
 * Opens or closes the external address of a running server according to its allowlist. Closing also
 * kills the connections of the external user. Data and other connections stay. Idempotent.
 */
export async function applyKeyValueAccess(
  run: AccessRun,
  database: HostedKeyValue,
): Promise<DatabaseOutcome> {
  const { name } = deriveUsers(database).external;
  const isOpen = isAllowedHere(database.record.ipAllowList);
  const commands = [
    `ACL SETUSER ${name} ${isOpen ? 'on' : 'off'}`,
    ...(isOpen ? [] : [`CLIENT KILL USER ${name}`]),
  ];
  for (const command of commands) {
    const response = await retryWhileBusy(run, command);
    if (!/^[+:]/.test(response)) {
      return { ok: false, reason: `it rejected its allowlist: ${response}`, isFinal: false };
    }
  }
  return { ok: true };
}

async function retryWhileBusy(
  { runner, name, instanceData, signal }: AccessRun,
  order: string,
): Promise<string> {
  const end = runner.now() + BUSY_MS;
  for (;;) {
    // The password must not be sent to another process on this port.
    if (!isListening(runner.pids(name), instanceData.port))
      return `it does not listen on port ${instanceData.port}`;
    const said = await runAdminCommand(instanceData, order);
    if (!said.startsWith('-BUSY') || runner.now() >= end) return said;
    await runner.pause(RETRY_MS, signal);
  }
}
