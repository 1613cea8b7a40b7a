import type { SourceFacts } from '../../domain/data/source.ts';

/** Collects the sources of one lens without duplicates and returns their indexes. */
export class Cited {
  readonly list: SourceFacts[] = [];

  placeOf(source: SourceFacts): number {
    const known = this.list.findIndex(
      ({ sha256, url }) => sha256 === source.sha256 && url === source.url,
    );
    return known >= 0 ? known : this.list.push(source) - 1;
  }
}
