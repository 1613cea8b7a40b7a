import { z } from 'zod';
import { normalizeName } from '../../domain/company/names.ts';
import type { Registry } from '../../domain/company/registries.ts';
import type { RegistryRecord } from '../../domain/company/report.ts';
import type { Filings } from '../../domain/filing/filings.ts';
import type { UpstreamReader } from '../data/upstream-reader.ts';
import { readRecords } from './read-record.ts';

/** Most rows that are compared with a name. */
const ROWS_COMPARED_MAX = 200;

const Filers = z.record(z.string(), z.object({ cik_str: z.int().positive(), title: z.string() }));

/** Creates a registry of names from the filers at the US securities regulator. */
export function createSecuritiesRegistry(reader: UpstreamReader, filings: Filings): Registry {
  return {
    id: 'edgar',
    jurisdiction: 'us-sec',
    missing: filings.missing,
    isNumber: (text) => /^\d{1,10}$/.test(text),
    findByName: (name, limits) => {
      const [first = ''] = normalizeName(name).words;
      const request = { upstream: 'secfiles', path: '/files/company_tickers.json' } as const;
      return readRecords(reader, { ...request, ...limits }, (body) => {
        const rows = Object.values(Filers.safeParse(body).data ?? {});
        if (rows.length === 0) return undefined;
        const near = rows.filter(({ title }) => title.toLowerCase().includes(first));
        const titles = new Map(near.map(({ cik_str, title }) => [cik_str, title]));
        const compared = [...titles].slice(0, ROWS_COMPARED_MAX);
        return compared.map(([cik, title]) => toRecord(String(cik).padStart(10, '0'), title));
      });
    },
    findByNumber: async (number, limits) => {
      const reading = await filings.list(number.padStart(10, '0'), limits);
      if (!reading.ok) return reading;
      const { filer } = reading.value;
      const record = {
        ...toRecord(filer.cik, filer.name),
        type: filer.sicDescription,
        other_names: [...filer.formerNames],
      };
      return { ...reading, value: [record] };
    },
  };
}

function toRecord(cik: string, name: string): RegistryRecord {
  return {
    registry: 'edgar',
    jurisdiction: 'us-sec',
    entity_name: name,
    number: cik,
    // Filing proves nothing about an entity's status.
    status: 'unknown',
    status_raw: null,
    incorporated_on: null,
    dissolved_on: null,
    type: null,
    address: null,
    lei: null,
    other_names: [],
    as_of: null,
    record_url: `https://www.sec.gov/cgi-bin/browse-edgar?action=getcompany&CIK=${cik}`,
  };
}
