import { z } from 'zod';
import { OFFICERS_MAX, type Officer } from '../../domain/company/officer.ts';
import type { Registry } from '../../domain/company/registries.ts';
import type { RegistryRecord } from '../../domain/company/report.ts';
import type { UpstreamReader } from '../data/upstream-reader.ts';
import { joinAddress, parseDay, readRecords } from './read-record.ts';

/** Environment variable with the API key of the registry. */
export const UNITED_KINGDOM_KEY = 'STOA_COMPANIES_HOUSE_KEY';

const PAGES = 'https://find-and-update.company-information.service.gov.uk/company/';
const Text = z.string().nullish();
/** Every number of the register has eight characters. */
const CompanyNumber = z.string().regex(/^[A-Z0-9]{8}$/);
const Dates = { date_of_creation: Text, date_of_cessation: Text, company_status: Text };
const Profile = z.object({
  company_name: z.string().min(1),
  company_number: CompanyNumber,
  ...Dates,
  type: Text,
  registered_office_address: z
    .object({
      address_line_1: Text,
      address_line_2: Text,
      locality: Text,
      region: Text,
      postal_code: Text,
      country: Text,
    })
    .nullish(),
  previous_company_names: z.array(z.object({ name: z.string() })).nullish(),
});
const Found = z.object({
  items: z.array(
    z.object({
      title: z.string().min(1),
      company_number: CompanyNumber,
      ...Dates,
      company_type: Text,
      address_snippet: Text,
    }),
  ),
});

const Officers = z.object({
  items: z.array(
    z.object({
      name: z.string().min(1),
      officer_role: z.string().min(1),
      appointed_on: Text,
      resigned_on: Text,
    }),
  ),
});

/** Creates the UK company registry. It requires a key, which is free. */
export function createUnitedKingdomRegistry(
  reader: UpstreamReader,
  key: string | undefined,
): Registry {
  const upstream = 'companieshouse';
  const headers = { authorization: `Basic ${Buffer.from(`${key ?? ''}:`).toString('base64')}` };
  return {
    id: 'companieshouse',
    jurisdiction: 'gb',
    missing: key === undefined ? [UNITED_KINGDOM_KEY] : [],
    isNumber: (text) => /^[A-Z0-9]{2}\d{6}$/i.test(text),
    findByName: (name, limits) => {
      const query = new URLSearchParams({ q: name, items_per_page: '20' });
      const path = `/search/companies?${query.toString()}`;
      return readRecords(reader, { upstream, path, headers, ...limits }, (body) =>
        Found.safeParse(body).data?.items.map((item) =>
          toRecord({
            ...item,
            name: item.title,
            type: item.company_type,
            others: [],
            address: item.address_snippet ?? null,
          }),
        ),
      );
    },
    findByNumber: (number, limits) => {
      const path = `/company/${number.toUpperCase()}`;
      return readRecords(reader, { upstream, path, headers, ...limits }, (body) => {
        const { data } = Profile.safeParse(body);
        return data === undefined ? undefined : [toProfileRecord(data)];
      });
    },
    listOfficers: (number, limits) => {
      const path = `/company/${number.toUpperCase()}/officers?items_per_page=100`;
      const rows = (body: unknown) => Officers.safeParse(body).data?.items.flatMap(toOfficers);
      return readRecords(reader, { upstream, path, headers, ...limits }, rows, OFFICERS_MAX);
    },
  };
}

function toOfficers(item: z.infer<typeof Officers>['items'][number]): readonly Officer[] {
  if (typeof item.resigned_on === 'string') return [];
  return [{ name: item.name, role: item.officer_role, since: parseDay(item.appointed_on) }];
}

function toProfileRecord(profile: z.infer<typeof Profile>): RegistryRecord {
  const at = profile.registered_office_address;
  return toRecord({
    ...profile,
    name: profile.company_name,
    others: profile.previous_company_names?.map(({ name }) => name) ?? [],
    address: joinAddress([
      ...[at?.address_line_1, at?.address_line_2, at?.locality],
      ...[at?.region, at?.postal_code, at?.country],
    ]),
  });
}

interface Company {
  readonly name: string;
  readonly company_number: string;
  readonly company_status?: string | null | undefined;
  readonly date_of_creation?: string | null | undefined;
  readonly date_of_cessation?: string | null | undefined;
  readonly type?: string | null | undefined;
  readonly others: string[];
  readonly address: string | null;
}

function toRecord(company: Company): RegistryRecord {
  const raw = company.company_status ?? null;
  return {
    registry: 'companieshouse',
    jurisdiction: 'gb',
    entity_name: company.name,
    number: company.company_number,
    status: STATUS[raw ?? ''] ?? 'unknown',
    status_raw: raw,
    incorporated_on: parseDay(company.date_of_creation),
    dissolved_on: parseDay(company.date_of_cessation),
    type: company.type ?? null,
    address: company.address,
    lei: null,
    other_names: company.others,
    record_url: `${PAGES}${company.company_number}`,
    as_of: null,
  };
}

const STATUS: Readonly<Record<string, RegistryRecord['status']>> = {
  active: 'active',
  open: 'active',
  dissolved: 'dissolved',
  removed: 'dissolved',
  closed: 'dissolved',
  'converted-closed': 'dissolved',
  liquidation: 'insolvent',
  receivership: 'insolvent',
  administration: 'insolvent',
  'insolvency-proceedings': 'insolvent',
  'voluntary-arrangement': 'insolvent',
};
