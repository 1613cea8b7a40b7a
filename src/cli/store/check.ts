import { resolve } from 'node:path';
import { AppError } from '../../domain/common/error.ts';
import { EngineError } from '../../runtime/engine/error.ts';
import { convertStoreError } from '../../store/common/store-error.ts';
import type { SalvageReport } from '../../store/salvage/salvage.ts';
import { checkStore, salvageStore } from '../../store/salvage/salvage.ts';
import type { Input } from '../common/usage.ts';
import type { STORE } from '../usage/store.ts';

/**
 * `stoa store check`: lists the damage of a store, and what can be recovered.
 *
 * @returns 0 if the store is whole, else 1.
 */
export async function check({ folder, json }: Input<typeof STORE.storeCheck>): Promise<number> {
  const report = await run(() => checkStore(resolve(folder)));
  const isWhole = report.findingCount === 0 && report.damagedActorCount === 0;
  const { readableRows, wholeActors, damagedActorCount, file, isEngineStore } = report;
  const ofActors = ` of ${count(wholeActors + damagedActorCount, 'actor')}`;
  const rows = `${count(readableRows, 'row')}${isEngineStore ? ofActors : ''}`;
  const whole = isEngineStore ? `; ${count(wholeActors, 'actor')} would come over whole` : '';
  const verdict = isWhole
    ? `The store is whole: ${rows}.`
    : `The store is damaged: ${count(report.findingCount, 'finding')}. Readable: ${rows}${whole}.`;
  print(json, report, [verdict, `file: ${file}`, ...describe(report)]);
  return isWhole ? 0 : 1;
}

/**
 * `stoa store salvage`: writes what can be read of a store to a new one.
 *
 * @returns 0 if everything came over, else 1.
 */
export async function salvage(asked: Input<typeof STORE.storeSalvage>): Promise<number> {
  const { folder, target, json } = asked;
  const report = await run(() => salvageStore(resolve(folder), resolve(target)));
  const { wholeActors, damagedActorCount, lostSharedRows } = report;
  const isWhole = report.findingCount === 0 && damagedActorCount === 0;
  const damaged = report.isEngineStore
    ? `What can be read came over to ${target}; the store is damaged.`
    : 'Nothing was written.';
  const verdict = isWhole && report.isEngineStore ? `Everything came over to ${target}.` : damaged;
  const totals =
    `${count(wholeActors, 'actor')} whole, ${damagedActorCount} in part or not at all, ` +
    `${count(lostSharedRows, 'row')} of no actor lost`;
  print(json, report, [verdict, ...describe(report), totals]);
  return isWhole && report.isEngineStore ? 0 : 1;
}

function describe(report: SalvageReport): readonly string[] {
  const { findings, findingCount, damagedActors, damagedActorCount } = report;
  const lines = findings.map(({ place, family, actor, what }) => {
    const parts = [place, ...(family === undefined ? [] : [family])];
    return `${[...parts, ...(actor === undefined ? [] : [`actor ${actor}`])].join(', ')}: ${what}`;
  });
  const more = findingCount - findings.length;
  const moreActors = damagedActorCount - damagedActors.length;
  return [
    ...lines,
    ...(more > 0 ? [`${count(more, 'further finding')}`] : []),
    ...damagedActors.map(({ id, loss }) => `actor ${id}: ${loss}`),
    ...(moreActors > 0 ? [`${count(moreActors, 'further damaged actor')}`] : []),
    ...(report.isEngineStore ? [] : [NO_ENGINE]),
  ];
}

const NO_ENGINE =
  'The rows were not checked: the store is not of an engine, or its list of tables is damaged. ' +
  'Only the store of an engine can be salvaged.';

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}

function print(json: boolean, report: SalvageReport, lines: readonly string[]): void {
  process.stdout.write(`${json ? JSON.stringify(report) : lines.join('\n')}\n`);
}

async function run(act: () => Promise<SalvageReport>): Promise<SalvageReport> {
  try {
    return await act();
  } catch (thrown) {
    throw toUsageError(thrown);
  }
}

/** What is wrong with a folder that was named, in terms of the command line. */
function toUsageError(thrown: unknown): unknown {
  if (!(thrown instanceof EngineError)) return thrown;
  const { code, message, data } = thrown;
  if (code === 'STORE_BUSY') return new AppError('DATA_DIR_BUSY', { message, data, cause: thrown });
  if (code === 'STORE_FAILED') {
    return new AppError('CONFIG_INVALID', { message, data, cause: thrown });
  }
  return convertStoreError(thrown);
}
