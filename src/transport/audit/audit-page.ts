import type { ListedAudit, PublishedAudit } from '../../domain/audit/published-audits.ts';
import type { AuditReport, ReportFinding } from '../../domain/audit/report.ts';
import { escapeHtml, renderList, renderTable } from '../../domain/common/markup.ts';
import type { HttpReply } from '../http/host.ts';
import { htmlReply } from '../routes/html.ts';

const STYLE =
  ':root{color-scheme:light dark}' +
  'body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;' +
  'background:Canvas;color:CanvasText;overflow-wrap:anywhere}' +
  'table{border-collapse:collapse;width:100%}' +
  'th,td{text-align:left;vertical-align:top;padding:.3rem .75rem .3rem 0;' +
  'border-bottom:1px solid GrayText}' +
  'pre{white-space:pre-wrap;font-size:.8125rem;border:1px solid GrayText;padding:.5rem;margin:0}' +
  'article{border-top:2px solid GrayText;margin-top:1.5rem}' +
  'summary{cursor:pointer}dt{font-weight:600}dd{margin:0 0 .5rem}' +
  '.mark{font-weight:700;text-transform:uppercase}';

/** Renders the report of an audit as a page without scripts. */
export function auditPage({ payload: report, statement, proof }: PublishedAudit): HttpReply {
  const { critical, high, medium, low, info } = report.confirmed;
  const confirmedFindings = report.findings.filter(({ status }) => status === 'confirmed');
  const others = report.findings.filter(({ status }) => status !== 'confirmed');
  const anchor =
    proof.anchor === null
      ? `${proof.anchor_status}: ${proof.anchor_reason ?? ''}`
      : `${proof.anchor.contract} on chain ${proof.anchor.chain_id}, transaction ` +
        proof.anchor.transaction;
  const { left_behind: left = '' } = report;
  return page(`Audit of ${report.target.origin}`, [
    ...(left === '' ? [] : [`<p><strong>${escapeHtml(left)}</strong></p>`]),
    renderList([
      [
        'Confirmed',
        `critical ${critical}, high ${high}, medium ${medium}, low ${low}, info ${info}`,
      ],
      ['Outcome', report.reason === null ? report.outcome : `${report.outcome}: ${report.reason}`],
      ['Target', targetAddress(report)],
      ['Server', formatServer(report)],
      ['Scope', formatScope(report)],
      ['Consent', formatConsent(report)],
      ['Seats', `${report.seats.length} rule-based programs; no language model`],
      ['Time', `${report.begun_at} to ${report.ended_at}`],
      ['Requests', `${report.requests} of ${report.scope.requests_max}`],
      ['Probe set', String(report.probe_set_version)],
      ['Merkle root', report.root],
      ['Signed by', statement.signature.signer],
      ['Anchor', anchor],
    ]),
    '<h2>Verdicts</h2>',
    renderTable(
      ['Category', 'Verdict', 'Probes run'],
      report.categories.map((one) => [
        `${one.category} ${one.name}`,
        one.verdict,
        `${one.probes_run.length}, ${one.probes_skipped.length} skipped`,
      ]),
    ),
    ...resistancePart(report),
    `<h2>Confirmed findings: ${confirmedFindings.length}</h2>`,
    ...confirmedFindings.map(findingPart),
    `<h2>Not counted: ${others.length}</h2>`,
    '<p>Text indicators, and findings that no second seat reproduced.</p>',
    ...others.map(findingPart),
    '<h2>Probes</h2>',
    renderTable(
      ['Probe', 'Outcome', 'Requests'],
      report.probes.map((one) => [
        `${one.category} ${one.probe_id}`,
        one.reason === null ? one.outcome : `${one.outcome}: ${one.reason}`,
        String(one.requests),
      ]),
    ),
    '<h2>Limits</h2>',
    `<ul>${report.limits.map((limit) => `<li>${escapeHtml(limit)}</li>`).join('')}</ul>`,
    '<p>Request this URL with <code>Accept: application/json</code> for the signed report ',
    '(<code>stoa verify</code> checks it), or with <code>?format=sarif</code>.</p>',
  ]);
}

