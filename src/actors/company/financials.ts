import { findFiler } from '../vetting/filer.ts';
import { finances } from '../vetting/finances.ts';
import { joinLenses } from '../vetting/join-lenses.ts';
import type { Lens } from '../vetting/lenses.ts';
import { type ReportedItem, readCurrentReports } from './current-reports.ts';

/** Items of current reports that indicate financial distress. */
const ITEMS: Readonly<Record<string, ReportedItem>> = {
  '1.03': { rule: 'bankruptcy', severity: 'high', what: 'Bankruptcy or receivership' },
  '2.04': { rule: 'debt_called', severity: 'medium', what: 'A debt became due early' },
  '3.01': { rule: 'delisting', severity: 'medium', what: 'Notice of delisting' },
  '4.01': { rule: 'auditor_changed', severity: 'low', what: 'Change of the auditor' },
  '4.02': { rule: 'accounts_withdrawn', severity: 'high', what: 'Accounts not to be relied on' },
};

/** Reports finances from filings: the vetting checks and the reported events. */
export const financials: Lens = async (subject, ports, limits) => {
  const filer = await findFiler(subject, ports, limits);
  if (!('cik' in filer)) return filer;
  const [health, events] = await Promise.all([
    finances(subject, ports, limits),
    readCurrentReports(ports, { filer, items: ITEMS }, limits),
  ]);
  return joinLenses([health, events]);
};
