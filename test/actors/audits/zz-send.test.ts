import { writeFileSync } from 'node:fs';
import { test } from 'vitest';
import { answerText } from '../../../src/domain/audit/tool-answer.ts';
import { loopbackTargets } from '../../support/audits/assess.ts';
import { targetNamed } from '../../support/targets/all-targets.ts';
import { startTarget } from '../../support/targets/start-target.ts';

test('send', { timeout: 60_000 }, async () => {
  const lines: string[] = [];
  const running = await startTarget(targetNamed('template-injection'), {
    seed: 0,
    fixed: false,
    front: { burstMax: 1000 },
  });
  const target = await loopbackTargets.open(
    { kind: 'mcp_http', url: running.url },
    {
      limits: { requestsMax: 1000, bytesMax: 1e7, totalMs: 60_000 },
      canarySeed: 'x',
      headers: running.headers,
    },
  );
  const connection = await target.connect();
  for (const text of [
    '${7919*6841}',
    '{{7919*6841}}',
    '${7*6}',
    '${name}',
    '${customer}',
    '#{7*6}',
    '${7919 * 6841}',
  ]) {
    const o = await connection.request('tools/call', {
      name: 'preview_mail_v2',
      arguments: { customer: text },
    });
    lines.push(`${text} -> ${answerText(o)}`);
  }
  await target.close();
  await running.close();
  const r2 = await startTarget(targetNamed('missing-authentication'), {
    seed: 0,
    fixed: false,
    front: { burstMax: 1000 },
  });
  const t2 = await loopbackTargets.open(
    { kind: 'mcp_http', url: r2.url },
    {
      limits: { requestsMax: 1000, bytesMax: 1e7, totalMs: 60_000 },
      canarySeed: 'x',
      headers: r2.headers,
    },
  );
  for (const opt of [
    { isAnonymous: true },
    { isAnonymous: true, headers: { authorization: 'Bearer x' } },
    { isAnonymous: true, headers: { authorization: 'Basic x' } },
  ]) {
    try {
      const c = await t2.connect(opt);
      lines.push(
        JSON.stringify(opt) + JSON.stringify(await c.request('tools/list', {})).slice(0, 300),
      );
    } catch (e) {
      lines.push(JSON.stringify(opt) + JSON.stringify((e as { data: unknown }).data));
    }
  }
  const good = await t2.connect();
  for (const opt of [
    { isAnonymous: true },
    { isAnonymous: true, headers: { authorization: 'Bearer x' } },
  ]) {
    const c = await t2.connect({ ...opt, sessionId: good.sessionId ?? '' });
    lines.push('adopted ' + JSON.stringify(await c.request('tools/list', {})).slice(0, 300));
    lines.push(
      'adopted call ' +
        JSON.stringify(
          await c.request('tools/call', { name: 'get_payslip_v2', arguments: { staff_id: 'E-1' } }),
        ).slice(0, 300),
    );
  }
  await t2.close();
  await r2.close();
  writeFileSync('/tmp/send.txt', lines.join('\n'));
});