function formatScope({ scope }: AuditReport): string {
  const writes = scope.allow_writes === true ? 'with tools that write' : 'only tools that read';
  return `${scope.mode}, ${writes}, ${scope.categories.join(' ')}`;
}

/** Renders the list of published audits as a page. */
export function auditsPage(rows: readonly ListedAudit[], cursor: string | null): HttpReply {
  const lines = rows.map((row) => {
    const link = `<a href="${escapeHtml(row.report)}">${escapeHtml(row.target)}</a>`;
    const sum = row.confirmed === null ? '' : formatCounts(row.confirmed);
    return (
      `<tr><td>${link}</td><td>${escapeHtml(row.outcome ?? row.status)}</td>` +
      `<td>${escapeHtml(sum)}</td><td>${escapeHtml(row.ended_at ?? '')}</td></tr>`
    );
  });
  const head = ['Target', 'Outcome', 'Confirmed', 'Ended'].map((name) => `<th>${name}</th>`);
  const more = cursor === null ? '' : `<p><a href="?cursor=${escapeHtml(cursor)}">Older</a></p>`;
  return page('Published audits', [
    `<table><tr>${head.join('')}</tr>${lines.join('')}</table>`,
    ...(rows.length === 0 ? ['<p>No audit has been published yet.</p>'] : []),
    more,
  ]);
}

/** Renders how the target resisted the injection corpus, by class. */
function resistancePart({ injection }: AuditReport): readonly string[] {
  if (injection === undefined) return [];
  const { corpus_version, corpus_sha256, places, classes } = injection;
  return [
    '<h2>Resistance to injections</h2>',
    `<p>Corpus ${corpus_version}, SHA-256 ${escapeHtml(corpus_sha256)}; placed in: `,
    `${escapeHtml(places.join(', ') || 'none')}. ` +
      'The JSON contains every text and its response.</p>',
    renderTable(
      ['Class', 'Verdict', 'Resisted', '95 % interval'],
      classes.map(({ channel, title, verdict, assessed, obeyed, interval }) => [
        `${title} (${channel})`,
        verdict,
        `${assessed - obeyed} of ${assessed}`,
        interval === null ? '-' : `${interval.low} to ${interval.high}`,
      ]),
    ),
  ];
}

function findingPart(finding: ReportFinding): string {
  const { severity, category, title, tool, status, reproduced_by, probe_id } = finding;
  const seen = reproduced_by === null ? status : `${status}, reproduced by seat ${reproduced_by}`;
  const exchanges = [
    ['Evidence', finding.evidence],
    ['Control', finding.control],
    ['Replay', finding.replay],
  ] as const;
  return [
    `<article><h3><span class="mark">${severity}</span> ${escapeHtml(title)}</h3>`,
    renderList([
      ['Category', category],
      ['Tool', tool ?? 'the server as a whole'],
      ['Status', seen],
      ['Probe', probe_id],
      ['Remedy', finding.remediation],
    ]),
    ...exchanges.map(([name, exchange]) =>
      exchange === null
        ? ''
        : `<details><summary>${name} (SHA-256 ${escapeHtml(exchange.sha256)})</summary>` +
          `<pre>${escapeHtml(exchange.request)}</pre>` +
          `<pre>${escapeHtml(exchange.response)}</pre></details>`,
    ),
    '</article>',
  ].join('');
}

function targetAddress({ target }: AuditReport): string {
  return 'url' in target.address ? target.address.url : target.origin;
}

function formatServer({ target }: AuditReport): string {
  const { server, tools } = target;
  return server === null ? 'unnamed' : `${server.name} ${server.version}, ${tools} tools`;
}

function formatConsent({ consent }: AuditReport): string {
  if (consent === null) return 'none: passive';
  return `${consent.kind}${consent.ref === null ? '' : ` ${consent.ref}`}, ${consent.proven_at}`;
}

function formatCounts(confirmed: AuditReport['confirmed']): string {
  const found = Object.entries(confirmed).filter(([, count]) => count > 0);
  return found.map(([severity, count]) => `${count} ${severity}`).join(', ') || 'none';
}

function page(title: string, body: readonly string[]): HttpReply {
  return htmlReply({ title, style: STYLE, body });
}
