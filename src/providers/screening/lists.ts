import pLimit from 'p-limit';
import type { Screening } from '../../domain/screening/screening.ts';
import type { XmlListFormat } from './list-worker.mjs';
import { createListScreening, type ListFile, type ScreeningDeps } from './screening.ts';

/** Most parties per XML list. A larger list is rejected. */
const LIST_PARTIES_MAX = 200_000;

/** The US consolidated screening list: Treasury, Commerce and State. */
export const CONSOLIDATED: ListFile = {
  upstream: 'sanctions',
  path: '/static/consolidated_screening_list/consolidated.json',
  accept: 'application/json',
  program: 'readConsolidatedList',
  data: {},
};

/** The consolidated list of the United Nations Security Council. */
export const UNITED_NATIONS: ListFile = {
  upstream: 'unsanctions',
  path: '/resources/xml/en/consolidated.xml',
  ...xmlList('unitedNations', 'United Nations Security Council consolidated list'),
};

/** Financial sanctions of the European Union. The token is the public one for crawlers. */
export const EUROPEAN_UNION: ListFile = {
  upstream: 'eusanctions',
  path: '/fsd/fsf/public/files/xmlFullSanctionsList_1_1/content?token=dG9rZW4tMjAxNw',
  ...xmlList('europeanUnion', 'European Union consolidated list of financial sanctions'),
};

/** The list of specially designated nationals, as published by OFAC. */
export const OFAC: ListFile = {
  upstream: 'ofac',
  path: '/api/download/SDN.XML',
  ...xmlList('ofac', 'Specially Designated Nationals, from the Office of Foreign Assets Control'),
};

/** The UK sanctions list, the only UK list since January 2026. It states no count. */
export const UNITED_KINGDOM: ListFile = {
  upstream: 'uksanctions',
  path: '/docs/UK-Sanctions-List.xml',
  ...xmlList('unitedKingdom', 'United Kingdom sanctions list'),
};

/** Creates the screening of every list file, each on its own. */
export function createScreenings(parts: Omit<ScreeningDeps, 'serialize'>): readonly Screening[] {
  const serialize = pLimit(1);
  const files = [CONSOLIDATED, OFAC, UNITED_NATIONS, EUROPEAN_UNION, UNITED_KINGDOM];
  return files.map((file) => createListScreening({ ...parts, serialize }, file));
}

function xmlList(form: XmlListFormat, list: string): Pick<ListFile, 'accept' | 'program' | 'data'> {
  const data = { form, list, partiesMax: LIST_PARTIES_MAX };
  return { accept: 'application/xml, text/xml', program: 'readXmlList', data };
}
