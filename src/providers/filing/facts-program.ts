/** Most tagged facts that the program returns. */
export const FACTS_MAX = 20_000;

/**
 * The program of the thread that parses all tagged facts of a company, about 10 MB. It returns
 * those of the requested filings and tags. Values that a double cannot hold exactly are omitted.
 */
export const FACTS_PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const { body, concepts, accessions, factsMax } = workerData;
const isDay = (value) => typeof value === 'string' && /^\\d{4}-\\d{2}-\\d{2}$/.test(value);
const textOf = (value) => {
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return undefined;
  const text = String(value);
  return /^-?\\d{1,30}(\\.\\d{1,18})?$/.test(text) ? text : undefined;
};
function read() {
  const all = JSON.parse(new TextDecoder().decode(body));
  const taxonomies = all?.facts;
  if (taxonomies === null || typeof taxonomies !== 'object') return null;
  const wanted = new Set(accessions);
  const found = [];
  for (const taxonomy of ['us-gaap', 'ifrs-full']) {
    for (const concept of concepts) {
      const units = taxonomies[taxonomy]?.[concept]?.units ?? {};
      for (const [unit, rows] of Object.entries(units)) {
        if (!Array.isArray(rows)) return null;
        for (const row of rows) {
          if (!wanted.has(row?.accn)) continue;
          const value = textOf(row.val);
          const isSound = value !== undefined && isDay(row.end) && isDay(row.filed) &&
            (row.start === undefined || isDay(row.start)) && typeof row.form === 'string';
          if (!isSound) continue;
          found.push({
            concept, unit, start: row.start ?? null, end: row.end, value,
            accession: row.accn, form: row.form, filed: row.filed,
            frame: typeof row.frame === 'string' ? row.frame : null,
          });
          if (found.length >= factsMax) return found;
        }
      }
    }
  }
  return found;
}
try { parentPort.postMessage(read()); } catch { parentPort.postMessage(null); }
`;
