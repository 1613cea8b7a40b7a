import { type DiskUsage, detectDiskLevelChange } from '../../domain/hosting/disk.ts';
import { kindOfId } from '../../domain/hosting/ids.ts';
import type { Services } from '../common/services.ts';
import type { HostingDirectory } from './hosting-directory.ts';

type Ports = Pick<Services, 'clock' | 'engine'> & { readonly directory: HostingDirectory };

/**
 * Notifies services when their disk usage becomes high or recovers. Measurements without a change
 * are not sent, so that journals do not grow with them.
 */
export class DiskLevels {
  readonly #parts: Ports;
  #listHigh: Promise<Set<string>> | undefined;

  constructor(parts: Ports) {
    this.#parts = parts;
  }

  /** Lists existing services whose disk usage was high when last measured, running or not. */
  async high(): Promise<readonly string[]> {
    const high = await this.#loadHigh();
    const there = new Set((await this.#parts.directory.services()).map(({ id }) => id));
    for (const id of high) if (!there.has(id)) high.delete(id);
    return [...high];
  }

  /** Processes a measurement. Databases have no disk events and are ignored. */
  async recordMeasurement(id: string, usage: DiskUsage): Promise<void> {
    const kind = kindOfId(id);
    if (kind !== 'service' && kind !== 'cron_job') return;
    const { engine, directory, clock } = this.#parts;
    const high = await this.#loadHigh();
    const found = await directory.service(id).catch(() => undefined);
    if (found === undefined) return;
    const turn = detectDiskLevelChange(found.context.isDiskHigh, usage);
    if (turn === undefined) return;
    await engine.tell(id, { type: 'DISK.MEASURED', ...usage, at: clock.now() });
    if (turn === 'high') high.add(id);
    else high.delete(id);
  }

  #loadHigh(): Promise<Set<string>> {
    this.#listHigh ??= this.#read().catch((thrown: unknown) => {
      this.#listHigh = undefined;
      throw thrown;
    });
    return this.#listHigh;
  }

  async #read(): Promise<Set<string>> {
    const { directory } = this.#parts;
    const found = new Set<string>();
    for (const { id } of await directory.services()) {
      const service = await directory.service(id).catch(() => undefined);
      if (service?.context.isDiskHigh === true) found.add(id);
    }
    return found;
  }
}
