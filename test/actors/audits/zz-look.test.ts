import { writeFileSync } from 'node:fs';
import { test } from 'vitest';
import { runRecon } from '../../../src/actors/audits/recon.ts';
import { withProbeSession } from '../../../src/actors/audits/session.ts';
import { survey } from '../../../src/actors/audits/survey.ts';
import { answerText } from '../../../src/domain/audit/tool-answer.ts';
import { loopbackTargets } from '../../support/audits/assess.ts';
import { realClock } from '../../support/real-clock.ts';
import { targetNamed } from '../../support/targets/all-targets.ts';
import { startTarget } from '../../support/targets/start-target.ts';

test('look', { timeout: 100_000 }, async () => {
  const lines: string[] = [];
  for (const name of (process.env['ONLY'] ?? '').split(',')) {
    for (const seed of (process.env['SEEDS'] ?? '0').split(',').map(Number)) {
      for (const fixed of process.env['FIXED'] === '1' ? [true] : [false]) {
        const running = await startTarget(targetNamed(name), {
          seed,
          fixed,
          front: { burstMax: 1000 },
        });
        const address = { kind: 'mcp_http', url: running.url } as const;
        const target = await loopbackTargets.open(address, {
          limits: { requestsMax: 1000, bytesMax: 1e7, totalMs: 60_000 },
          canarySeed: 'x',
          headers: running.headers,
        });
        const recon = await runRecon(target);
        lines.push(
          `\n#### ${name} ${seed} fixed=${fixed} headers=${Object.keys(running.headers)} ${JSON.stringify(recon.greeting)}`,
        );
        for (const tool of recon.tools) lines.push(`  TOOL ${JSON.stringify(tool)}`);
        await withProbeSession(
          { targets: loopbackTargets, clock: realClock },
          {
            address,
            recon,
            limits: { requestsMax: 1000, bytesMax: 1e7, totalMs: 60_000 },
            seed: 'x',
            signal: new AbortController().signal,
            headers: running.headers,
          },
          async (session) => {
            const connection = await session.target.connect();
            for await (const call of survey(session, {
              connection,
              manners: ['fitting', 'full'],
              requestsMax: 1000,
            }))
              lines.push(
                `  CALL ${call.tool.name} ${JSON.stringify(call.values)} -> ${call.outcome.kind} ${call.outcome.ms}ms ${answerText(call.outcome).slice(0, 1500)}`,
              );
          },
        );
        await target.close();
        await running.close();
      }
    }
  }
  writeFileSync('/tmp/look.txt', lines.join('\n'));
});
