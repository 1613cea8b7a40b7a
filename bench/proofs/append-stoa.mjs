// Callers that record a settlement each and wait until the disk has it. CALLERS, SECONDS
import { measureCallers } from '../lib/callers.mjs';
import { answer } from '../lib/cpu.mjs';
import { scratch } from '../lib/output.mjs';
import { digits, openLog, settlement } from './log.mjs';

const { CALLERS = '16', SECONDS = '2' } = process.env;
const folder = scratch(`proofs-stoa-${process.pid}`);
const { log } = await openLog(folder.path);
const result = await measureCallers(() => log.append(settlement(digits())), {
  callers: Number(CALLERS),
  seconds: Number(SECONDS),
});
await log.close();
folder.clear();
answer(result);
