import type { UnnumberedSource } from '../../domain/data/source.ts';

/** Collects the sources of one lens without duplicates and returns their indexes. */
export class CitedSources {
  readonly list: UnnumberedSource[] = [];

  indexOf(source: UnnumberedSource): number {
    const known = this.list.findIndex(
      ({ sha256, url }) => sha256 === source.sha256 && url === source.url,
    );
    return known >= 0 ? known : this.list.push(source) - 1;
  }
}
