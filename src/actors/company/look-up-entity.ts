import type { Registry } from '../../domain/company/registries.ts';
import type { RegistryRecord } from '../../domain/company/report.ts';
import type { DataFailure } from '../../domain/data/data-failure.ts';
import type { UnnumberedSource } from '../../domain/data/source.ts';
import type { ReadLimits } from '../../domain/filing/filings.ts';

/** The entity to look up: by number if given, else by name. */
export interface EntityQuery {
  readonly name?: string | undefined;
  readonly number?: string | undefined;
}

/** The answer of one registry. */
export interface RegistryAnswer {
  readonly registry: string;
  readonly source: UnnumberedSource | null;
  readonly records: readonly RegistryRecord[];
  readonly fault: DataFailure | null;
}

/** Queries registries in parallel. A failed registry returns its fault. */
export function lookUpEntity(
  registries: readonly Registry[],
  { name = '', number }: EntityQuery,
  limits: ReadLimits,
): Promise<readonly RegistryAnswer[]> {
  return Promise.all(
    registries.map(async (registry): Promise<RegistryAnswer> => {
      const reading =
        number === undefined
          ? await registry.findByName(name, limits)
          : await registry.findByNumber(number, limits);
      if (!reading.ok)
        return { registry: registry.id, source: null, records: [], fault: reading.fault };
      const { source, value } = reading;
      return { registry: registry.id, source, records: value, fault: null };
    }),
  );
}
