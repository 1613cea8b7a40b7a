/** Parties per piece that the program returns. */
export const PIECE_PARTIES = 250;

/**
 * The program of the thread that parses the consolidated list of tens of megabytes. It returns the
 * needed parts in pieces of text, so that no piece blocks the event loop for long.
 */
export const LIST_PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const { body, pieceParties } = workerData;
const text = (value) => typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
const texts = (value) => Array.isArray(value) ? value.map(text).filter((one) => one !== null) : [];
function read() {
  const { results } = JSON.parse(new TextDecoder().decode(body));
  if (!Array.isArray(results) || results.length === 0) return null;
  const parties = [];
  for (const row of results) {
    const [id, list, name] = [text(row?.id), text(row?.source), text(row?.name)];
    if (id === null || list === null || name === null) return null;
    const addresses = Array.isArray(row.addresses) ? row.addresses : [];
    parties.push({
      id, list, kind: text(row.type), names: [name, ...texts(row.alt_names)].slice(0, 60),
      programs: texts(row.programs),
      countries: [...new Set(texts(addresses.map((one) => one?.country)))].slice(0, 10),
    });
  }
  const pieces = [];
  for (let at = 0; at < parties.length; at += pieceParties) {
    pieces.push(JSON.stringify(parties.slice(at, at + pieceParties)));
  }
  return pieces;
}
try { parentPort.postMessage(read()); } catch { parentPort.postMessage(null); }
`;
