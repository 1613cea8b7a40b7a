import { z } from 'zod';
import type { Registry } from '../../../domain/ports/registries.ts';
import type { RegistryRecord } from '../../../domain/registry/report.ts';
import type { UpstreamReader } from '../upstream-reader.ts';
import { dayOf, instantOf, lineOf, readRecords } from './read-record.ts';

const Text = z.string().nullish();
const LeiRecord = z.object({
  attributes: z.object({
    lei: z.string().regex(/^[A-Z0-9]{18}\d{2}$/),
    entity: z.object({
      legalName: z.object({ name: z.string().min(1) }),
      otherNames: z.array(z.object({ name: z.string() })).nullish(),
      legalAddress: z.object({
        addressLines: z.array(z.string()).nullish(),
        ...{ city: Text, region: Text, country: Text, postalCode: Text },
      }),
      ...{ registeredAs: Text, jurisdiction: Text, status: Text, creationDate: Text },
      legalForm: z.object({ id: Text, other: Text }).nullish(),
      expiration: z.object({ date: Text }).nullish(),
    }),
    registration: z.object({ lastUpdateDate: Text }),
  }),
});
const Many = z.object({ data: z.array(LeiRecord) });
const One = z.object({ data: LeiRecord });

/** Legal entity identifiers of the whole world, under CC0. */
export function gleif(reader: UpstreamReader): Registry {
  const upstream = 'gleif';
  return {
    ...{ id: 'gleif', jurisdiction: 'global', missing: [] },
    isNumber: isLei,
    byName: (name, limits) => {
      const query = new URLSearchParams({ 'filter[entity.legalName]': name, 'page[size]': '20' });
      const path = `/api/v1/lei-records?${query.toString()}`;
      return readRecords(reader, { upstream, path, ...limits }, (body) =>
        Many.safeParse(body).data?.data.map(recordOf),
      );
    },
    byNumber: (number, limits) => {
      const path = `/api/v1/lei-records/${number.toUpperCase()}`;
      return readRecords(reader, { upstream, path, ...limits }, (body) => {
        const { data } = One.safeParse(body);
        return data === undefined ? undefined : [recordOf(data.data)];
      });
    },
  };
}

/** Tells whether a text is an identifier whose check digits hold (ISO 17442, modulus 97). */
export function isLei(text: string): boolean {
  const plain = text.toUpperCase();
  if (!/^[A-Z0-9]{18}\d{2}$/.test(plain)) return false;
  const digits = plain
    .split('')
    .map((sign) => Number.parseInt(sign, 36))
    .join('');
  return BigInt(digits) % 97n === 1n;
}

function recordOf({ attributes }: z.infer<typeof LeiRecord>): RegistryRecord {
  const { lei, entity, registration } = attributes;
  const { addressLines, city, region, postalCode, country } = entity.legalAddress;
  return {
    registry: 'gleif',
    jurisdiction: (entity.jurisdiction ?? 'unknown').toLowerCase(),
    entity_name: entity.legalName.name,
    number: lei,
    status: STATUS[entity.status ?? ''] ?? 'unknown',
    status_raw: entity.status ?? null,
    incorporated_on: dayOf(entity.creationDate),
    dissolved_on: dayOf(entity.expiration?.date),
    type: entity.legalForm?.other ?? entity.legalForm?.id ?? null,
    address: lineOf([...(addressLines ?? []), postalCode, city, region, country]),
    lei,
    other_names: entity.otherNames?.map(({ name }) => name) ?? [],
    record_url: `https://search.gleif.org/#/record/${lei}`,
    as_of: instantOf(registration.lastUpdateDate),
  };
}

const STATUS: Readonly<Record<string, RegistryRecord['status']>> = {
  ACTIVE: 'active',
  INACTIVE: 'inactive',
};
