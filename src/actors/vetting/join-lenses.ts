import type { LensResult, LensStatus } from '../../domain/vetting/lens.ts';

/** Merges the results of several lenses. The result is complete only if every part is. */
export function joinLenses(results: readonly LensResult[]): LensResult {
  const notes = results.flatMap(({ note }) => note ?? []);
  const shifted = results.map((result, at) => {
    const before = results.slice(0, at).reduce((sum, { sources }) => sum + sources.length, 0);
    return shiftSources(result, before);
  });
  return {
    status: statusOf(results.map(({ status }) => status)),
    note: notes.length === 0 ? null : notes.join(' '),
    findings: shifted.flatMap(({ findings }) => findings),
    figures: shifted.flatMap(({ figures }) => figures),
    searched: results.flatMap(({ searched }) => searched),
    sources: results.flatMap(({ sources }) => sources),
    faults: results.flatMap(({ faults }) => faults),
    records: shifted.flatMap(({ records = [] }) => records),
  };
}

/** Shifts source indexes past those of the preceding lenses. */
function shiftSources(result: LensResult, by: number): LensResult {
  const move = <Row extends { cited: number[] }>(row: Row): Row => ({
    ...row,
    cited: row.cited.map((place) => place + by),
  });
  return {
    ...result,
    findings: result.findings.map(move),
    figures: result.figures.map(move),
    records: result.records?.map((one) => ({ ...one, cited: String(Number(one.cited) + by) })),
  };
}

function statusOf(all: readonly LensStatus[]): LensStatus {
  const [first = 'no_data'] = all;
  if (all.every((status) => status === first)) return first;
  const isSeen = all.some((status) => status === 'ok' || status === 'partial');
  if (!isSeen) return all.find((status) => status !== 'no_data') ?? first;
  return all.every((status) => status === 'ok' || status === 'no_data') ? 'ok' : 'partial';
}
