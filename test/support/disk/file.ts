/** What a disk writes whole or not at all, in bytes. */
export const SECTOR = 512;
/** What the system keeps and writes together, as a rule, in bytes. */
export const PAGE = 4_096;

/** How much of what was not synced is on a disk that lost its power. */
export type Survival = 'nothing' | 'sectors' | 'pages';

/**
 * A file as a disk may have it. Of every sector the disk has what was synced last, or anything that
 * was written there since.
 */
export class DiskFile {
  #synced = Buffer.alloc(0);
  #length = 0;
  readonly #pending = new Map<number, Version[]>();

  /** Bytes on their way to the disk since `at`. */
  write(at: number, offset: number, bytes: Buffer): Write {
    const write: Write = { isDone: false };
    const last = Math.floor((offset + bytes.length - 1) / SECTOR);
    for (let sector = Math.floor(offset / SECTOR); sector <= last; sector += 1) {
      const versions = this.#pending.get(sector) ?? [];
      const before = versions.at(-1)?.bytes ?? this.#sector(sector);
      const begin = Math.max(0, offset - sector * SECTOR);
      const from = Math.max(0, sector * SECTOR - offset);
      const next = Buffer.from(before);
      const copied = bytes.copy(next, begin, from, from + SECTOR - begin);
      const end = sector * SECTOR + begin + copied;
      versions.push({ at, write, bytes: next, end });
      this.#pending.set(sector, versions);
    }
    return write;
  }

  /** What a sync that begins now will have brought to the disk when it ends. */
  covered(): () => void {
    const covered = new Map<number, number>();
    for (const [sector, versions] of this.#pending) {
      const open = versions.findIndex(({ write }) => !write.isDone);
      covered.set(sector, open === -1 ? versions.length : open);
    }
    return () => {
      for (const [sector, count] of covered) this.#keep(sector, count);
    };
  }

  /** Brings the sectors of one write to the disk. */
  keep(write: Write): void {
    for (const [sector, versions] of this.#pending) {
      const at = versions.findIndex((version) => version.write === write);
      if (at >= 0) this.#keep(sector, at + 1);
    }
  }

  /** The bytes that a disk may have now. */
  image(survival: Survival, random: () => number): Buffer {
    const bytes = Buffer.from(this.#synced.subarray(0, this.#length));
    if (survival === 'nothing') return bytes;
    const chosen: Version[] = [];
    const moments = new Map<number, number>();
    for (const [sector, versions] of this.#pending) {
      const page = Math.floor((sector * SECTOR) / PAGE);
      if (survival === 'sectors') {
        const version = versions[Math.floor(random() * (versions.length + 1)) - 1];
        if (version !== undefined) chosen.push(placed(version, sector));
        continue;
      }
      const moment = moments.get(page) ?? momentOf(versions, random);
      moments.set(page, moment);
      const version = versions.findLast(({ at }) => at <= moment);
      if (version !== undefined) chosen.push(placed(version, sector));
    }
    const length = chosen.reduce((most, { end }) => Math.max(most, end), bytes.length);
    const image = Buffer.alloc(length);
    bytes.copy(image);
    for (const { start, bytes: written } of chosen as Placed[]) written.copy(image, start);
    return image;
  }

  #sector(sector: number): Buffer {
    const found = Buffer.alloc(SECTOR);
    this.#synced.subarray(sector * SECTOR, (sector + 1) * SECTOR).copy(found);
    return found;
  }

  #keep(sector: number, count: number): void {
    const versions = this.#pending.get(sector) ?? [];
    const last = versions[count - 1];
    if (last === undefined) return;
    const size = (sector + 1) * SECTOR;
    if (this.#synced.length < size) {
      this.#synced = Buffer.concat([this.#synced, Buffer.alloc(Math.max(size, 1 << 20))]);
    }
    last.bytes.copy(this.#synced, sector * SECTOR);
    this.#length = Math.max(this.#length, last.end);
    const left = versions.slice(count);
    if (left.length === 0) this.#pending.delete(sector);
    else this.#pending.set(sector, left);
  }
}

/** One write, which a sync covers only when it had ended before. */
export interface Write {
  isDone: boolean;
}

interface Version {
  readonly at: number;
  readonly write: Write;
  readonly bytes: Buffer;
  /** Where the file ends at least, with this. */
  readonly end: number;
}

type Placed = Version & { readonly start: number };

function placed(version: Version, sector: number): Placed {
  return { ...version, start: sector * SECTOR };
}

function momentOf(versions: readonly Version[], random: () => number): number {
  return versions[Math.floor(random() * (versions.length + 1)) - 1]?.at ?? -1;
}
