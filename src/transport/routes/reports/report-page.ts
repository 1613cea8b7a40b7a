import type { AnyReportState } from '../../../domain/report/state.ts';
import type { HttpReply } from '../../http/host.ts';
import { htmlReply, list, shown, table } from '../html.ts';
import { dataPart } from './data-part.ts';

const STYLE =
  ':root{color-scheme:light dark}' +
  'body{font:16px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem;' +
  'background:Canvas;color:CanvasText;overflow-wrap:anywhere}' +
  'table{border-collapse:collapse;width:100%;font-size:.875rem;margin:.5rem 0}' +
  'th,td{text-align:left;vertical-align:top;padding:.3rem .75rem .3rem 0;' +
  'border-bottom:1px solid GrayText}' +
  'dt{font-weight:600}dd{margin:0 0 .5rem 1rem}small{opacity:.75}' +
  'figure{margin:1rem 0}figcaption{font-weight:600}svg{max-width:100%;height:auto}' +
  'pre,code{white-space:pre-wrap;font-size:.8125rem}' +
  '.lead{font-size:1.25rem;font-weight:600}' +
  '.note{border-left:3px solid GrayText;padding-left:.75rem}' +
  '@page{size:A4;margin:18mm}' +
  '@media print{:root{color-scheme:light}body{max-width:none;margin:0;font-size:11pt}' +
  'a{color:inherit;text-decoration:none}tr,figure,dd{break-inside:avoid}h2{break-after:avoid}' +
  'thead{display:table-header-group}}';

/** A report as one file that can be read, printed and sent on: nothing in it is loaded. */
export function reportPage(state: AnyReportState): HttpReply {
  return htmlReply({
    title: `Report: ${state.tool}`,
    style: STYLE,
    body: [leadPart(state), ...stepsPart(state), ...answerPart(state)],
  });
}

function leadPart(state: AnyReportState): string {
  const { status, steps_done, steps_planned, reason, report } = state;
  const made = report === undefined ? '' : ` Made ${report.generated_at}.`;
  const how = report === undefined ? status : `${status}, ${report.completeness}`;
  return (
    `<p class="lead">${shown(how)}: ${steps_done} of ${steps_planned} steps.${shown(made)}</p>` +
    (reason === null ? '' : `<p class="note">${shown(reason)}</p>`)
  );
}

function stepsPart({ steps }: AnyReportState): readonly string[] {
  return [
    '<h2>Steps</h2>',
    table(
      ['Step', 'Status', 'Fault', 'Ended'],
      steps.map(({ title, status, fault, ended_at }) => [
        title,
        status,
        fault === null ? '' : `${fault.code}: ${fault.detail}`,
        ended_at ?? '',
      ]),
    ),
  ];
}

function answerPart({ report }: AnyReportState): readonly string[] {
  if (report === undefined) return ['<p>There is no answer yet.</p>'];
  const { data, coverage, faults, method, disclaimer, evidence } = report;
  const { asked, answered, missing } = coverage;
  return [
    '<h2>Answer</h2>',
    data === null ? '<p>Nothing has answered. Nothing is charged.</p>' : dataPart(data),
    '<h2>Coverage</h2>',
    list([
      ['Answered', `${answered} of ${asked}`],
      ['Missing', missing.join(', ') || 'nothing'],
    ]),
    `<h2>Faults: ${faults.length}</h2>`,
    ...(faults.length === 0
      ? []
      : [
          table(
            ['Upstream', 'Code', 'Detail', 'Later'],
            faults.map(({ upstream, code, detail, retryable }) => [
              ...[upstream, code, detail, retryable ? 'may go well' : 'will not'],
            ]),
          ),
        ]),
    ...sourcesPart(report),
    '<h2>Method</h2>',
    list(Object.entries(method)),
    ...(disclaimer === undefined ? [] : [`<p class="note">${shown(disclaimer)}</p>`]),
    '<h2>Proof</h2>',
    ...(evidence === null
      ? ['<p>An answer without data is not signed.</p>']
      : [
          list([
            ['SHA-256 of the answer', evidence.result_sha256],
            ['Records', evidence.records],
            ['Request', report.request_id],
          ]),
          '<p>Ask for this address with <code>?format=json</code> for the signed answer; ',
          '<code>stoa verify</code> checks it.</p>',
        ]),
  ];
}

type Report = NonNullable<AnyReportState['report']>;

/** Addresses stand as text: a page that is sent on leads nowhere by itself. */
function sourcesPart({ sources }: Report): readonly string[] {
  const rows = sources.map(
    ({ id, upstream, url, retrieved_at, sha256, bytes, from_cache, license }) =>
      `<tr id="${shown(id)}"><td>${shown(id)}</td><td>${shown(upstream)}</td>` +
      `<td>${shown(url)}</td><td>${shown(retrieved_at)}${from_cache ? ' (kept)' : ''}</td>` +
      `<td>${bytes}</td><td><code>${shown(sha256)}</code></td>` +
      `<td>${shown(license ?? '')}</td></tr>`,
  );
  const head = ['', 'Upstream', 'Address', 'Read', 'Bytes', 'SHA-256', 'License']
    .map((name) => `<th scope="col">${name}</th>`)
    .join('');
  return [
    `<h2>Sources: ${sources.length}</h2>`,
    `<table><thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody></table>`,
  ];
}
