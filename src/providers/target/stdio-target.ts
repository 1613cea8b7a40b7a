import { rm } from 'node:fs/promises';
import type { TargetAddress } from '../../domain/audit/records.ts';
import { AppError } from '../../domain/error.ts';
import type {
  AuditTarget,
  ConnectOptions,
  OpenTarget,
  TargetConnection,
  TargetSpending,
} from '../../domain/ports/audit-target.ts';
import { Spending } from './spending.ts';
import { StdioConnection } from './stdio-connection.ts';
import { makeSurroundings, type Surroundings } from './surroundings.ts';

/** Processes of one target that live at once. */
const PROCESSES_MAX = 8;

/** A program that the operator allows to be audited. */
export interface AllowedCommand {
  /** What buyers call it. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly workingDirectory?: string;
}

type StdioAddress = Extract<TargetAddress, { kind: 'mcp_stdio' }>;

/**
 * Opens a target that is a program. No process runs before the first connection.
 *
 * @param owner - Whose its home is; see `sweepSurroundings`.
 * @throws {AppError} `AUDIT_TARGET_UNKNOWN`
 */
export async function openStdioTarget(
  address: StdioAddress,
  how: OpenTarget,
  commands: readonly AllowedCommand[],
  owner?: string,
): Promise<AuditTarget> {
  const command = commands.find(({ name }) => name === address.name);
  if (command === undefined) {
    throw new AppError('AUDIT_TARGET_UNKNOWN', {
      data: { received: address.name, allowed: commands.map(({ name }) => name) },
    });
  }
  return new StdioTarget(address, how, {
    command,
    surroundings: await makeSurroundings(how.canarySeed, owner),
  });
}

interface StdioParts {
  readonly command: AllowedCommand;
  readonly surroundings: Surroundings;
}

class StdioTarget implements AuditTarget {
  readonly address: StdioAddress;
  readonly origin: string;
  readonly pinnedAddress = null;
  readonly hasCredentials = false;
  readonly exchange = undefined;
  readonly #parts: StdioParts;
  readonly #spending: Spending;
  readonly #connections = new Set<StdioConnection>();
  #ordinal = 0;

  constructor(address: StdioAddress, how: OpenTarget, parts: StdioParts) {
    this.address = address;
    this.origin = `stdio:${address.name}`;
    this.#parts = parts;
    this.#spending = new Spending(how.limits, how.signal);
    // A stop from outside must leave no process, whether or not anybody closes afterwards.
    this.#spending.signal.addEventListener('abort', () => void this.#endAll(), { once: true });
  }

  async connect(options: ConnectOptions = {}): Promise<TargetConnection> {
    this.#spending.checkStopped();
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
    await connection.begin(options);
    return connection;
  }

  spent(): TargetSpending {
    return this.#spending.spent();
  }

  async close(): Promise<void> {
    this.#spending.stop();
    await this.#endAll();
    await rm(this.#parts.surroundings.home, { recursive: true, force: true });
  }

  async #endAll(): Promise<void> {
    await Promise.allSettled([...this.#connections].map((one) => one.close()));
  }
}
