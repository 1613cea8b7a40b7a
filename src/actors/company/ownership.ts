import type { ParentAnswer, ParentLevel } from '../../domain/company/registries.ts';
import type { SourceReading } from '../../domain/data/upstreams.ts';
import { createFinding, type LensResult } from '../../domain/vetting/lens.ts';
import { CitedSources } from '../vetting/cited-sources.ts';
import { emptyResult, type Lens } from '../vetting/lenses.ts';
import { createHitFinding, screenNames } from '../vetting/sanctions.ts';
import type { DiligencePorts } from './diligence-ports.ts';

const LEVELS: readonly ParentLevel[] = ['direct', 'ultimate'];
const COVERAGE_NOTE =
  'Parents are consolidating entities as reported to GLEIF; other shareholders are not covered.';

/** Reports the parents in the global LEI system, and whether an owner is on a sanctions list. */
export const ownership: Lens<DiligencePorts> = async ({ records = [] }, ports, limits) => {
  const lei = records.flatMap((record) => record.lei ?? []).at(0);
  if (lei === undefined) {
    const note = 'No legal entity identifier (LEI) is known, so parents cannot be looked up.';
    return emptyResult('no_data', note);
  }
  const asked = await Promise.all(
    LEVELS.map(async (level) => ({
      level,
      reading: await ports.relations.parents(lei, level, limits),
    })),
  );
  const cited = new CitedSources();
  const findings = asked.flatMap(({ level, reading }) => parentFindings(level, reading, cited));
  const parents = asked.flatMap(({ reading }) => (reading.ok ? reading.value.parents : []));
  const names = parents.flatMap(({ entity_name, other_names }) => [entity_name, ...other_names]);
  const screened = names.length === 0 ? undefined : await screenNames(names, ports.screenings);
  const before = cited.list.length;
  const hits = (screened?.hits ?? []).map(({ hit, place }) =>
    createHitFinding(
      { hit, place: place + before },
      { rule: 'owner_listed', sure: 'high', who: `Owner ${hit.asked}` },
    ),
  );
  const faults = [
    ...asked.flatMap(({ reading }) => (reading.ok ? [] : [reading.fault])),
    ...(screened?.faults ?? []),
  ];
  return {
    status: before === 0 ? 'failed' : faults.length > 0 ? 'partial' : 'ok',
    note: COVERAGE_NOTE,
    findings: [...findings, ...hits],
    figures: [],
    searched: [
      ...(before === 0 ? [] : [`relations of ${lei} in gleif`]),
      ...(screened?.searched ?? []),
    ],
    sources: [...cited.list, ...(screened?.sources ?? [])],
    faults,
  };
};

function parentFindings(
  level: ParentLevel,
  reading: SourceReading<ParentAnswer>,
  cited: CitedSources,
): LensResult['findings'] {
  if (!reading.ok) return [];
  const place = cited.indexOf(reading.source);
  const { parents, exception } = reading.value;
  if (parents.length === 0) {
    const why = exception === null ? 'without a reason' : `because ${exception}`;
    return [createFinding('no_parent', 'info', `No ${level} parent is reported, ${why}.`, place)];
  }
  return parents.flatMap(({ entity_name, number, jurisdiction, status }) => {
    const claim = `Its ${level} parent is ${entity_name} (${number}, ${jurisdiction}): ${status}.`;
    const gone = status === 'inactive' || status === 'dissolved';
    return [createFinding(`${level}_parent`, gone ? 'low' : 'info', claim, place)];
  });
}
