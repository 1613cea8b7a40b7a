import { rm } from 'node:fs/promises';
import type {
  AuditTarget,
  ConnectOptions,
  OpenTarget,
  TargetConnection,
  TargetSpending,
} from '../../domain/audit/audit-target.ts';
import type { TargetAddress } from '../../domain/audit/records.ts';
import { AppError } from '../../domain/common/error.ts';
import type { AllowedCommand } from './audit-settings.ts';
import { createProcessEnvironment, type ProcessEnvironment } from './process-environment.ts';
import { SpendingBudget } from './spending-budget.ts';
import { StdioConnection } from './stdio-connection.ts';
import type { SandboxedProgram, TargetSandbox } from './stdio-sandbox.ts';

/** Most concurrent processes of one target. */
const PROCESSES_MAX = 8;

type StdioAddress = Extract<TargetAddress, { kind: 'mcp_stdio' }>;

/** The dependencies of stdio targets. */
export interface StdioTargetDeps {
  readonly commands: readonly AllowedCommand[];
  readonly sandbox: TargetSandbox;
  /** Owner of the home folders. See `removeLeftovers`. */
  readonly owner?: string;
}

/**
 * Finds an allowed program by its name.
 *
 * @throws {AppError} `AUDIT_TARGET_UNKNOWN`
 */
export function findCommand(
  { name }: StdioAddress,
  commands: readonly AllowedCommand[],
): AllowedCommand {
  const command = commands.find((each) => each.name === name);
  if (command !== undefined) return command;
  const allowed = commands.map((each) => each.name);
  throw new AppError('AUDIT_TARGET_UNKNOWN', { data: { received: name, allowed } });
}

/**
 * Opens a program as a target. It does not run before the first connection.
 *
 * @throws {AppError} `AUDIT_TARGET_UNKNOWN`; `NOT_CONFIGURED` if no sandbox is available, and other
 *   errors of creating the sandbox.
 */
export async function openStdioTarget(
  address: StdioAddress,
  how: OpenTarget,
  { commands, sandbox, owner }: StdioTargetDeps,
): Promise<AuditTarget> {
  const command = findCommand(address, commands);
  const surroundings = await createProcessEnvironment(how.canarySeed, owner);
  if (command.isTrusted === true) return new StdioTarget(address, how, { command, surroundings });
  const ports = (how.listeners ?? []).map((origin) => Number(new URL(origin).port));
  try {
    const sandboxedProgram = await sandbox.open(command, surroundings.home, ports);
    return new StdioTarget(address, how, { command, surroundings, sandboxedProgram });
  } catch (thrown) {
    await rm(surroundings.home, { recursive: true, force: true });
    throw thrown;
  }
}

interface StdioTargetParts {
  readonly command: AllowedCommand;
  readonly surroundings: ProcessEnvironment;
  /** The sandbox; absent for trusted programs. */
  readonly sandboxedProgram?: SandboxedProgram;
}

class StdioTarget implements AuditTarget {
  readonly address: StdioAddress;
  readonly origin: string;
  readonly pinnedAddress = null;
  readonly hasCredentials = false;
  readonly exchange = undefined;
  readonly #parts: StdioTargetParts;
  readonly #spending: SpendingBudget;
  readonly #connections = new Set<StdioConnection>();
  #ordinal = 0;

  constructor(address: StdioAddress, how: OpenTarget, parts: StdioTargetParts) {
    this.address = address;
    this.origin = `stdio:${address.name}`;
    this.#parts = parts;
    this.#spending = new SpendingBudget(how.limits, how.signal);
    // An external stop must leave no process, even if nobody calls `close` afterwards.
    this.#spending.signal.addEventListener('abort', () => void this.#closeAll(), { once: true });
  }

  async connect(options: ConnectOptions = {}): Promise<TargetConnection> {
    this.#spending.requireRunning();
    for (const one of this.#connections) if (one.isClosed) this.#connections.delete(one);
    const [oldest] = this.#connections;
    if (this.#connections.size >= PROCESSES_MAX) {
      await oldest?.close();
      if (oldest !== undefined) this.#connections.delete(oldest);
    }
    this.#ordinal += 1;
    const connection = new StdioConnection({
      ...this.#parts,
      spending: this.#spending,
      ordinal: this.#ordinal,
    });
    this.#connections.add(connection);
    await connection.initialize(options);
    return connection;
  }

  spent(): TargetSpending {
    return this.#spending.spent();
  }

  async close(): Promise<void> {
    this.#spending.stop();
    await this.#closeAll();
    await this.#parts.sandboxedProgram?.close();
    await rm(this.#parts.surroundings.home, { recursive: true, force: true });
  }

  async #closeAll(): Promise<void> {
    await Promise.allSettled([...this.#connections].map((one) => one.close()));
  }
}
