import { expect, onTestFinished, test } from 'vitest';
import type { DataAnswer } from '../../../src/domain/data/envelope.ts';
import type { LinkReport } from '../../../src/domain/link/records.ts';
import { createEgress } from '../../../src/providers/net/egress.ts';
import { linkIntegrityTool } from '../../../src/tools/link/ops_link-integrity.ts';
import { httpLoopback } from '../../support/loopback.ts';
import { realClock } from '../../support/real-clock.ts';
import { answerOf, contentOf, envelopeFaults, sellTool } from '../../support/sold-tool.ts';
import { answerFault, FAULTS, type UpstreamFault } from '../../support/upstreams/fault-dial.ts';
import { hurriedClock } from '../../support/upstreams/hurried-clock.ts';

type Answer = DataAnswer & { readonly data: LinkReport | null };
/** The verdict and the class, or the code and retry of what kept the host from being seen. */
type Row = readonly [string, string] | { readonly code: string; readonly retryable: boolean };

/**
 * A link is judged by its status: what a body holds, how much there is of it, and of when it is
 * says nothing about the link. A link that does not work is an answer, and no fault.
 */
const EXPECTED: Readonly<Record<UpstreamFault, Row>> = {
  rate_limit: ['UNKNOWN', 'rate_limited'],
  forbidden_page: ['FAIL', 'client_error'],
  unavailable_for_legal_reasons: ['FAIL', 'client_error'],
  server_error: ['FAIL', 'server_error'],
  hang: ['FAIL', 'timeout'],
  reset: ['FAIL', 'connection'],
  truncated: ['PASS', 'ok'],
  html_for_json: ['PASS', 'ok'],
  wrong_schema: ['PASS', 'ok'],
  huge: ['PASS', 'ok'],
  gzip_bomb: ['PASS', 'ok'],
  slow_drip: ['PASS', 'ok'],
  redirect_loop: ['FAIL', 'redirect_loop'],
  redirect_to_private: { code: 'ssrf_blocked', retryable: false },
  stale: ['PASS', 'ok'],
  skewed_clock: ['PASS', 'ok'],
};
/** Where an anchor is looked for the page is read, so its body counts as well. */
const WITH_ANCHOR: typeof EXPECTED = {
  ...EXPECTED,
  truncated: ['FAIL', 'anchor_missing'],
  html_for_json: ['FAIL', 'anchor_missing'],
  slow_drip: ['FAIL', 'timeout'],
};

const PAGE = '<h1 id="one">A page</h1>';

async function checked(fault: UpstreamFault, more: object) {
  const server = await httpLoopback((_request, response) => {
    answerFault(fault, response, PAGE, 'text/html');
  });
  const egress = createEgress({
    clock: realClock,
    userAgent: 'stoa/test',
    allowHosts: [server.host],
  });
  onTestFinished(async () => {
    await egress.close();
    await server.close();
  });
  // The wait that a host asks for is shortened; the timeout of a request is not.
  const clock = hurriedClock(10);
  const sold = await sellTool((trust) => linkIntegrityTool({ egress, clock, trust }));
  const outcome = await sold.buy({ urls: [`${server.url}/#one`], timeout_s: 1, ...more });
  expect(envelopeFaults(contentOf(outcome))).toEqual([]);
  return { answer: answerOf<Answer>(sold, outcome), charged: sold.charged(), hits: server.hits };
}

const CASES = FAULTS.flatMap((fault) => [
  [fault, 'none', EXPECTED[fault]] as const,
  [fault, 'anchor', WITH_ANCHOR[fault]] as const,
]);

test.each(CASES)('a link with the fault %s, anchors %s: %j', async (fault, mode, row) => {
  const { answer, charged } = await checked(fault, { check_fragments: mode });
  const faults = answer.faults.map(({ code, retryable }) => ({ code, retryable }));
  if ('code' in row) {
    expect([answer.data, faults, charged]).toEqual([null, [row], 0n]);
    return;
  }
  const [verdict, found] = row;
  expect(answer.data?.results.map((one) => [one.verdict, one.class])).toEqual([[verdict, found]]);
  const open = verdict === 'UNKNOWN' ? [{ code: found, retryable: true }] : [];
  // The host was seen, so there is something to pay for.
  expect([faults, charged]).toEqual([open, 10_000n]);
});
