import { test } from 'vitest';
import { writeFileSync } from 'node:fs';
import { auditProgram } from '../support/audits/program-audit.ts';
const at = (n: string) => `/tmp/ncontrols/node_modules/@modelcontextprotocol/server-${n}/dist/index.js`;
test.each([['filesystem', [at('filesystem'), '/tmp/ncontrols/shelf']], ['memory', [at('memory')]], ['everything', [at('everything'), 'stdio']]] as const)('%s', { timeout: 900_000 }, async (name, args) => {
  const report = await auditProgram({ name, command: process.execPath, args: [...args] }, 850_000);
  writeFileSync(`/tmp/ncontrols/${name}.json`, JSON.stringify(report, null, 1));
  console.log(name, report.outcome, report.requests, report.reason, JSON.stringify(report.confirmed));
  for (const f of report.findings) console.log(name, f.status, f.severity, f.category, f.probe_id, f.tool, f.title);
});
