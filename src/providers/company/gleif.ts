import { z } from 'zod';
import type {
  OwnershipRelations,
  ParentAnswer,
  Registry,
} from '../../domain/company/registries.ts';
import type { RegistryRecord } from '../../domain/company/report.ts';
import type { SourceReading } from '../../domain/data/upstreams.ts';
import type { UpstreamReader } from '../data/upstream-reader.ts';
import { joinAddress, normalizeInstant, parseDay, readRecords } from './read-record.ts';

const Text = z.string().nullish();
const LeiRecord = z.object({
  attributes: z.object({
    lei: z.string().regex(/^[A-Z0-9]{18}\d{2}$/),
    entity: z.object({
      legalName: z.object({ name: z.string().min(1) }),
      otherNames: z.array(z.object({ name: z.string() })).nullish(),
      legalAddress: z.object({
        addressLines: z.array(z.string()).nullish(),
        city: Text,
        region: Text,
        country: Text,
        postalCode: Text,
      }),
      registeredAs: Text,
      jurisdiction: Text,
      status: Text,
      creationDate: Text,
      legalForm: z.object({ id: Text, other: Text }).nullish(),
      expiration: z.object({ date: Text }).nullish(),
    }),
    registration: z.object({ lastUpdateDate: Text }),
  }),
});
const Many = z.object({ data: z.array(LeiRecord) });
const One = z.object({ data: LeiRecord });

/** Creates the global registry of legal entity identifiers, under CC0. */
export function createGleifRegistry(reader: UpstreamReader): Registry {
  const upstream = 'gleif';
  return {
    id: 'gleif',
    jurisdiction: 'global',
    missing: [],
    isNumber: isLei,
    findByName: (name, limits) => {
      const query = new URLSearchParams({ 'filter[entity.legalName]': name, 'page[size]': '20' });
      const path = `/api/v1/lei-records?${query.toString()}`;
      return readRecords(reader, { upstream, path, ...limits }, (body) =>
        Many.safeParse(body).data?.data.map(toRecord),
      );
    },
    findByNumber: (number, limits) => {
      const path = `/api/v1/lei-records/${number.toUpperCase()}`;
      return readRecords(reader, { upstream, path, ...limits }, readOneRecord);
    },
  };
}

const Exception = z.object({
  data: z.object({ attributes: z.object({ reason: z.string().nullish() }) }),
});

/** Reads parent companies as reported to the global registry, or why none is reported. */
export function createGleifRelations(reader: UpstreamReader): OwnershipRelations {
  const upstream = 'gleif';
  return {
    parents: async (lei, level, limits): Promise<SourceReading<ParentAnswer>> => {
      const path = `/api/v1/lei-records/${lei.toUpperCase()}/${level}-parent`;
      const reported = await readRecords(reader, { upstream, path, ...limits }, readOneRecord);
      if (!reported.ok) return reported;
      if (reported.value.length > 0)
        return { ...reported, value: { parents: reported.value, exception: null } };
      const why = `${path}-reporting-exception`;
      const excepted = await readRecords(reader, { upstream, path: why, ...limits }, (body) => {
        const { data } = Exception.safeParse(body);
        return data === undefined ? undefined : [data.data.attributes.reason ?? 'not given'];
      });
      if (!excepted.ok) return excepted;
      return { ...excepted, value: { parents: [], exception: excepted.value[0] ?? null } };
    },
  };
}

/** Returns whether a text is an LEI with valid check digits (ISO 17442, modulus 97). */
export function isLei(text: string): boolean {
  const plain = text.toUpperCase();
  if (!/^[A-Z0-9]{18}\d{2}$/.test(plain)) return false;
  const digits = plain
    .split('')
    .map((sign) => Number.parseInt(sign, 36))
    .join('');
  return BigInt(digits) % 97n === 1n;
}

function readOneRecord(body: unknown): readonly RegistryRecord[] | undefined {
  const { data } = One.safeParse(body);
  return data === undefined ? undefined : [toRecord(data.data)];
}

function toRecord({ attributes }: z.infer<typeof LeiRecord>): RegistryRecord {
  const { lei, entity, registration } = attributes;
  const { addressLines, city, region, postalCode, country } = entity.legalAddress;
  return {
    registry: 'gleif',
    jurisdiction: (entity.jurisdiction ?? 'unknown').toLowerCase(),
    entity_name: entity.legalName.name,
    number: lei,
    status: STATUS[entity.status ?? ''] ?? 'unknown',
    status_raw: entity.status ?? null,
    incorporated_on: parseDay(entity.creationDate),
    dissolved_on: parseDay(entity.expiration?.date),
    type: entity.legalForm?.other ?? entity.legalForm?.id ?? null,
    address: joinAddress([...(addressLines ?? []), postalCode, city, region, country]),
    lei,
    other_names: entity.otherNames?.map(({ name }) => name) ?? [],
    record_url: `https://search.gleif.org/#/record/${lei}`,
    as_of: normalizeInstant(registration.lastUpdateDate),
  };
}

const STATUS: Readonly<Record<string, RegistryRecord['status']>> = {
  ACTIVE: 'active',
  INACTIVE: 'inactive',
};
